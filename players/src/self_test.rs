//! Same engine or no work: a digest of fixed games (ARCHITECTURE.md, invariant 8).

use games::{Game, GameSpec, Seed, Visitor, purpose};
use nets::{Architecture, Data, Evaluator, Incremental, Net, Settings, Target};

use crate::{
    GameSetup, PlayerSpec,
    artifacts::HeldArtifacts,
    evomcts,
    play::prepare,
    play_game,
    solo::{self, Measure, SoloSetup},
};

/// Players that the self-test seats at every game for two.
const SEATS: [[&str; 2]; 2] = [
    ["random", "mcts:playouts=6"],
    ["mcts:playouts=9,final-move=most-visited", "mcts:playouts=6,keep-tree=false,fpu=0.6"],
];

/// Players that value positions, at the games for two that have values.
const OPTIMISERS: [&str; 2] = ["mcts-co:select=4,expand=true,playout=4,playouts=6", "greedy"];

/// Players that solve endings, at the games that have exact ones.
const SOLVERS: [&str; 2] = ["qdab:playouts=8,solve-turns=30", "solver:from=24,before=(mcts-dc:playouts=8)"];

/// A player that decides by itself at every game: formulas of every function.
const ALONE: &str = "siea-mcts:playouts=90,generations=2,lambda=3,fitness-iterations=6";

/// A player whose playouts ask everything that positions of a game tell; `None` if they tell nothing.
fn evolved(game: &GameSpec) -> Option<String> {
    let names = evomcts::features(game)?.numbers().iter().enumerate();
    let sum = names.fold("(IfTrue IsFriendlyPiece:0:0 One*0.7 Zero)".to_owned(), |sum, (i, name)| {
        format!("(Plus {sum} (MultERC:{} {name}))", [0.3, -1.1, 0.5, 2.0][i % 4])
    });
    Some(format!("evomcts:tree={sum},playouts=2"))
}

/// Players with a network, at the games for two that have encodings.
const NETWORKS: [&str; 2] = [
    "puct:playouts=8,batch=3,noise=0.25,temperature-turns=3",
    "mcts-net:playouts=8,leaf=threshold,threshold=0.4,ann-each-step=true,arithmetic=fixed",
];

/// A small network with every kind of layer and head for a game; `None` if none reads its positions.
fn network(game: &GameSpec) -> Option<Net> {
    struct Describe;
    impl Visitor for Describe {
        type Output = Option<String>;
        fn visit<G: Game>(self, start: G) -> Option<String> {
            let (encodings, policy) = (start.encodings(), start.policy_size()?);
            let encoding = encodings.last()?;
            let (game, name, inputs) = (start.facts().name, encoding.name, encoding.inputs);
            let layers = "hidden=24:relu,residual:tanh,block:sigmoid";
            Some(format!(
                "encoding={game}/{name} inputs={inputs} {layers} outcome=softmax value=sigmoid policy={policy}"
            ))
        }
    }
    let architecture: Architecture = games::visit(game, Describe)?.parse().expect("fixed architectures are right");
    Some(Net::initial(&architecture, Seed::derive(0, 2, 0, purpose::WEIGHTS).bytes()))
}

/// Adds four steps of training, outputs of the trained network, and a game between players that carry it.
fn add_network(game: &GameSpec, net: &Net, hasher: &mut blake3::Hasher) {
    /// Rows of a batch.
    const BATCH: usize = 12;
    let (inputs, outputs) = (net.architecture().inputs(), net.architecture().outputs());
    let input = |place: usize| (place * place % 7 % 5) as f32 * 0.25;
    let rows: Vec<f32> = (0..4 * BATCH * inputs).map(input).collect();
    let mut data = Data::new(inputs);
    for (row, inputs) in rows.chunks_exact(inputs).enumerate() {
        let policy = [(0, 0.25), (row as u16 % 9 + 1, 0.75)];
        data.push(inputs, &Target::of_points((row % 3) as f32 / 2.0, &policy));
    }
    let seed = *Seed::derive(0, 2, 0, purpose::TRAINING).bytes();
    let settings = Settings { epochs: 1, batch: BATCH, seed, ..Settings::default() };
    let net = nets::train(net, &data, &settings, 1).expect("rows and settings fit").net;
    let file = net.write();
    hasher.update(&file);
    let mut found = vec![0.0; 6 * outputs];
    Evaluator::new(&net).evaluate(&rows[..5 * inputs], &mut found[..5 * outputs]);
    if let Some(mut incremental) = Incremental::new(&net, 1) {
        incremental.set_all(&rows[..inputs]);
        incremental.outputs(&mut found[5 * outputs..]);
    }
    for output in found {
        hasher.update(&output.to_le_bytes());
    }
    let hash = blake3::hash(&file).to_hex().to_string();
    let player = |text| format!("{text},net={hash}").parse::<PlayerSpec>().expect("fixed specs are right");
    let players = NETWORKS.map(player);
    let artifacts: HeldArtifacts = [(hash.clone(), file)].into_iter().collect();
    let seed = |purpose| Seed::derive(0, 2, 1, purpose);
    let setup = GameSetup {
        opening_plies: 4,
        opening_seed: seed(purpose::OPENING),
        player_seeds: [seed(purpose::FIRST), seed(purpose::SECOND)],
    };
    let mut game = prepare(game, [&players[0], &players[1]], &artifacts).expect("the network is made for the game");
    hasher.update(&game.play(&setup).moves_hash.to_le_bytes());
}

/// Digest of a few short games and a decision of every game, and of networks that are trained and play: machines and builds with the same digest give the same
/// results.
///
/// Takes some tens of milliseconds in a release build.
pub fn self_test() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("redqueen 2026 self-test v6");
    for entry in games::all() {
        let game: GameSpec = entry.name.parse().expect("every game has defaults for all its options");
        let mut seats: Vec<[String; 2]> = SEATS.iter().map(|seats| seats.map(str::to_owned)).collect();
        seats.extend(evolved(&game).map(|player| [player, "mcts:playouts=4".to_owned()]));
        seats.extend([OPTIMISERS, SOLVERS].map(|players| players.map(str::to_owned)));
        for (index, seats) in seats.iter().enumerate() {
            let player = |text: &String| text.parse::<PlayerSpec>().expect("fixed specs are right");
            let [first, second] = seats.each_ref().map(player);
            let seed = |purpose| Seed::derive(0, 0, index as u64, purpose);
            let setup = GameSetup {
                opening_plies: 6,
                opening_seed: seed(purpose::OPENING),
                player_seeds: [seed(purpose::FIRST), seed(purpose::SECOND)],
            };
            if let Ok(record) = play_game(&game, [&first, &second], &setup) {
                hasher.update(&record.moves_hash.to_le_bytes());
                hasher.update(&record.score_difference.to_le_bytes());
            }
        }
        if let Some(net) = network(&game) {
            add_network(&game, &net, &mut hasher);
        }
        let whole = if game.facts().players == 1 { Measure::Game } else { Measure::Decision };
        let alone = [
            (ALONE, Measure::Decision),
            ("mcts:playouts=10", whole),
            ("expectimax:nodes=400,pruning=star2", Measure::Decision),
        ];
        for (index, (player, measure)) in (0..).zip(alone) {
            let player = player.parse().expect("fixed specs are right");
            let mut alone = solo::prepare(&game, &player, &HeldArtifacts::default()).expect("they play every game");
            let seed = |purpose| Seed::derive(0, 1, index, purpose);
            let (nature_seed, player_seed) = (seed(purpose::NATURE), seed(purpose::ALONE));
            let record = alone.play(&SoloSetup { position: None, measure, bins: 8, nature_seed, player_seed });
            for value in record.metrics.values() {
                hasher.update(&value.to_bits().to_le_bytes());
            }
            hasher.update(&record.moves_hash.to_le_bytes());
            hasher.update(record.root_visits.as_bytes()).update(record.formula.as_bytes());
        }
    }
    *hasher.finalize().as_bytes()
}
