//! Games of a player against itself: what they leave is what they were, and labels are what a plain search says.

use std::collections::BTreeMap;

use games::{GameSpec, Seed, purpose};
use nets::{Architecture, Data};
use players::{
    GameSetup, PlayerSpec,
    artifacts::HeldArtifacts,
    self_play::{self, Labels, SamplesError, SelfPlayRecord},
};

/// Edges of the four boxes of 2×2, by their numbers: horizontal ones row by row, then vertical ones.
const BOXES: [[usize; 4]; 4] = [[0, 2, 6, 7], [1, 3, 7, 8], [2, 4, 9, 10], [3, 5, 10, 11]];

/// Boxes that the side to move gets from now on minus those of the other, by trying everything.
fn gain(free: u32, known: &mut BTreeMap<u32, i32>) -> i32 {
    if free == 0 {
        return 0;
    }
    if let Some(&gain) = known.get(&free) {
        return gain;
    }
    let mut best = i32::MIN;
    for edge in (0..12).filter(|edge| free >> edge & 1 == 1) {
        let after = free & !(1 << edge);
        let is_closed = |edges: &&[usize; 4]| edges.contains(&edge) && edges.iter().all(|edge| after >> edge & 1 == 0);
        let closed = BOXES.iter().filter(is_closed).count() as i32;
        let rest = gain(after, known);
        best = best.max(if closed > 0 { closed + rest } else { -rest });
    }
    known.insert(free, best);
    best
}

fn game() -> GameSpec {
    "dots-and-boxes:rows=2,columns=2".parse().expect("a game")
}

fn played(player: &str, labels: Labels, games: u64) -> (Vec<SelfPlayRecord>, Vec<u8>) {
    played_with(player, labels, games, &HeldArtifacts::default())
}

fn played_with(player: &str, labels: Labels, games: u64, artifacts: &HeldArtifacts) -> (Vec<SelfPlayRecord>, Vec<u8>) {
    let player: PlayerSpec = player.parse().expect("a player");
    let mut games_of = self_play::prepare(&game(), &player, labels, artifacts).expect("it plays");
    let seed = |trial, purpose| Seed::derive(3, 0, trial, purpose);
    let records: Vec<SelfPlayRecord> = (0..games)
        .map(|trial| {
            games_of.play(&GameSetup {
                opening_plies: 3,
                opening_seed: seed(trial, purpose::OPENING),
                player_seeds: [seed(trial, purpose::FIRST), seed(trial, purpose::SECOND)],
            })
        })
        .collect();
    let bytes = records.iter().flat_map(|record| record.bytes.clone()).collect();
    (records, bytes)
}

fn rows(architecture: &str, bytes: &[u8]) -> Data {
    let architecture: Architecture =
        self_play::completed(&game(), architecture).expect("an encoding").parse().expect("an architecture");
    let mut data = Data::new(architecture.inputs());
    self_play::read_samples(&game(), &architecture, bytes, &mut data).expect("games of it");
    data
}

/// Free edges, boxes of the first seat minus those of the second, and whether the second moves, from the paper's inputs with the
/// side to move.
fn position(inputs: &[f32]) -> (u32, i32, bool) {
    let free = (0..12).filter(|&edge| inputs[edge] == 0.0).fold(0, |free, edge| free | 1 << edge);
    let owned = |code: f32| inputs[12..16].iter().filter(|&&found| found == code).count() as i32;
    (free, owned(0.5) - owned(0.75), inputs[16] == 0.0)
}

const TO_MOVE: &str = "encoding=paper-to-move outcome=sigmoid";

#[test]
fn labels_are_exact_values() {
    let (records, bytes) = played("random", Labels::Exact(8), 300);
    let data = rows(TO_MOVE, &bytes);
    let positions: u32 = records.iter().map(|record| record.positions).sum();
    assert_eq!(data.len(), positions as usize);
    let distances = self_play::distances(&game(), &bytes).expect("games of it");
    let (mut known, mut inputs) = (BTreeMap::new(), vec![0.0; data.inputs()]);
    let mut seen = [0; 3];
    assert_eq!(distances.len(), data.len());
    for (row, distance) in distances.into_iter().enumerate() {
        data.row(row, &mut inputs);
        let (free, difference, second) = position(&inputs);
        let gain = gain(free, &mut known);
        let end = difference + if second { -gain } else { gain };
        let wanted = f64::from(end.signum() + 1) / 2.0;
        assert_eq!(f64::from(data.target(row).value), wanted, "{inputs:?}");
        assert!(free.count_ones() == distance && distance <= 8);
        seen[(end.signum() + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}

/// A network that says one half everywhere: a value of 0 or 1 that a search found has been proved.
#[test]
fn positions_of_searches_have_the_values_that_were_found() {
    let architecture: Architecture =
        "encoding=dots-and-boxes/mover inputs=21 value=sigmoid".parse().expect("an architecture");
    let net = nets::Net::initial(&architecture, &[1; 32]).write();
    const WEIGHTS: usize = 4 * (21 + 1);
    let nothing = [&net[..net.len() - WEIGHTS], &[0; WEIGHTS]].concat();
    let hash = blake3::hash(&nothing).to_hex().to_string();
    let artifacts = [(hash.clone(), nothing)].into_iter().collect();
    let player = format!("best-first:evaluations=300,greed=0.5,net={hash}");
    let (records, bytes) = played_with(&player, Labels::Searched(0), 60, &artifacts);
    let data = rows(TO_MOVE, &bytes);
    assert_eq!(data.len(), records.iter().map(|record| record.positions as usize).sum::<usize>());
    let (mut known, mut inputs) = (BTreeMap::new(), vec![0.0; data.inputs()]);
    let mut seen = [0; 3];
    for row in 0..data.len() {
        data.row(row, &mut inputs);
        let (free, difference, second) = position(&inputs);
        let gain = gain(free, &mut known);
        let end = difference + if second { -gain } else { gain };
        let found = f64::from(data.target(row).value);
        assert!([0.0, 0.5, 1.0].contains(&found), "{found}");
        if found != 0.5 {
            assert_eq!(found, f64::from(end.signum() + 1) / 2.0, "{inputs:?}");
        }
        seen[(2.0 * found) as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    // Most positions are not those of the games.
    assert!(data.len() as u32 > 3 * records.iter().map(|record| record.plies).sum::<u32>());
    // Ends that are solved cut games short, and positions with values remain.
    let (solved, _) = played_with(&player, Labels::Searched(6), 20, &artifacts);
    assert!(solved.iter().all(|record| record.solved && record.plies == 6 && record.positions >= 3));
}

#[test]
fn a_game_whose_end_is_solved_has_the_value_of_its_last_position() {
    let (played_on, _) = played("random", Labels::Outcome(0), 200);
    let (solved, _) = played("random", Labels::Outcome(6), 200);
    assert!(played_on.iter().all(|record| !record.solved && record.plies == 12));
    assert!(solved.iter().all(|record| record.solved && record.plies == 6));
    // The labels of all samples of a game are its end, for whoever moves.
    let (records, bytes) = played("mcts:playouts=20", Labels::Outcome(6), 50);
    let (first, mover) = (rows("encoding=paper outcome=sigmoid", &bytes), rows("encoding=mover value=sigmoid", &bytes));
    let to_move = rows(TO_MOVE, &bytes);
    let mut inputs = vec![0.0; to_move.inputs()];
    let mut row = 0;
    for record in &records {
        for _ in 0..record.positions {
            to_move.row(row, &mut inputs);
            let points = record.first_points;
            assert_eq!(f64::from(first.target(row).value), points);
            let wanted = if position(&inputs).2 { 1.0 - points } else { points };
            assert_eq!(f64::from(mover.target(row).value), wanted);
            row += 1;
        }
    }
    assert_eq!(row, first.len());
}

#[test]
fn policies_are_shares_of_the_visits_over_all_legal_moves() {
    let (_, bytes) = played("mcts:playouts=40", Labels::Outcome(0), 20);
    let data = rows("encoding=mover value=sigmoid policy", &bytes);
    let mut inputs = vec![0.0; data.inputs()];
    for row in 0..data.len() {
        data.row(row, &mut inputs);
        let policy = data.target(row).policy;
        let free = inputs[..12].iter().filter(|&&edge| edge == 0.0).count();
        assert_eq!(policy.len(), free, "every legal move has a share");
        let sum: f32 = policy.iter().map(|&(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-5 && policy.iter().any(|&(_, share)| share > 1.0 / free as f32 - 1e-6));
        assert!(policy.iter().all(|&(place, _)| inputs[usize::from(place)] == 0.0), "places are free edges");
    }
    // A player that counts no visits teaches no policy.
    let (_, bytes) = played("random", Labels::Outcome(0), 5);
    let data = rows("encoding=mover value=sigmoid policy", &bytes);
    assert!((0..data.len()).all(|row| data.target(row).policy.is_empty()));
}

#[test]
fn what_does_not_fit_is_said() {
    let (_, bytes) = played("random", Labels::Outcome(0), 3);
    let read = |architecture: &str, bytes: &[u8]| {
        let architecture: Architecture = architecture.parse().expect("an architecture");
        self_play::read_samples(&game(), &architecture, bytes, &mut Data::new(architecture.inputs()))
    };
    let paper = "encoding=dots-and-boxes/paper inputs=16 outcome=sigmoid";
    assert_eq!(read(paper, &bytes), Ok(()));
    assert!(matches!(read(paper, &bytes[..bytes.len() - 1]), Err(SamplesError::Damaged { game: 2 })));
    for wrong in
        ["encoding=reversi/mover inputs=16 outcome=sigmoid", "encoding=dots-and-boxes/paper inputs=85 outcome=sigmoid"]
    {
        assert!(matches!(read(wrong, &bytes), Err(SamplesError::Encoding { .. })), "{wrong}");
    }
    let policy = "encoding=dots-and-boxes/paper inputs=16 outcome=sigmoid policy=60";
    assert!(matches!(read(policy, &bytes), Err(SamplesError::Policy { found: 60, .. })));
}
