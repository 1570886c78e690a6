//! The player `expectimax`: its choices on games whose values are known by hand, its budgets, and what it refuses.

use games::{
    Game, GameSpec, Seed, Turn, Visitor,
    toys::{Race, TreeGame, Wild},
};
use players::{Player, PlayerSpec, artifacts::HeldArtifacts, registry};
use spec::Fault;

const FIRST: Turn = Turn::Player(0);
const SECOND: Turn = Turn::Player(1);

fn player<G: Game>(spec: &str, start: &G) -> Box<dyn Player<G>> {
    let spec: PlayerSpec = spec.parse().unwrap_or_else(|faults| panic!("{spec}: {faults:?}"));
    registry::build(&spec, start, &HeldArtifacts::default()).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// How often each move is chosen at `start` in 400 decisions, and the positions that the last of them looked at.
fn chosen(spec: &str, start: &TreeGame) -> (Vec<u32>, u64) {
    let mut player = player(spec, start);
    let mut counts = vec![0; start.moves().0.len()];
    let mut nodes = 0;
    for index in 0..400 {
        player.start(&Seed::derive(4, 0, index, "player"));
        let decision = player.decide(start);
        counts[usize::from(decision.chosen)] += 1;
        nodes = decision.iterations;
    }
    (counts, nodes)
}

const PRUNINGS: [&str; 3] = ["none", "star1", "star2"];

/// The chance of a great gain: 0.1 of 1 and 0.9 of 0.2 are 0.28, less than a sure 0.3.
#[test]
fn nature_counts_by_its_probabilities() {
    const PLIES: &[(Turn, u8)] = &[(FIRST, 2), (Turn::Chance, 2), (FIRST, 2)];
    let value = |h: &[u8]| match h {
        [0, 0, 1] => 1.0,
        [0, 1, 1] => 0.2,
        [1, _, 1] => 0.3,
        _ => 0.0,
    };
    let gamble = TreeGame::new(PLIES, value).with_odds(0.1);
    // 0.9 of 1 and 0.1 of 0.2.
    let likely = TreeGame::new(PLIES, value).with_odds(0.9);
    for pruning in PRUNINGS {
        assert_eq!(chosen(&format!("expectimax:depth=2,pruning={pruning}"), &gamble).0, [0, 400], "{pruning}");
        assert_eq!(chosen(&format!("expectimax:depth=2,pruning={pruning}"), &likely).0, [400, 0], "{pruning}");
    }
}

/// A decision deep, nothing is drawn: here scores come with the end, so that all moves are equal. Nature's two layers between
/// two decisions are not counted.
#[test]
fn only_decisions_count_as_depth() {
    const PLIES: &[(Turn, u8)] = &[(FIRST, 2), (Turn::Chance, 2), (Turn::Chance, 3), (FIRST, 1)];
    let game = TreeGame::new(PLIES, |h| f64::from(h[0]) / 2.0);
    let (counts, nodes) = chosen("expectimax:depth=1", &game);
    assert!(counts.iter().all(|count| (140..=260).contains(count)), "{counts:?}");
    assert_eq!(nodes, 2);
    // 2 moves, 2 and 3 draws, 1 move.
    assert_eq!(chosen("expectimax:depth=2", &game), (vec![0, 400], 2 + 4 + 12 + 12));
    assert_eq!(chosen("expectimax", &game), chosen("expectimax:depth=2,leaf=score,pruning=none", &game));
}

/// The opponent answers each draw with what is worst for the player who searches, from either seat.
#[test]
fn the_opponent_minimises() {
    let value = |h: &[u8]| match h {
        [0, _, 0] => 1.0,
        [1, ..] => 0.5,
        _ => 0.0,
    };
    const FIRST_SEARCHES: &[(Turn, u8)] = &[(FIRST, 2), (Turn::Chance, 2), (SECOND, 2)];
    const SAME_AGAIN: &[(Turn, u8)] = &[(FIRST, 2), (Turn::Chance, 2), (FIRST, 2)];
    const SECOND_SEARCHES: &[(Turn, u8)] = &[(SECOND, 2), (Turn::Chance, 2), (FIRST, 2)];
    for pruning in PRUNINGS {
        let spec = format!("expectimax:depth=2,pruning={pruning}");
        // A half is more than the 0 that the opponent leaves, and less than the 1 that is one's own to take.
        assert_eq!(chosen(&spec, &TreeGame::new(FIRST_SEARCHES, value)).0, [0, 400], "{pruning}");
        assert_eq!(chosen(&spec, &TreeGame::new(SAME_AGAIN, value)).0, [400, 0], "{pruning}");
        // The second seat gives the first a half rather than 1.
        assert_eq!(chosen(&spec, &TreeGame::new(SECOND_SEARCHES, value)).0, [0, 400], "{pruning}");
    }
}

/// The same outcomes in another order: sums that differ in their last bits alone are equal, and equals are drawn.
#[test]
fn equal_moves_are_drawn_though_their_sums_are_rounded_differently() {
    const PLIES: &[(Turn, u8)] = &[(FIRST, 3), (Turn::Chance, 4), (FIRST, 1)];
    let value = |h: &[u8]| match h {
        [0, 1, _] | [1, 3, _] => 0.05,
        [0, 2, _] | [1, 2, _] => 0.1,
        [0, 3, _] | [1, 1, _] => 0.2,
        _ => 0.0,
    };
    // Nature draws each of its moves 1 to 3 with this probability.
    let p = (1.0 - 0.2) / 3.0;
    assert_ne!(p * 50.0 + p * 100.0 + p * 200.0, p * 200.0 + p * 100.0 + p * 50.0, "the sums differ");
    for pruning in PRUNINGS {
        let (counts, _) =
            chosen(&format!("expectimax:depth=2,pruning={pruning}"), &TreeGame::new(PLIES, value).with_odds(0.2));
        // Half of 400; the deviation is 10.
        assert!((150..=250).contains(&counts[0]) && counts[2] == 0, "{pruning}: {counts:?}");
    }
}

/// What stands on the board counts as of the end only where that is asked for.
#[test]
fn leaves_are_scores_or_virtual_scores() {
    let start = Race::new(4);
    // Two eyes were thrown: keeping them scores at once.
    let position = start.parse_position("1/2/0/0").expect("a position");
    let mut scoring = player("expectimax:depth=1,leaf=score", &start);
    scoring.start(&Seed::derive(4, 0, 0, "player"));
    assert_eq!(scoring.decide(&position).chosen, 1);
    // Of a wild game, some position where the two leaves want different moves.
    let differ = (0..50).any(|seed| {
        let game = Wild::new(seed, 2);
        let choose = |leaf: &str| {
            let mut player = player(&format!("expectimax:depth=1,leaf={leaf}"), &game);
            player.start(&Seed::derive(4, 0, 0, "player"));
            player.decide(&game).chosen
        };
        let after = |chosen: u8| {
            let mut after = game.clone();
            after.play(chosen);
            (after.score_difference(), after.score_if_ended().expect("a virtual score"))
        };
        let (score, ended) = (choose("score"), choose("virtual"));
        let all: Vec<(i64, i64)> = game.moves().0.into_iter().map(after).collect();
        assert_eq!(Some(after(score).0), all.iter().map(|values| values.0).max());
        assert_eq!(Some(after(ended).1), all.iter().map(|values| values.1).max());
        score != ended
    });
    assert!(differ);
}

/// After one of the moves 11 of 21 tiles fit nowhere: 40 million orders in which they could be put aside.
#[test]
fn orders_of_what_nature_puts_aside_are_not_searched() {
    struct Decide;

    impl Visitor for Decide {
        type Output = u64;

        fn visit<G: Game>(self, start: G) -> u64 {
            let position = start.parse_position("D L1@0,1:road-W next=W").expect("a position");
            let mut player = player("expectimax:depth=2", &start);
            player.start(&Seed::derive(4, 0, 0, "player"));
            player.decide(&position).iterations
        }
    }

    let nodes = games::visit(&"carcassonne:variant=3s".parse().expect("a game"), Decide);
    assert!(nodes < 200_000, "{nodes} positions");
}

#[test]
fn a_game_without_virtual_scores_is_refused() {
    let player: PlayerSpec = "expectimax:leaf=virtual".parse().expect("a player");
    let game: GameSpec = "reversi".parse().expect("a game");
    let fault = player.check_game(&game).expect_err("Reversi has only discs on the board");
    assert!(matches!(&fault, Fault::Conflict { key, .. } if key == "leaf"), "{fault:?}");
    assert!(fault.to_string().contains("`leaf=virtual` needs"), "{fault}");
    let score: PlayerSpec = "expectimax:leaf=score".parse().expect("a player");
    score.check_game(&game).expect("every game has a score");
    player.check_game(&"toy-race".parse().expect("a game")).expect("the race has virtual scores");
}

/// A budget of positions is kept, deepens by whole decisions, and ends where the game does.
#[test]
fn budgets_of_positions_deepen() {
    const PLIES: &[(Turn, u8)] = &[(FIRST, 2), (SECOND, 2), (FIRST, 2)];
    // First wins by 0 if second answers 0, which it does not; at the end 1 is worth more.
    let game = TreeGame::new(PLIES, |h| f64::from(h[0] + h[2]) / 2.0);
    // 2 positions one decision deep, 2 + 4 two deep, 2 + 4 + 8 three deep.
    let whole = 2 + (2 + 4) + (2 + 4 + 8);
    assert_eq!(chosen("expectimax:nodes=100000", &game), (vec![0, 400], whole));
    assert_eq!(chosen(&format!("expectimax:nodes={whole}"), &game), (vec![0, 400], whole));
    // The last position is not looked at: only searches that end before the scores come count.
    let (counts, nodes) = chosen(&format!("expectimax:nodes={}", whole - 1), &game);
    assert!(counts.iter().all(|count| (140..=260).contains(count)), "{counts:?}");
    assert_eq!(nodes, whole, "the position that was too many is counted");
    let deepest = chosen("expectimax:depth=40", &game);
    assert_eq!(deepest, (vec![0, 400], 2 + 4 + 8));
}

#[test]
fn faults_of_the_parameters() {
    for (text, says) in [
        ("expectimax:depth=0", "depth"),
        ("expectimax:leaf=points", "leaf"),
        ("expectimax:depth=2,nodes=5", "two budgets"),
        ("expectimax:pruning=star3", "pruning"),
    ] {
        let faults = text.parse::<PlayerSpec>().expect_err("a fault");
        assert!(faults[0].to_string().contains(says), "{}", faults[0]);
    }
    let timed: PlayerSpec = "expectimax:time-ms=1".parse().expect("a player");
    assert!(!timed.reproducible());
    let deep: PlayerSpec = "expectimax:depth=2".parse().expect("a player");
    assert!(deep.reproducible() && !deep.cost_is_told());
}
