//! EA- and SIEA-MCTS: properties of their searches on the function optimisation problem, and games for two.

use games::{Game, GameSpec, Rng, Seed, Visitor, toys::Wild};
use gp::{Op, PrimitiveSet, Tree, Type};
use players::{
    PlayerSpec,
    artifacts::HeldArtifacts,
    mcts::{Chooser, Edge, Search, Selection, TreeLimit, UniformPlayout},
    play::{GameSetup, play_game},
    registry,
    solo::{Measure, Solo, SoloRecord, SoloSetup, prepare},
};

fn solo(game: &str, player: &str) -> Box<dyn Solo> {
    let game: GameSpec = game.parse().expect("a game");
    let player: PlayerSpec = player.parse().unwrap_or_else(|faults| panic!("{player}: {faults:?}"));
    prepare(&game, &player, &HeldArtifacts::default()).expect("it can play")
}

fn setup(run: u64) -> SoloSetup {
    let seed = |purpose| Seed::derive(11, 0, run, purpose);
    SoloSetup {
        position: None,
        measure: Measure::Decision,
        bins: 16,
        nature_seed: seed("nature"),
        player_seed: seed("player"),
    }
}

fn decide(game: &str, player: &str, run: u64) -> SoloRecord {
    solo(game, player).play(&setup(run))
}

/// Sum of the visits of the root's children.
fn root_visits(record: &SoloRecord) -> u64 {
    let visits = |child: &str| child.rsplit(':').next().and_then(|visits| visits.parse::<u64>().ok());
    record.root_visits.split(' ').map(|child| visits(child).expect("move:visits")).sum()
}

#[test]
fn the_budget_is_spent_as_the_thesis_says() {
    for player in ["ea-mcts", "siea-mcts"] {
        let record = decide("fop:function=f2", player, 1);
        let metrics = record.metrics;
        // 2 until both halves were tried, 81 formulas of 30 iterations, 2,568 with the final formula.
        assert_eq!((record.iterations, record.decisions), (5_000, 1));
        assert_eq!((metrics.fitness_iterations, metrics.formulas, metrics.generations), (2_430.0, 81.0, 20.0));
        assert_eq!(root_visits(&record), 5_000);
        assert!(metrics.nodes <= 5_001.0 && metrics.expansion_rate <= 1.0, "{metrics:?}");
        assert!((metrics.expansion_rate - (metrics.nodes - 1.0) / 5_000.0).abs() < 1e-12);
        let histogram: u64 =
            record.histogram.split([',', ';']).map(|count| count.parse::<u64>().expect("a count")).sum();
        assert_eq!(histogram as f64, metrics.nodes - 1.0, "every node but the root is in a bin");
        assert_eq!(record.histogram.split(';').count(), 3);
    }
}

/// Finished generations and the iterations that measured fitness, whatever the budget.
#[test]
fn a_budget_may_end_at_any_time() {
    let mut prepared = solo("fop:function=f4", "siea-mcts:playouts=400,lambda=3,fitness-iterations=7");
    let full = prepared.play(&setup(2)).metrics;
    assert_eq!((full.generations, full.fitness_iterations), (18.0, 7.0 + 18.0 * 21.0 + 13.0));
    for playouts in (1..60).chain([399, 420, 421, 422, 423, 429, 430, 431, 440]) {
        let spec = format!("siea-mcts:playouts={playouts},lambda=3,fitness-iterations=7,generations=20");
        let record = decide("fop:function=f4", &spec, 2);
        let metrics = record.metrics;
        assert_eq!((record.iterations, root_visits(&record)), (playouts, playouts), "{playouts}");
        let left = playouts.saturating_sub(2);
        // The initial formula, then generations of three.
        let whole = left.saturating_sub(7) / 21;
        assert_eq!(metrics.generations, whole.min(20) as f64, "{playouts}");
        assert_eq!(metrics.fitness_iterations, left.min(7 + 20 * 21) as f64, "{playouts}");
        assert_eq!(metrics.formulas, (left.min(7 + 20 * 21) / 7) as f64, "{playouts}");
    }
}

/// Every formula that could be seen is of the language, within the height, and evolves.
#[test]
fn formulas_keep_to_their_language_and_height() {
    let language = PrimitiveSet::selection(true, Op::Ln);
    let ucb1 = "(+ Q (* (* 2 C:1) (sqrt (/ (* 2 (ln N)) n))))";
    let mut evolved = 0;
    for (function, height) in [("f1", 6), ("f3", 8), ("f5", 7)] {
        let spec = format!("ea-mcts:playouts=900,fitness-iterations=10,initial-c=1,height-max={height}");
        let mut prepared = solo(&format!("fop:function={function}"), &spec);
        for run in 0..8 {
            let record = prepared.play(&setup(run));
            let tree = Tree::parse(&record.formula, Type::Float, &language).expect("a formula of the language");
            assert!(tree.depth(&language) - 1 <= height, "{}", record.formula);
            assert_eq!(record.metrics.formula_nodes, tree.size() as f64);
            let holds = |name: &str| record.formula.split(['(', ')', ' ', ':']).any(|word| word == name);
            let used = [record.metrics.uses_q, record.metrics.uses_visits, record.metrics.uses_parent_visits];
            assert_eq!(used, ["Q", "n", "N"].map(|name| f64::from(u8::from(holds(name)))), "{}", record.formula);
            assert_eq!(record.metrics.uses_c, f64::from(u8::from(holds("C"))));
            evolved += u32::from(record.formula != ucb1);
        }
    }
    assert!(evolved > 12, "{evolved} of 24 changed");
}

/// UCB1 as the initial formula has it, operation by operation, so that even roundings are the same.
struct Closed {
    c: f64,
    visits: f64,
}

impl Selection for Closed {
    type Parent = f64;
    type Prior = ();
    fn parent(&self, visits: u32) -> f64 {
        f64::from(visits)
    }
    fn score(&self, parent: f64, total: f64, visits: u32, (): ()) -> f64 {
        let n = f64::from(visits);
        total / n + 2.0 * self.c * (2.0 * libm::log(parent) / n).sqrt()
    }
    fn draws_ties(&self) -> bool {
        true
    }
    fn best<M>(&mut self, node: Chooser, children: &[Option<Edge<M>>], rng: &mut Rng) -> Option<(usize, f64)> {
        self.visits += 1.0;
        let parent = self.parent(node.visits);
        let score = |edge: &Option<Edge<M>>| edge.as_ref().map(|edge| self.score(parent, edge.total, edge.visits, ()));
        let scores: Vec<f64> = children.iter().filter_map(score).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] == top).collect();
        let pick = if best.len() > 1 { games::below(rng, best.len() as u32) as usize } else { 0 };
        Some((best[pick], top))
    }
}

/// Without offspring the agent is UCB1: the same draws grow the same tree.
#[test]
fn without_offspring_it_is_ucb1() {
    struct Plain(Seed);
    impl Visitor for Plain {
        type Output = Vec<(String, u32)>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let mut search = Search::new(Closed { c: 0.5, visits: 0.0 }, UniformPlayout, TreeLimit::NONE);
            let mut rng = self.0.rng();
            search.root(&start);
            for _ in 0..3_000 {
                search.iterate(&mut rng);
            }
            search.root_stats().map(|stats| (start.move_text(stats.chosen), stats.visits)).collect()
        }
    }
    for run in 0..5 {
        let game: GameSpec = "fop:function=f5".parse().expect("a game");
        let mut plain = games::visit(&game, Plain(setup(run).player_seed));
        plain.sort_by_key(|child| std::cmp::Reverse(child.1));
        let wanted: Vec<String> = plain.iter().map(|(chosen, visits)| format!("{chosen}:{visits}")).collect();
        let record = decide("fop:function=f5", "ea-mcts:playouts=3000,lambda=0,initial-c=0.5", run);
        assert_eq!(record.root_visits, wanted.join(" "), "run {run}");
        assert_eq!(record.metrics.formulas, 1.0);
    }
}

/// The fitness of a formula is the mean of the rewards as they are, of the player who searches: here differences of scores,
/// in a game for two with nature in it.
#[test]
fn fitness_is_the_mean_of_raw_rewards() {
    let spec: PlayerSpec = "siea-mcts:playouts=200,lambda=0,initial-c=0.5".parse().expect("a player");
    let mut behind = 0;
    for seed in 0..40 {
        let (start, seed) = (Wild::new(seed, 2), Seed::derive(6, 0, seed, "player"));
        let mut player = registry::build(&spec, &start, &HeldArtifacts::default()).expect("it plays");
        player.start(&seed);
        player.decide(&start);
        let metrics = player.readout(0).expect("a tree").metrics;
        let mut search = Search::new(Closed { c: 0.5, visits: 0.0 }, UniformPlayout, TreeLimit::NONE);
        let mut rng = seed.rng();
        search.root(&start);
        while search.root_untried() > 0 {
            search.iterate(&mut rng);
        }
        let rewards: Vec<f64> = (0..30).map(|_| search.iterate(&mut rng)[0]).collect();
        assert_eq!(metrics.fitness, rewards.iter().sum::<f64>() / 30.0, "{rewards:?}");
        assert_eq!(metrics.fitness_iterations, 30.0);
        behind += u32::from(metrics.fitness < 0.0);
    }
    assert!((3..38).contains(&behind), "{behind} of 40 are behind");
}

/// What goes beyond the thesis does what it says.
#[test]
fn options_beyond_the_thesis() {
    let few = "playouts=1500,fitness-iterations=10,initial-c=1";
    for run in 0..6 {
        let play = |more: &str| decide("fop:function=f3", &format!("ea-mcts:{few},{more}"), run);
        let protected = play("protect=true");
        assert!(protected.formula.ends_with(" (* (* 2 C:1) (sqrt (/ (* 2 (ln N)) n))))"), "{}", protected.formula);
        let endless = play("generations=0,reevaluate=true,final-formula=parent").metrics;
        // 1,498 iterations: the initial formula's 10, then 50 a generation.
        assert_eq!((endless.generations, endless.fitness_iterations), (29.0, 1_498.0));
        let screened = play("screen=true");
        let metrics = screened.metrics;
        assert_eq!((metrics.uses_q, metrics.uses_visits), (1.0, 1.0), "{}", screened.formula);
        let again = play("reevaluate=true,generations=20").metrics;
        assert_eq!(again.fitness_iterations, 10.0 + 20.0 * 50.0);
    }
}

/// The same seed gives the same decision, from a used player as from a fresh one.
#[test]
fn decisions_depend_on_the_seed_alone() {
    let spec = "siea-mcts:playouts=700,fitness-iterations=8";
    let mut used = solo("fop:function=f2", spec);
    let records: Vec<SoloRecord> = (0..4).map(|run| SoloRecord { micros: 0, ..used.play(&setup(run)) }).collect();
    for (run, record) in (0..).zip(&records) {
        assert_eq!(SoloRecord { micros: 0, ..decide("fop:function=f2", spec, run) }, *record);
    }
    assert_ne!(records[0].root_visits, records[1].root_visits);
}

/// Games for two need nothing of their own: who evolves wins against a random player from either seat.
#[test]
fn it_plays_games_for_two() {
    for (game, player) in [("reversi", "siea-mcts"), ("dodgem:size=3", "ea-mcts"), ("dodgem:size=3", "siea-mcts")] {
        let game: GameSpec = game.parse().expect("a game");
        let evolving: PlayerSpec =
            format!("{player}:playouts=300,generations=4,fitness-iterations=10").parse().expect("a player");
        let random: PlayerSpec = "random".parse().expect("a player");
        let mut points = 0.0;
        for index in 0..6 {
            let seed = |purpose| Seed::derive(3, 0, index, purpose);
            let setup = GameSetup {
                opening_plies: 0,
                opening_seed: seed("opening"),
                player_seeds: [seed("first"), seed("second")],
            };
            points += play_game(&game, [&evolving, &random], &setup).expect("it plays").points[0];
            points += play_game(&game, [&random, &evolving], &setup).expect("it plays").points[1];
        }
        assert!(points >= 9.0, "{player} at {game}: {points} of 12");
    }
}

#[track_caller]
fn fault(text: &str, says: &str) {
    let faults = text.parse::<PlayerSpec>().expect_err("a fault");
    assert!(faults[0].to_string().contains(says), "{}", faults[0]);
}

#[test]
fn faults_of_the_parameters() {
    fault("ea-mcts:initial=(+ Q", "is no formula");
    fault("ea-mcts:initial=(+ Q M)", "is no formula");
    fault("ea-mcts:initial=Q,initial-c=1", "`initial` has its own constants");
    fault("ea-mcts:constant-two=false,initial=(* 2 Q)", "is no formula");
    fault("ea-mcts:height-max=3", "it has a height of 6, above `height-max`");
    fault("ea-mcts:subtree-height-min=3,subtree-height-max=2", "above `subtree-height-max`");
    fault("ea-mcts:c-values=1 x", "`x` is no number");
    fault("ea-mcts:protect=true,initial=(* Q n)", "that is no sum");
    fault("siea-mcts:window-low=0.6", "above `window-high`");
    fault("ea-mcts:window-low=0.1", "no parameter `window-low`");
    fault("siea-mcts:playouts=10,time-ms=5", "two budgets");
}
