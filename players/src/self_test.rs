//! Same engine or no work: a digest of fixed games (DESIGN 3.7).

use games::{GameSpec, Seed};

use crate::{GameSetup, PlayerSpec, play_game};

/// Players that the self-test seats at every game for two.
const SEATS: [[&str; 2]; 2] = [
    ["random", "mcts:playouts=40"],
    ["mcts:playouts=60,final-move=most-visited", "mcts:playouts=30,keep-tree=false,fpu=0.6"],
];

/// Digest of a few short games of every game: machines and builds with the same digest give the same results.
///
/// Takes some ten milliseconds in a release build.
pub fn self_test() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("redqueen 2026 self-test v1");
    for entry in games::all() {
        let game: GameSpec = entry.name.parse().expect("every game has defaults for all its options");
        for (index, seats) in SEATS.iter().enumerate() {
            let [first, second] = seats.map(|s| s.parse::<PlayerSpec>().expect("fixed specs are right"));
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
