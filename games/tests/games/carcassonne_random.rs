//! What random players leave behind, against figures of another program and of the SIEA-MCTS thesis (table 5.10, "Random").

use games::{
    Game as _, Moves as _, Rng, Seed, Turn, below,
    carcassonne::{Carcassonne, Source, Variant},
    columns::{ColumnValue, fields},
};

/// What a seat did in one game.
struct Seen {
    score: f64,
    meeples: f64,
    availability: f64,
    /// Mean number of moves that it could choose from.
    actions: f64,
}

/// The value of a column, and checks of what columns have to do with one another.
fn seen(values: &[(String, ColumnValue)], prefix: &str, actions: f64) -> Seen {
    let value = |name: &str| {
        let name = format!("{prefix}{name}");
        &values.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no column {name}")).1
    };
    let number = |name: &str| match value(name) {
        ColumnValue::Int(number) => *number as f64,
        ColumnValue::Real(number) => *number,
        ColumnValue::List(_) => panic!("{name} is a list"),
    };
    let list = |name: &str| match value(name) {
        ColumnValue::List(list) => list.clone(),
        other => panic!("{name} is {other:?}"),
    };
    let (score, meeples) = (number("final_score"), number("meeples_played"));
    let sources: f64 = Source::ALL.iter().map(|source| number(&format!("{}_points", source.name()))).sum();
    assert_eq!(score, sources, "points by source are the score");
    assert_eq!(number("points_per_meeple"), if meeples == 0.0 { 0.0 } else { score / meeples });
    let by_turn = ["meeples_by_turn", "field_meeples_by_turn", "virtual_score_by_turn"].map(list);
    let turns = by_turn[0].len();
    assert!(by_turn.iter().all(|list| list.len() == turns), "a number for each turn");
    assert!(
        by_turn[..2].iter().all(|list| list.is_sorted()) && by_turn[0].iter().zip(&by_turn[1]).all(|(a, b)| a >= b)
    );
    assert_eq!(by_turn[0].last().map(|&last| last as f64), Some(meeples));
    assert_eq!(by_turn[1].last().map(|&last| last as f64), Some(number("field_meeples_played")));
    Seen { score, meeples, availability: number("meeple_availability"), actions: actions / turns as f64 }
}

/// Plays a game at random; what each seat did.
fn play(variant: Variant, rng: &mut Rng) -> Vec<Seen> {
    let mut game = Carcassonne::of(variant);
    let mut recorder = game.recorder().expect("the game has columns");
    let mut actions = [0.0; 2];
    loop {
        let chosen = match game.turn() {
            Turn::Over => break,
            Turn::Chance => game.chance(rng),
            Turn::Player(seat) => {
                let moves = game.moves();
                actions[seat] += moves.len() as f64;
                moves.get(below(rng, moves.len() as u32) as usize)
            }
        };
        recorder.observe(&game, chosen);
        game.play(chosen);
    }
    let names = fields(&game.facts()).into_iter().map(|(name, _)| name);
    let values: Vec<(String, ColumnValue)> = names.zip(recorder.finish(&game)).collect();
    let prefixes: &[&str] = if variant == Variant::Base { &["first_", "second_"] } else { &[""] };
    prefixes.iter().zip(actions).map(|(prefix, actions)| seen(&values, prefix, actions)).collect()
}

/// Mean and standard deviation.
fn moments(seen: &[Seen], of: fn(&Seen) -> f64) -> (f64, f64) {
    let n = seen.len() as f64;
    let mean = seen.iter().map(of).sum::<f64>() / n;
    let variance = seen.iter().map(|seen| (of(seen) - mean) * (of(seen) - mean)).sum::<f64>() / (n - 1.0);
    (mean, variance.sqrt())
}

/// Checks that a mean is a figure up to its rounding and four standard errors.
#[track_caller]
fn check(seen: &[Seen], of: fn(&Seen) -> f64, (wanted, rounding): (f64, f64)) {
    let (mean, deviation) = moments(seen, of);
    let error = deviation / (seen.len() as f64).sqrt();
    assert!((mean - wanted).abs() <= rounding + 4.0 * error, "{mean} ± {error} instead of {wanted} ± {rounding}");
}

fn sample(variant: Variant, games: u64) -> Vec<Seen> {
    let rng = |index| Seed::derive(variant as u64, 0, index, "random carcassonne").rng();
    (0..games).flat_map(|index| play(variant, &mut rng(index))).collect()
}

#[test]
fn random_players_of_games_for_one_are_those_of_the_thesis() {
    let rows = [
        // Variant, score and deviation, availability, each by 30 games of the thesis.
        (Variant::OneDeterministic, 3.13, 3.79, 0.059),
        (Variant::ThreeDeterministic, 8.07, 5.0, 0.19),
        (Variant::OneStochastic, 3.73, 4.26, 0.064),
        (Variant::ThreeStochastic, 10.27, 5.25, 0.209),
    ];
    for (variant, score, deviation, availability) in rows {
        let seen = sample(variant, 3_000);
        let (mean, of_one) = moments(&seen, |seen| seen.score);
        let error = deviation / 30f64.sqrt();
        assert!((mean - score).abs() < 3.0 * error, "{variant:?}: score {mean} instead of {score} ± {error}");
        let (available, _) = moments(&seen, |seen| seen.availability);
        assert!((available - availability).abs() < 0.03, "{variant:?}: availability {available}");
        // Figures of another program of many games, and their rounding.
        if matches!(variant, Variant::OneStochastic | Variant::OneDeterministic) {
            check(&seen, |seen| seen.score, (3.01, 0.05));
            check(&seen, |seen| seen.meeples, (1.11, 0.01));
            check(&seen, |seen| seen.availability, (0.065, 0.001));
            assert!((of_one - 3.5).abs() < 0.3, "{variant:?}: deviation {of_one}");
        } else {
            check(&seen, |seen| seen.score, (8.13, 0.05));
            check(&seen, |seen| seen.meeples, (3.29, 0.01));
            check(&seen, |seen| seen.availability, (0.197, 0.001));
            check(&seen, |seen| seen.actions, (18.5, 0.1));
            assert!((of_one - 5.2).abs() < 0.3, "{variant:?}: deviation {of_one}");
        }
    }
}

#[test]
fn random_players_of_the_base_game_are_those_of_another_program() {
    let seen = sample(Variant::Base, 1_000);
    check(&seen, |seen| seen.score, (19.0, 0.5));
    check(&seen, |seen| seen.meeples, (7.8, 0.05));
    check(&seen, |seen| seen.actions, (40.0, 0.5));
    let (_, deviation) = moments(&seen, |seen| seen.score);
    assert!((deviation - 8.0).abs() < 0.7, "{deviation}");
}
