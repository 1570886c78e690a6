//! Minimax and alpha-beta against a plain search that prunes, orders and remembers nothing.

use games::{Game, GameSpec, Moves as _, Seed, Turn, Visitor, below};
use players::{PlayerSpec, artifacts::HeldArtifacts, registry};

/// Value of a position for `seat` by plain minimax; ends are worth `win`, less `ply` for each ply they are away.
fn plain<G: Game>(position: &G, depth: u32, away: u32, seat: usize, ends: (f64, f64)) -> f64 {
    let moves = position.moves();
    if moves.is_empty() {
        return (2.0 * position.points()[seat] - 1.0) * (ends.0 - ends.1 * f64::from(away));
    }
    if depth == 0 {
        return position.evaluate(seat);
    }
    let values = (0..moves.len()).map(|index| {
        let mut child = position.clone();
        child.play(moves.get(index));
        plain(&child, depth - 1, away + 1, seat, ends)
    });
    if position.mover() == Turn::Player(seat) {
        values.fold(f64::NEG_INFINITY, f64::max)
    } else {
        values.fold(f64::INFINITY, f64::min)
    }
}

/// Places of the best moves by plain minimax.
fn best<G: Game>(position: &G, depth: u32, ends: (f64, f64)) -> Vec<usize> {
    let Turn::Player(seat) = position.mover() else { panic!("somebody moves") };
    let moves = position.moves();
    let value = |index| {
        let mut child = position.clone();
        child.play(moves.get(index));
        plain(&child, depth - 1, 1, seat, ends)
    };
    let values: Vec<f64> = (0..moves.len()).map(value).collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..values.len()).filter(|&index| values[index] == top).collect()
}

/// Plays a player through random games and compares each of its decisions, by place, with the plain search's best
/// moves.
struct Check<'a> {
    player: &'a str,
    depth: u32,
    ends: (f64, f64),
    games: u64,
    /// Whether a chosen place among the best ones is right.
    right: fn(usize, &[usize]) -> bool,
}

impl Visitor for Check<'_> {
    type Output = (u32, u32);

    fn visit<G: Game>(self, start: G) -> (u32, u32) {
        let spec: PlayerSpec = self.player.parse().expect("a player");
        let mut player = registry::build(&spec, &start, &HeldArtifacts::default()).expect("it plays");
        let (mut decisions, mut choices) = (0, 0);
        for game in 0..self.games {
            let seed = Seed::derive(5, 0, game, "positions");
            let mut rng = seed.rng();
            let mut position = start.clone();
            player.start(&seed);
            while position.turn() != Turn::Over {
                let moves = position.moves();
                // Every seventh position, so that a game gives a few of every phase.
                if below(&mut rng, 7) == 0 && moves.len() > 1 {
                    let wanted = best(&position, self.depth, self.ends);
                    let chosen = player.decide(&position).chosen;
                    let place = (0..moves.len()).find(|&index| moves.get(index) == chosen).expect("a legal move");
                    assert!((self.right)(place, &wanted), "{}: {place} of {wanted:?} at {position:?}", self.player);
                    decisions += 1;
                    choices += u32::from(wanted.len() > 1);
                }
                position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
        }
        (decisions, choices)
    }
}

fn check(game: &str, check: Check<'_>) {
    let game: GameSpec = game.parse().expect("a game");
    let (decisions, choices) = games::visit(&game, check);
    assert!(decisions > 20 && choices > 5, "{decisions} decisions, {choices} of them with several best moves");
}

const DEEPENING: (f64, f64) = (1e6, 1.0);
const FLAT: (f64, f64) = (1_000.0, 0.0);

#[test]
fn alpha_beta_finds_the_moves_of_plain_minimax() {
    // In boop. the evaluations of two seats are not negatives.
    let boop = "boop:graduation=heuristic";
    for (game, depth, games) in
        [("reversi", 4, 3), ("dodgem:size=3", 9, 60), ("dodgem:size=4", 6, 6), (boop, 1, 8), (boop, 3, 4)]
    {
        for table in [0, 64, 65_536] {
            let first = |place: usize, wanted: &[usize]| place == wanted[0];
            let player = format!("alpha-beta:depth={depth},ties=first,table={table}");
            check(game, Check { player: &player, depth, ends: DEEPENING, games, right: first });
        }
    }
}

#[test]
fn minimax_plays_the_last_the_first_or_any_of_the_best() {
    for (game, games) in [("reversi", 4), ("dodgem:size=3", 12)] {
        let last = |place: usize, wanted: &[usize]| wanted.last() == Some(&place);
        check(game, Check { player: "minimax:depth=3", depth: 3, ends: FLAT, games, right: last });
        let first = |place: usize, wanted: &[usize]| place == wanted[0];
        check(game, Check { player: "minimax:depth=2,ties=first", depth: 2, ends: FLAT, games, right: first });
        let any = |place: usize, wanted: &[usize]| wanted.contains(&place);
        check(game, Check { player: "minimax:depth=3,ties=random", depth: 3, ends: FLAT, games, right: any });
    }
}

/// What is pruned is most of it: the plain search looks at every position.
#[test]
fn alpha_beta_looks_at_few_positions() {
    struct Count<'a>(&'a str);
    impl Visitor for Count<'_> {
        type Output = u64;
        fn visit<G: Game>(self, start: G) -> u64 {
            let mut player = registry::build(&self.0.parse().expect("a player"), &start, &HeldArtifacts::default())
                .expect("it plays");
            player.start(&Seed::derive(0, 0, 0, "nodes"));
            player.decide(&start).iterations
        }
    }
    let game: GameSpec = "reversi".parse().expect("a game");
    // All positions up to depth 7, by perft: 4 + 12 + 56 + 244 + 1,396 + 8,200 + 55,092.
    let all = 65_004.0;
    let nodes = |player: &str| games::visit(&game, Count(player)) as f64;
    let (pruned, remembered) = (nodes("alpha-beta:depth=7,table=0"), nodes("alpha-beta:depth=7"));
    assert!(pruned < 0.25 * all, "{pruned}");
    assert!(remembered < pruned, "{remembered} with a table, {pruned} without");
    assert!(nodes("minimax:depth=7") < 0.5 * all);
}

/// A budget of nodes is kept to, and spent.
#[test]
fn nodes_are_a_budget() {
    struct Spend;
    impl Visitor for Spend {
        type Output = Vec<(u64, u64)>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let spent = |nodes: u64| {
                let spec: PlayerSpec = format!("alpha-beta:nodes={nodes}").parse().expect("a player");
                let mut player = registry::build(&spec, &start, &HeldArtifacts::default()).expect("it plays");
                player.start(&Seed::derive(0, 0, 0, "nodes"));
                (nodes, player.decide(&start).iterations)
            };
            [1, 10, 1_000, 30_000].map(spent).to_vec()
        }
    }
    for (nodes, spent) in games::visit(&"reversi".parse().expect("a game"), Spend) {
        assert!(spent <= nodes + 1, "{spent} of {nodes}");
        assert!(spent > nodes / 2, "{spent} of {nodes}");
    }
}

#[track_caller]
fn fault(text: &str, says: &str) {
    let faults = text.parse::<PlayerSpec>().expect_err("a fault");
    assert!(faults[0].to_string().contains(says), "{}", faults[0]);
}

#[test]
fn faults_say_what() {
    fault("alpha-beta:depth=3,nodes=5", "`depth` and `nodes` are two budgets");
    fault("alpha-beta:nodes=3,time-ms=5", "`nodes` and `time-ms` are two budgets");
    fault("minimax:depth=0", "whole number from 1 to 64");
    let fop: GameSpec = "fop".parse().expect("a game");
    let player: PlayerSpec = "minimax".parse().expect("a player");
    let says = player.check_game(&fop).expect_err("a game for one").to_string();
    assert_eq!(says, "`minimax` plays games for two without chance, and not fop: it is for 1");
    assert!(!"alpha-beta:time-ms=5".parse::<PlayerSpec>().expect("a player").reproducible());
}

#[test]
fn stages_are_read_and_play_in_turn() {
    let spec: PlayerSpec =
        "staged:stages=(0 random) (2 mcts:playouts=20,c=1) (4 minimax:depth=2)".parse().expect("a player");
    let text = spec.to_string();
    assert!(text.contains("(0 random) (2 mcts:playouts=20,c=1,factor=1,"), "{text}");
    assert_eq!(text.parse::<PlayerSpec>().as_ref(), Ok(&spec), "every default is filled in, and reads back");
    assert_eq!((spec.playouts(), spec.reproducible()), (Some(20), true));
    fault("staged:stages=random", "no list of stages");
    fault("staged:stages=(1 random)", "begins at turn 0");
    fault("staged:stages=(0 random) (0 mcts)", "turns rise");
    fault("staged:stages=(0 mtcs)", "unknown player `mtcs`");
    fault("staged:stages=(0 staged:stages=(0 random))", "cannot have stages of its own");
    fault("staged", "no list of stages");
    struct Play<'a>(&'a PlayerSpec);
    impl Visitor for Play<'_> {
        type Output = Vec<u64>;
        fn visit<G: Game>(self, start: G) -> Vec<u64> {
            let mut player = registry::build(self.0, &start, &HeldArtifacts::default()).expect("it plays");
            player.start(&Seed::derive(0, 0, 0, "stages"));
            let (mut position, mut iterations) = (start, Vec::new());
            for _ in 0..6 {
                let decision = player.decide(&position);
                iterations.push(decision.iterations);
                player.observe(&position, decision.chosen);
                position.play(decision.chosen);
            }
            iterations
        }
    }
    let iterations = games::visit(&"reversi".parse().expect("a game"), Play(&spec));
    assert_eq!(iterations[..4], [0, 0, 20, 20]);
    assert!(iterations[4] > 8 && iterations[4] != 20, "{iterations:?}");
    assert!(!"staged:stages=(0 random) (3 mcts:time-ms=5)".parse::<PlayerSpec>().expect("a player").reproducible());
}

/// The Checkers project's search: as released it plays at random, repaired it beats random play.
#[test]
fn the_report_s_search_as_released_and_repaired() {
    struct Visits<'a>(&'a str);
    impl Visitor for Visits<'_> {
        type Output = f64;
        /// Share of moves that another seed plays, too.
        fn visit<G: Game>(self, start: G) -> f64 {
            let spec: PlayerSpec = self.0.parse().expect("a player");
            let mut player = registry::build(&spec, &start, &HeldArtifacts::default()).expect("it plays");
            let mut chosen = Vec::new();
            for seed in 0..60 {
                player.start(&Seed::derive(0, 0, seed, "report"));
                chosen.push(player.decide(&start).chosen);
            }
            let same = chosen.iter().filter(|&&one| one == chosen[0]).count();
            same as f64 / chosen.len() as f64
        }
    }
    // Dodgem 3x3 has a best first move; of four moves a random player plays each a quarter of the time.
    let game: GameSpec = "dodgem:size=3".parse().expect("a game");
    let released = games::visit(&game, Visits("checkers-mcts:playouts=500,as-released=true"));
    let repaired = games::visit(&game, Visits("checkers-mcts:playouts=500,p=2"));
    assert!(released < 0.6, "{released}");
    assert!(repaired > released, "{repaired} against {released}");
}
