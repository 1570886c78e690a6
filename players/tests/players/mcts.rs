//! The search on worlds whose truth is known.

use games::{Game, Moves as _, Seed, Turn, below, reversi::Reversi, toys::TreeGame};
use players::{
    Player as _,
    mcts::{Budget, FinalMove, Options, Search, Selection, TreeLimit, Ucb1, Uct, UniformPlayout},
};

const FIRST: Turn = Turn::Player(0);
const SECOND: Turn = Turn::Player(1);

fn toy(plies: &'static [(Turn, u8)], value: fn(&[u8]) -> f64) -> TreeGame {
    TreeGame::new(plies, value)
}

type Plain<G> = Search<G, Ucb1, UniformPlayout>;

fn search<G: Game>(root: &G, iterations: u64, nodes: usize) -> Plain<G> {
    let mut search =
        Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout, TreeLimit { nodes, ..TreeLimit::NONE });
    let mut rng = Seed::derive(9, 0, iterations, "search").rng();
    search.root(root);
    for _ in 0..iterations {
        search.iterate(&mut rng);
    }
    search
}

/// (visits, mean) of each root move, by move.
fn stats(search: &Plain<TreeGame>) -> Vec<(u32, f64)> {
    let mut stats: Vec<_> = search.root_stats().map(|s| (s.chosen, s.visits, s.mean)).collect();
    stats.sort_by_key(|s| s.0);
    stats.into_iter().map(|(_, visits, mean)| (visits, mean)).collect()
}

fn best(search: &Plain<TreeGame>) -> usize {
    let stats = stats(search);
    (0..stats.len()).max_by_key(|&i| stats[i].0).expect("moves")
}

#[test]
fn visits_add_up_to_the_budget() {
    for iterations in [1, 2, 5, 100, 1_000] {
        let search = search(&Reversi::new(), iterations, usize::MAX);
        assert_eq!(search.root_stats().map(|s| u64::from(s.visits)).sum::<u64>(), iterations);
        assert_eq!(search.tree().len() as u64, iterations + 1, "one node an iteration");
    }
}

#[test]
fn every_move_is_tried_before_any_twice() {
    let game = toy(&[(FIRST, 7)], |h| f64::from(u8::from(h[0] == 3)));
    assert_eq!(
        stats(&search(&game, 7, usize::MAX)),
        (0..7).map(|i| (1, f64::from(u8::from(i == 3)))).collect::<Vec<_>>()
    );
}

#[test]
fn the_best_arm_is_found_and_its_mean_is_the_truth() {
    // Nature's move after the choice decides; arm 2 wins on either, arm 1 on one, arm 0 on none.
    let game = toy(&[(FIRST, 3), (Turn::Chance, 2)], |h| f64::from(u8::from(h[0] + h[1] >= 2)));
    let found = search(&game, 3_000, usize::MAX);
    assert_eq!(best(&found), 2);
    let stats = stats(&found);
    assert_eq!((stats[0].1, stats[2].1), (0.0, 1.0));
    // UCB1 looks at a wrong arm about log-often.
    assert!(stats[2].0 > 2_500, "{stats:?}");
}

#[test]
fn nature_is_drawn_by_its_odds_and_never_chosen() {
    // A single move, then nature: 0 with probability 0.8, and only 1 is worth anything. A search that let a player
    // choose nature's moves would find a mean near 1.
    let game = toy(&[(FIRST, 1), (Turn::Chance, 2), (FIRST, 2)], |h| f64::from(h[1])).with_odds(0.8);
    let mut search = search(&game, 20_000, usize::MAX);
    assert!((stats(&search)[0].1 - 0.2).abs() < 1e-12, "the weighted mean is the truth");
    search.descend(0);
    let drawn: Vec<_> = search.root_stats().map(|s| (s.chosen, f64::from(s.visits), s.mean)).collect();
    let error = (0.8f64 * 0.2 / 20_000.0).sqrt();
    for (chosen, visits, mean) in drawn {
        let odds = if chosen == 0 { 0.8 } else { 0.2 };
        assert!((visits / 20_000.0 - odds).abs() < 4.0 * error, "{chosen}: {visits}");
        assert_eq!(mean, f64::from(chosen));
    }
}

#[test]
fn a_draw_of_nature_is_worth_the_mean_of_what_was_seen_by_its_probabilities() {
    // Nature nearly always draws 0. After few iterations 1 may not have been seen: then the mean is that of 0 alone.
    let game = toy(&[(FIRST, 1), (Turn::Chance, 2)], |h| f64::from(h[1])).with_odds(0.9);
    for iterations in 1..200 {
        let found = search(&game, iterations, usize::MAX);
        let seen = found.tree().len() - 2;
        let mean = stats(&found)[0].1;
        let is = |wanted: f64| (mean - wanted).abs() < 1e-12;
        assert!(if seen == 2 { is(0.1) } else { is(0.0) || is(1.0) }, "{iterations}: {seen} seen, {mean}");
    }
    // An action's node and its first draw are one expansion.
    assert_eq!(search(&game, 1, usize::MAX).tree().len(), 3);
}

#[test]
fn equal_children_are_drawn_where_the_policy_says_so() {
    let game = toy(&[(FIRST, 2)], |_| 0.0);
    let share = |draws: bool| {
        let mut search =
            Search::new(Ucb1::new(0.0, 1.0, f64::INFINITY).drawing_ties(draws), UniformPlayout, TreeLimit::NONE);
        let mut rng = Seed::derive(3, 0, 0, "ties").rng();
        search.root(&game);
        for _ in 0..10_002 {
            search.iterate(&mut rng);
        }
        search.root_stats().map(|s| s.visits).min().expect("two moves")
    };
    // Without exploration equal means stay equal: the first wins always, or each half the time (sd 50).
    assert_eq!(share(false), 1);
    assert!(share(true) > 4_750, "{}", share(true));
}

#[test]
fn each_player_wants_its_own_points() {
    // First wins by 0 only if second answers 1; second will not. Move 1 is a sure half.
    let game = toy(&[(FIRST, 2), (SECOND, 2)], |h| if h[0] == 1 { 0.5 } else { f64::from(h[1]) });
    assert_eq!(best(&search(&game, 2_000, usize::MAX)), 1);
    // The same where first moves again: now it is its own choice, and move 0 wins.
    let again = toy(&[(FIRST, 2), (FIRST, 2)], |h| if h[0] == 1 { 0.5 } else { f64::from(h[1]) });
    assert_eq!(best(&search(&again, 2_000, usize::MAX)), 0);
    // And where second moves twice in a row, both choices are its own.
    let twice = toy(&[(FIRST, 2), (SECOND, 2), (SECOND, 2)], |h| if h[0] == 1 { 0.5 } else { f64::from(h[1] | h[2]) });
    assert_eq!(best(&search(&twice, 2_000, usize::MAX)), 1);
}

#[test]
fn going_down_keeps_the_subtree_and_nothing_else() {
    let root = Reversi::new();
    let mut search = search(&root, 2_000, usize::MAX);
    let before = search.root_stats().max_by_key(|s| s.visits).expect("moves");
    let mut child = root;
    child.play(before.chosen);
    search.descend(before.chosen);
    search.root(&child);
    // A node's playouts are the one that made it and those of its children.
    let kept: u32 = search.root_stats().map(|s| s.visits).sum();
    assert_eq!(kept, before.visits - 1);
    assert_eq!(search.tree().len() as u32, before.visits);
    let points: f64 = search.root_stats().map(|s| s.mean * f64::from(s.visits)).sum();
    // What the player of the move won, the other did not, but for the first playout (0, 0.5 or 1).
    let others = before.mean * f64::from(before.visits);
    assert!((0.0..=1.0).contains(&(others - (f64::from(kept) - points))), "{others} {points} {kept}");
    // New playouts come on top.
    let mut rng = Seed::derive(1, 0, 0, "on top").rng();
    for _ in 0..100 {
        search.iterate(&mut rng);
    }
    assert_eq!(search.root_stats().map(|s| s.visits).sum::<u32>(), kept + 100);
    // An unknown position starts anew.
    search.root(&Reversi::new());
    assert_eq!(search.tree().len(), 1);
}

#[test]
fn a_full_tree_stays_within_its_bound() {
    let search = search(&Reversi::new(), 3_000, 500);
    assert_eq!(search.tree().len(), 500);
    assert_eq!(search.root_stats().map(|s| s.visits).sum::<u32>(), 3_000);
}

#[test]
fn a_low_first_play_urgency_leaves_moves_untried() {
    let game = toy(&[(FIRST, 8), (SECOND, 2)], |_| 1.0);
    let mut search = Search::new(Ucb1::new(0.1, 1.0, 0.5), UniformPlayout, TreeLimit::NONE);
    search.root(&game);
    let mut rng = Seed::derive(1, 0, 0, "fpu").rng();
    for _ in 0..50 {
        search.iterate(&mut rng);
    }
    assert_eq!(search.root_stats().count(), 1, "a move that always wins is worth more than an untried one");
    assert!(below(&mut rng, 2) < 2);
}

/// Visits the move with the lowest mean, so that the most visited move is the worst.
struct Worst;

impl Selection for Worst {
    type Parent = ();
    type Prior = ();
    fn parent(&self, _visits: u32) {}
    fn score(&self, (): (), total: f64, visits: u32, (): ()) -> f64 {
        -total / f64::from(visits)
    }
}

fn options(playouts: u64, final_move: FinalMove, keep_tree: bool) -> Options {
    Options { budget: Budget::Playouts(playouts), final_move, keep_tree, search_forced: false, batch: 1 }
}

/// A player that searches with [`Worst`], seeded with `index`.
fn contrary(playouts: u64, final_move: FinalMove, index: u64) -> Uct<TreeGame, Worst, UniformPlayout> {
    let mut player =
        Uct::new(Search::new(Worst, UniformPlayout, TreeLimit::NONE), options(playouts, final_move, false));
    player.start(&Seed::derive(2, 0, index, "contrary"));
    player
}

#[test]
fn the_final_move_is_by_mean_or_by_visits() {
    let game = toy(&[(FIRST, 3)], |h| [0.0, 0.5, 1.0][usize::from(h[0])]);
    let chosen = |playouts, final_move, index| contrary(playouts, final_move, index).decide(&game).chosen;
    for index in 0..20 {
        assert_eq!(chosen(50, FinalMove::HighestMean, index), 2);
        assert_eq!(chosen(50, FinalMove::MostVisited, index), 0);
        assert_eq!(chosen(3, FinalMove::MostVisited, index), 2, "equal visits: the mean decides");
    }
    let level = toy(&[(FIRST, 3)], |_| 0.5);
    let mut drawn = [false; 3];
    for index in 0..40 {
        let mut player = contrary(50, FinalMove::HighestMean, index);
        let chosen = player.decide(&level).chosen;
        let most = player.search().root_stats().max_by_key(|s| s.visits).expect("moves").chosen;
        assert_eq!(chosen, most, "equal means: visits decide");
        for final_move in [FinalMove::HighestMean, FinalMove::MostVisited] {
            drawn[usize::from(contrary(3, final_move, index).decide(&level).chosen)] = true;
        }
    }
    assert_eq!(drawn, [true; 3], "equal in both: drawn");
}

#[test]
fn a_kept_tree_is_searched_on_top_of() {
    let visits = |keep_tree| {
        let search = Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout, TreeLimit::NONE);
        let mut player = Uct::new(search, options(500, FinalMove::HighestMean, keep_tree));
        player.start(&Seed::derive(2, 0, 0, "kept"));
        let mut position = Reversi::new();
        let decision = player.decide(&position);
        player.observe(&position, decision.chosen);
        position.play(decision.chosen);
        let answer = position.moves().get(0);
        player.observe(&position, answer);
        position.play(answer);
        let kept: u32 = player.search().root_stats().map(|s| s.visits).sum();
        assert_eq!(player.decide(&position).iterations, 500, "all of them new");
        (kept, player.search().root_stats().map(|s| s.visits).sum::<u32>())
    };
    let (kept, total) = visits(true);
    assert!(kept > 0);
    assert_eq!(total, kept + 500);
    assert_eq!(visits(false), (0, 500));
}

#[test]
fn a_forced_move_is_searched_only_when_asked() {
    let game = toy(&[(FIRST, 1), (SECOND, 2)], |_| 0.5);
    for (search_forced, iterations) in [(false, 0), (true, 30)] {
        let options = Options { search_forced, ..options(30, FinalMove::HighestMean, true) };
        let mut player = Uct::new(Search::new(Worst, UniformPlayout, TreeLimit::NONE), options);
        player.start(&Seed::derive(2, 0, 0, "forced"));
        let decision = player.decide(&game);
        assert_eq!((decision.chosen, decision.iterations), (0, iterations));
    }
}

#[test]
fn a_new_game_begins_without_a_tree() {
    let search = Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout, TreeLimit::NONE);
    let mut player = Uct::new(search, options(50, FinalMove::HighestMean, true));
    for _ in 0..2 {
        player.start(&Seed::derive(2, 0, 0, "anew"));
        player.decide(&Reversi::new());
        assert_eq!(player.search().root_stats().map(|s| s.visits).sum::<u32>(), 50);
    }
}
