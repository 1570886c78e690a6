//! Same engine or no work: a digest of fixed games (DESIGN 3.7).

use games::{Game, GameSpec, Seed, Turn, Visitor};

use crate::{GameSetup, PlayerSpec, evomcts, play_game, registry};

/// Players that the self-test seats at every game for two, and one by one at every game for one.
const SEATS: [[&str; 2]; 2] = [
    ["random", "mcts:playouts=40"],
    ["mcts:playouts=60,final-move=most-visited", "mcts:playouts=30,keep-tree=false,fpu=0.6"],
];

/// A player whose playouts ask everything that positions of a game tell; `None` if they tell nothing.
fn evolved(game: &GameSpec) -> Option<String> {
    let names = evomcts::features(game)?.numbers.iter().enumerate();
    let sum = names.fold("(IfTrue IsFriendlyPiece:0:0 One*0.7 Zero)".to_owned(), |sum, (i, name)| {
        format!("(Plus {sum} (MultERC:{} {name}))", [0.3, -1.1, 0.5, 2.0][i % 4])
    });
    Some(format!("evomcts:tree={sum},playouts=20"))
}

/// Searches of a game for one: whole games by each of [`SEATS`], and a random outcome of their ends.
struct Alone<'a> {
    hasher: &'a mut blake3::Hasher,
}

impl Visitor for Alone<'_> {
    type Output = ();

    fn visit<G: Game>(self, start: G) {
        for (index, text) in (0..).zip(SEATS.as_flattened()) {
            let spec: PlayerSpec = text.parse().expect("fixed specs are right");
            let mut player = registry::build(&spec, &start).expect("plain players play everything");
            player.start(&Seed::derive(0, 0, index, "alone"));
            let mut nature = Seed::derive(0, 0, index, "nature").rng();
            let mut position = start.clone();
            loop {
                let chosen = match position.turn() {
                    Turn::Over => break,
                    Turn::Chance => position.chance(&mut nature),
                    Turn::Player(_) => player.decide(&position).chosen,
                };
                self.hasher.update(position.move_text(chosen).as_bytes());
                player.observe(&position, chosen);
                position.play(chosen);
            }
            for points in position.points().into_iter().chain(position.outcome(&mut nature)) {
                self.hasher.update(&points.to_le_bytes());
            }
        }
    }
}

/// Digest of a few short games of every game: machines and builds with the same digest give the same results.
///
/// Takes some ten milliseconds in a release build.
pub fn self_test() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("redqueen 2026 self-test v3");
    for entry in games::all() {
        let game: GameSpec = entry.name.parse().expect("every game has defaults for all its options");
        if game.facts().players == 1 {
            games::visit(&game, Alone { hasher: &mut hasher });
            continue;
        }
        let mut seats: Vec<[String; 2]> = SEATS.iter().map(|seats| seats.map(str::to_owned)).collect();
        seats.extend(evolved(&game).map(|player| [player, "mcts:playouts=25".to_owned()]));
        for (index, seats) in seats.iter().enumerate() {
            let player = |text: &String| text.parse::<PlayerSpec>().expect("fixed specs are right");
            let [first, second] = seats.each_ref().map(player);
            let seed = |purpose| Seed::derive(0, 0, index as u64, purpose);
            let setup = GameSetup {
                opening_plies: 6,
                opening_seed: seed("opening"),
                player_seeds: [seed("first"), seed("second")],
            };
            if let Ok(record) = play_game(&game, [&first, &second], &setup) {
                hasher.update(&record.moves_hash.to_le_bytes());
                hasher.update(&record.score_difference.to_le_bytes());
            }
        }
    }
    *hasher.finalize().as_bytes()
}
