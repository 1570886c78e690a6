//! What holds of every grid: trials by index, seeds, resolved files, the order of trials.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use experiments::{
    Experiment, Overrides, plan,
    plan::{Executor, TrialError},
};
use proptest::prelude::*;
use record::{Column, ColumnType, Row, Value};

use crate::pairs;

fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "f", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

/// A grid of `players` cheap players.
fn grid(players: usize, pairing: &str, units: u64, opening: u32) -> String {
    let specs = (0..players).map(|i| match i % 3 {
        0 => format!("p{i} = \"random\"\n"),
        1 => format!("p{i} = \"mcts:playouts={}\"\n", 1 + i % 4),
        _ => format!("p{i} = {{ name = \"mcts\", playouts = 2, keep-tree = false }}\n"),
    });
    let games = 2 * units;
    format!(
        "format = 1\nname = \"grid\"\nkind = \"match-grid\"\ngame = \"reversi\"\n[players]\n{}[match-grid]\n{pairing}\n\
         games-per-pair = {games}\nopening-plies = {opening}\n",
        specs.collect::<String>()
    )
}

/// Every rule of pairing over some number of players, with the pairs it stands for.
fn pairings() -> impl Strategy<Value = (usize, String, Vec<[usize; 2]>)> {
    (2usize..9, 0..3u8, any::<prop::sample::Index>(), any::<u64>()).prop_map(|(players, rule, index, bits)| {
        let all: Vec<[usize; 2]> = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b])).collect();
        match rule {
            0 => (players, "pairing = \"round-robin\"".to_owned(), all),
            1 => {
                // A subset, some of them turned round; at least one.
                let mut pairs: Vec<[usize; 2]> = all
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| bits >> i & 1 == 1)
                    .map(|(i, &[a, b])| if bits >> (32 + i % 28) & 1 == 1 { [b, a] } else { [a, b] })
                    .collect();
                if pairs.is_empty() {
                    pairs.push(all[index.index(all.len())]);
                }
                let text: Vec<String> = pairs.iter().map(|[a, b]| format!("[\"p{a}\", \"p{b}\"]")).collect();
                (players, format!("pairing = \"listed\"\npairs = [{}]", text.join(", ")), pairs)
            }
            _ => {
                let count = 1 + index.index(players - 1);
                let champions: Vec<String> = (0..count).map(|player| format!("\"p{player}\"")).collect();
                let pairs = (0..count).flat_map(|a| (count..players).map(move |b| [a, b])).collect();
                (players, format!("pairing = \"gauntlet\"\nchampions = [{}]", champions.join(", ")), pairs)
            }
        }
    })
}

/// The columns that depend on spec and seed alone.
fn pure(experiment: &Experiment, row: &Row) -> Row {
    let shape = plan(experiment).first_stage().stage.shape;
    shape.columns.iter().zip(row).filter(|(column, _)| column.pure).map(|(_, value)| value.clone()).collect()
}

fn executor(experiment: &Experiment) -> Box<dyn Executor> {
    let plan = plan(experiment);
    let opening = plan.first_stage();
    plan.executor(&opening.stage, &opening.artifacts).expect("the grid can be played")
}

fn run(experiment: &Experiment, trials: impl Iterator<Item = u64>) -> Vec<(u64, Row)> {
    let executor = executor(experiment);
    trials.map(|trial| (trial, pure(experiment, &executor.run(trial).expect("the game can be played")))).collect()
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is not an integer"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Trials go through pairs, units and seats in order, each once.
    #[test]
    fn a_trial_is_a_pair_a_unit_and_a_seating((players, pairing, pairs) in pairings(), units in 1u64..4) {
        let experiment = parse(&grid(players, &pairing, units, 0));
        let stage = plan(&experiment).first_stage().stage;
        prop_assert_eq!(stage.trials, pairs.len() as u64 * units * 2);
        let executor = executor(&experiment);
        let mut expected = pairs.iter().flat_map(|&[a, b]| (0..units).flat_map(move |_| [[a, b], [b, a]]));
        let mut seeds = BTreeSet::new();
        let mut before: Option<experiments::TrialDescription> = None;
        for trial in 0..stage.trials {
            let described = executor.describe(trial).expect("a trial of the stage");
            let seats = expected.next().expect("as many as trials");
            prop_assert_eq!(&described.seats[0].0, &format!("p{}", seats[0]));
            prop_assert_eq!(&described.seats[1].0, &format!("p{}", seats[1]));
            let seed = |d: &experiments::TrialDescription, i: usize| d.seeds[i].1.clone();
            match before.take() {
                None => {
                    for i in 0..3 {
                        prop_assert!(seeds.insert(seed(&described, i)), "a stream of its own for each unit and player");
                    }
                    before = Some(described);
                }
                Some(first) => {
                    // The same opening; each player keeps its stream when it changes its seat.
                    prop_assert_eq!(seed(&first, 0), seed(&described, 0));
                    prop_assert_eq!(seed(&first, 1), seed(&described, 2));
                    prop_assert_eq!(seed(&first, 2), seed(&described, 1));
                }
            }
        }
        prop_assert_eq!(executor.describe(stage.trials), None);
        let names: Vec<_> = pairs.iter().map(|pair| pair.map(|player| format!("p{player}"))).collect();
        prop_assert_eq!(pairs::of(&stage), names);
    }

    #[test]
    fn resolved_files_resolve_to_themselves((players, pairing, _) in pairings(), units in 1u64..100, opening in 0u32..30,
        seed in 0..i64::MAX as u64, scale in 1e-9f64..1e9, title in "\\PC{1,40}") {
        let overrides = Overrides { seed: Some(seed), scale: Some(scale), set: Vec::new() };
        let text = format!("title = {}\n{}", toml::Value::String(title.clone()), grid(players, &pairing, units, opening));
        let experiment = Experiment::parse(&text, "f", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
        prop_assert_eq!(experiment.title(), title);
        let resolved = experiment.to_resolved_toml();
        let again = Experiment::from_resolved(&resolved).unwrap_or_else(|faults| panic!("{faults}\n{resolved}"));
        prop_assert_eq!(&again, &experiment);
        prop_assert_eq!(again.to_resolved_toml(), resolved);
        prop_assert_eq!(again.hash(), experiment.hash());
        prop_assert_eq!(plan(&again).first_stage(), plan(&experiment).first_stage());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Reused matches, other orders and other threads change nothing.
    #[test]
    fn results_do_not_depend_on_order_or_threads((players, pairing, _) in pairings(), order in any::<u64>()) {
        let experiment = parse(&grid(players, &pairing, 1, 3));
        let trials = experiment.trial_count();
        let straight = run(&experiment, 0..trials);
        // Multiplying by a number without common factors goes through all of them.
        let coprime = |step: &u64| (2..=trials).all(|d| !step.is_multiple_of(d) || !trials.is_multiple_of(d));
        let step = (order % trials.max(2)..).find(coprime);
        let step = step.expect("there is a number without common factors");
        let mut shuffled = run(&experiment, (0..trials).map(|i| (i * step + order % trials) % trials));
        shuffled.sort_by_key(|(trial, _)| *trial);
        prop_assert_eq!(&shuffled, &straight);
        let alone: Vec<_> = (0..trials).flat_map(|trial| run(&experiment, std::iter::once(trial))).collect();
        prop_assert_eq!(&alone, &straight);

        let executor = executor(&experiment);
        let next = AtomicU64::new(0);
        let mut threaded: Vec<(u64, Row)> = std::thread::scope(|scope| {
            let work = || {
                let mut rows = Vec::new();
                loop {
                    let trial = next.fetch_add(1, Ordering::Relaxed);
                    if trial >= trials {
                        return rows;
                    }
                    rows.push((trial, pure(&experiment, &executor.run(trial).expect("the game can be played"))));
                }
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        threaded.sort_by_key(|(trial, _)| *trial);
        prop_assert_eq!(threaded, straight);
    }
}

/// A round robin of 2,000 players has 1,999,000 pairs, of which the stage says how they follow from the players.
#[test]
fn what_a_stage_says_of_its_pairs_grows_with_its_players_alone() {
    let bytes = |players: usize, pairing: &str| {
        let stage = plan(&parse(&grid(players, pairing, 1, 0))).first_stage().stage;
        serde_json::to_string(&stage).expect("JSON").len()
    };
    let half: Vec<String> = (0..1_000).map(|player| format!("\"p{player}\"")).collect();
    for pairing in ["pairing = \"round-robin\"", &format!("pairing = \"gauntlet\"\nchampions = [{}]", half.join(", "))]
    {
        let found = bytes(2_000, pairing);
        assert!(found < 2_000 * 200, "{found} bytes");
    }
}

#[test]
fn rows_fit_the_shape_and_name_their_place() {
    let experiment = parse(&grid(3, "pairing = \"round-robin\"", 2, 4));
    let stage = plan(&experiment).first_stage().stage;
    let executor = executor(&experiment);
    assert_eq!(stage.labels["players"], ["p0", "p1", "p2"]);
    for trial in 0..stage.trials {
        let row = executor.run(trial).expect("the game can be played");
        assert_eq!(row.len(), stage.shape.columns.len());
        for (column, value) in stage.shape.columns.iter().zip(&row) {
            let fits = match column.kind {
                ColumnType::Int | ColumnType::Label => matches!(value, Value::Int(_)),
                ColumnType::Real => matches!(value, Value::Real(real) if !real.is_nan()),
                ColumnType::Text => matches!(value, Value::Text(_)),
            };
            assert!(fits, "{}: {value:?}", column.name);
        }
        assert_eq!(int(&row[0]), (trial / 4) as i64, "pair");
        assert_eq!(int(&row[1]), (trial % 4 / 2) as i64, "unit");
        let described = executor.describe(trial).expect("a trial of the stage");
        for seat in 0..2 {
            let label = usize::try_from(int(&row[2 + seat])).expect("an index of a label");
            assert_eq!(stage.labels["players"][label], described.seats[seat].0);
        }
        let again = executor.watch(trial, &mut |_, _, _| {}).expect("the game can be played");
        assert_eq!(pure(&experiment, &again), pure(&experiment, &row));
    }
    assert!(executor.run(stage.trials).is_err());
}

/// The time of every decision stands beside the same games, and adds up to the game's.
#[test]
fn turn_times_are_of_every_decision_and_change_no_game() {
    let text = grid(3, "pairing = \"round-robin\"", 2, 4);
    let (without, with) = (parse(&text), parse(&format!("{text}turn-times = true\n")));
    let stage = plan(&with).first_stage().stage;
    let at = |name: &str| stage.shape.columns.iter().position(|c| c.name == name).expect("a column of the shape");
    for name in ["first_turns", "second_turns"] {
        let column = &stage.shape.columns[at(name)];
        assert_eq!((column.kind, column.pure), (ColumnType::Text, false));
    }
    assert_eq!(run(&with, 0..stage.trials), run(&without, 0..stage.trials));
    let executor = executor(&with);
    for trial in 0..stage.trials {
        let row = executor.run(trial).expect("the game can be played");
        for (parity, seat) in ["first", "second"].into_iter().enumerate() {
            let Value::Text(text) = &row[at(&format!("{seat}_turns"))] else { panic!("turns are a text") };
            let turns: Vec<(i64, i64)> = text
                .split_whitespace()
                .map(|turn| turn.split_once(':').expect("a ply and a time"))
                .map(|(ply, us)| (ply.parse().expect("a number"), us.parse().expect("a number")))
                .collect();
            assert_eq!(turns.len() as i64, int(&row[at(&format!("{seat}_decisions"))]));
            assert_eq!(turns.iter().map(|turn| turn.1).sum::<i64>(), int(&row[at(&format!("{seat}_us"))]));
            assert!(turns.is_sorted_by(|one, next| one.0 < next.0), "{text}");
            // In Reversi the two take turns, passes counted; four plies are the opening's.
            let in_turn = |ply: &i64| *ply >= 4 && ply % 2 == parity as i64 && *ply < int(&row[at("plies")]);
            assert!(turns.iter().all(|(ply, _)| in_turn(ply)), "{text}");
        }
    }
}

#[test]
fn the_games_of_a_unit_have_one_opening_and_units_have_others() {
    const OPENING: u32 = 8;
    let experiment = parse(&grid(3, "pairing = \"listed\"\npairs = [[\"p0\", \"p1\"]]", 6, OPENING));
    let opening = |trial: u64| {
        let mut moves = Vec::new();
        let mut watch = |_: &str, seat: Option<usize>, played: &str| {
            if seat.is_none() && !played.is_empty() {
                moves.push(played.to_owned());
            }
        };
        executor(&experiment).watch(trial, &mut watch).expect("the game can be played");
        moves
    };
    let openings: Vec<_> = (0..experiment.trial_count()).map(opening).collect();
    for unit in openings.chunks(2) {
        assert_eq!(unit[0].len(), OPENING as usize);
        assert_eq!(unit[0], unit[1]);
    }
    let different: BTreeSet<_> = openings.iter().collect();
    assert_eq!(different.len(), 6);
}

/// A run at a lesser scale plays the first games of a greater one, and other pairs change nothing.
#[test]
fn scale_and_other_pairs_change_no_game() {
    let text = grid(4, "pairing = \"round-robin\"", 8, 4);
    let whole = run(&parse(&text), 0..6 * 16);
    let quarter = Overrides { scale: Some(0.25), ..Overrides::default() };
    let quarter = Experiment::parse(&text, "f", &quarter).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(quarter.trial_count(), 6 * 4);
    for (trial, row) in run(&quarter, 0..6 * 4) {
        assert_eq!(row, whole[(trial / 4 * 16 + trial % 4) as usize].1);
    }
    let one = parse(&grid(4, "pairing = \"listed\"\npairs = [[\"p2\", \"p3\"]]", 8, 4));
    for (trial, row) in run(&one, 0..16) {
        // All but the index of the pair.
        assert_eq!(row[1..], whole[5 * 16 + trial as usize].1[1..]);
    }
}

#[test]
fn scales_keep_whole_units() {
    let text = grid(2, "pairing = \"round-robin\"", 5, 0);
    for (scale, games) in [(1e-9, 2), (0.1, 2), (0.3, 4), (0.5, 6), (1.0, 10), (2.5, 26)] {
        let overrides = Overrides { scale: Some(scale), ..Overrides::default() };
        let experiment = Experiment::parse(&text, "f", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(experiment.trial_count(), games, "at scale {scale}");
        assert_eq!(plan(&experiment).first_stage().stage.meta["scale"], scale);
    }
}

/// A million games are a number: nothing is made for them but the pairs in the stage's facts.
#[test]
fn a_grid_of_a_million_games_is_arithmetic() {
    let experiment = parse(&grid(150, "pairing = \"round-robin\"", 500_000, 0));
    assert_eq!(experiment.trial_count(), 150 * 149 / 2 * 1_000_000);
    let last = executor(&experiment).describe(experiment.trial_count() - 1).expect("the last trial");
    assert_eq!([&last.seats[0].0, &last.seats[1].0], ["p149", "p148"]);
    assert_eq!(experiment.sample_trials(3), [0, 3_725_000_000, 7_450_000_000]);
}

#[test]
fn seeds_change_games_and_times_are_impure() {
    let text = grid(3, "pairing = \"round-robin\"", 1, 0);
    let other = Overrides { seed: Some(2), ..Overrides::default() };
    let other = Experiment::parse(&text, "f", &other).unwrap_or_else(|faults| panic!("{faults}"));
    let [one, two] = [parse(&text), other].map(|experiment| run(&experiment, 0..6));
    for (one, two) in one.iter().zip(&two) {
        // The hash of the moves.
        assert_ne!(one.1[7], two.1[7]);
    }
    let shape = plan(&parse(&text)).first_stage().stage.shape;
    let impure: Vec<_> = shape.columns.iter().filter(|column| !column.pure).map(|column| &column.name).collect();
    assert_eq!(impure, ["first_us", "second_us"]);
}

#[test]
fn a_time_budget_is_not_reproducible_if_it_plays() {
    let timed = |pairing: &str| {
        let text = grid(2, pairing, 1, 0).replace("[match-grid]", "timed = \"mcts:time-ms=1\"\n[match-grid]");
        parse(&text).reproducible()
    };
    assert!(!timed("pairing = \"round-robin\""));
    assert!(timed("pairing = \"listed\"\npairs = [[\"p0\", \"p1\"]]"));
}

#[test]
fn synthetic_trials_cost_what_they_say_and_nothing_else() {
    let text = "format = 1\nname = \"s\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 1000\n";
    let free = parse(text);
    let costly = parse(&format!("{text}cost-us = 2000\n"));
    assert_eq!(free.trial_count(), 1000);
    let rows = run(&free, 0..50);
    assert_eq!(rows.iter().map(|(_, row)| int(&row[0])).collect::<BTreeSet<_>>().len(), 50);
    #[expect(clippy::disallowed_methods, reason = "the cost is what is tested")]
    let start = std::time::Instant::now();
    assert_eq!(run(&costly, 0..50), rows, "the cost is not part of the result");
    // CPU time of the thread is at most the time that passes.
    assert!(start.elapsed().as_millis() >= 100);
    let half = Overrides { scale: Some(0.5), ..Overrides::default() };
    let half = Experiment::parse(text, "f", &half).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(half.trial_count(), 500);
}

#[test]
fn synthetic_trials_misbehave_where_they_are_told_to() {
    let plain = "format = 1\nname = \"s\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 1000\n";
    let more = "sleep-us = 1000\nlong = { every = 7, cost-us = 3000 }\npanics = [4]\nfails = [5, 6]\n";
    let faulty = parse(&format!("{plain}{more}"));
    assert!(faulty.to_resolved_toml().ends_with(&format!("cost-us = 0\n{more}")), "{}", faulty.to_resolved_toml());
    assert!(parse(plain).to_resolved_toml().ends_with("cost-us = 0\n"), "keys that were not given are not written");
    assert_eq!(Experiment::from_resolved(&faulty.to_resolved_toml()).ok().as_ref(), Some(&faulty));
    let stage = plan(&faulty).first_stage().stage;
    let executor = plan(&faulty).executor(&stage, &Vec::new()).expect("nothing is needed");
    #[expect(clippy::disallowed_methods, reason = "the cost is what is tested")]
    let start = std::time::Instant::now();
    let long = executor.run(7).expect("it only takes long");
    assert!(start.elapsed().as_micros() >= 4_000, "{:?}", start.elapsed());
    assert_eq!(run(&parse(plain), 7..8), [(7, long)]);
    assert_eq!(executor.run(6), Err(TrialError::OnPurpose("trial 6 was told to fail".to_owned())));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.run(4))).is_err());
}

#[test]
fn a_trial_may_take_an_hour_if_the_file_does_not_say() {
    let text = grid(2, "pairing = \"round-robin\"", 2, 0);
    assert_eq!(parse(&text).trial_timeout().as_secs(), 3_600);
    let text = text.replace("format = 1", "format = 1\ntrial-timeout-secs = 0.25");
    assert_eq!(parse(&text).trial_timeout().as_millis(), 250);
    assert!(parse(&text).to_resolved_toml().contains("\ntrial-timeout-secs = 0.25\n"));
}

/// What players declare of their decisions stands behind the same games, by seat and by the player's own turns.
#[test]
fn turn_figures_are_of_every_decision_and_change_no_game() {
    let text = grid(2, "pairing = \"round-robin\"", 2, 4);
    let (without, with) = (parse(&text), parse(&format!("{text}turn-figures = true\n")));
    let [plain, stage] = [&without, &with].map(|experiment| plan(experiment).first_stage().stage);
    let names = |columns: &[Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let (before, figures) = stage.shape.columns.split_at(plain.shape.columns.len());
    assert_eq!(before, plain.shape.columns);
    assert_eq!(names(figures), ["first_root_share_by_turn", "second_root_share_by_turn"]);
    assert!(figures.iter().all(|column| column.pure && column.kind == ColumnType::Text));
    assert_eq!(plain.meta["turn_figures"], serde_json::Value::Null, "facts of other grids stay as they are");
    assert_eq!(stage.meta["turn_figures"][0]["column"], "root_share_by_turn");
    let (executor, other) = (executor(&with), executor(&without));
    for trial in 0..stage.trials {
        let row = executor.run(trial).expect("the game can be played");
        let same = other.run(trial).expect("the game can be played");
        assert_eq!(pure(&without, &row[..same.len()].to_vec()), pure(&without, &same));
        for (seat, value) in row[same.len()..].iter().enumerate() {
            let Value::Text(text) = value else { panic!("figures are a text") };
            let shares: Vec<(u32, f64)> = text
                .split_whitespace()
                .map(|word| word.split_once(':').expect("a turn and a value"))
                .map(|(turn, share)| (turn.parse().expect("a number"), share.parse().expect("a number")))
                .collect();
            let decisions = stage.shape.index(["first_decisions", "second_decisions"][seat]).expect("a column");
            // The random player searches for nothing.
            assert_eq!(shares.len() as i64, int(&row[decisions]));
            assert!(shares.is_sorted_by(|one, next| one.0 < next.0), "{text}");
            assert!(shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{text}");
        }
    }
}
