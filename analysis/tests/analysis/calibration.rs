//! Whether what tables print at 95 % holds in 95 of 100 cases, and whether p below 0.05 are as rare as they say where
//! there is nothing: by simulation from seeds. docs/calibration.md has the figures of a long run:
//!
//! `REDQUEEN_CALIBRATION=4000 cargo test -p analysis --test analysis calibration -- --nocapture --test-threads 1`

use analysis::{
    statistics::rating::{GAP_CONFIDENCE, Score, rate as rated},
    statistics::{
        contrast, friedman, interval, kruskal_wallis, mann_whitney, moments::Moments, regression, student, welch,
        wilcoxon,
    },
};

use crate::common::simulated::{Chance, Games, Luck, holds, rate};

/// What an interval at 95 % must hold, but for rows that say otherwise.
const LEAST: f64 = 0.93;
/// What p below 0.05 may be where there is nothing to find.
const MOST: f64 = 0.065;

const LUCKS: [(Luck, &str); 3] = [(Luck::Apart, "apart"), (Luck::Same, "shared"), (Luck::Turned, "turned")];

#[test]
fn wilson_of_games() {
    for n in [5, 10, 20, 100, 1_000] {
        let of_games = |share: f64, drawn: f64| {
            move |chance: &mut Chance| {
                let share = if share > 0.0 { share } else { chance.between(0.02, 0.98) };
                let games = Games { share, drawn, luck: Luck::Same };
                let points: f64 = games.units(chance, n).iter().sum();
                interval::wilson(points, n as u64, 0.95).map(|ends| holds(ends, share)).into_iter().collect()
            }
        };
        let games = format!("{n} games");
        rate("Wilson, any share", &games, of_games(0.0, 0.0)).at_least(LEAST);
        rate("Wilson, any share, half drawn", &games, of_games(0.0, 0.5)).at_least(LEAST);
        rate("Wilson, share 0.5", &games, of_games(0.5, 0.0)).at_least(0.89);
    }
}

#[test]
fn units_of_a_pair() {
    for n in [2, 3, 5, 10, 20, 50, 500] {
        for (luck, name) in LUCKS {
            for drawn in [0.0, 0.6] {
                let what = format!("units, luck {name}, drawn {drawn}");
                let of_units = move |chance: &mut Chance| {
                    let share = chance.between(0.02, 0.98);
                    let units = Games { share, drawn, luck }.moments(chance, n);
                    interval::of_units(&units, 2, 0.95).map(|ends| holds(ends, share)).into_iter().collect()
                };
                rate(&what, &format!("{n} units"), of_units).at_least(if n < 5 { 0.9 } else { LEAST });
            }
        }
    }
}

/// Scores of players `strength` Elo strong, so many units a pair, `met` saying who meets.
fn scores(
    chance: &mut Chance,
    strength: &[f64],
    units: usize,
    games: Games,
    met: impl Fn(usize, usize) -> bool,
) -> Vec<Score> {
    let mut scores = Vec::new();
    for a in 0..strength.len() {
        for b in (a + 1..strength.len()).filter(|b| met(a, *b)) {
            let share = 1.0 / (1.0 + 10f64.powf((strength[b] - strength[a]) / 400.0));
            let found = Games { share, ..games }.moments(chance, units);
            let points = found.error().map(|error| 4.0 * (units * units) as f64 * error * error);
            scores.push(Score {
                a,
                b,
                games: 2.0 * units as f64,
                points: (4.0 * found.mean * units as f64).round() / 2.0,
                units: units as u64,
                variance: points,
            });
        }
    }
    scores
}

/// Whether each interval of ratings holds the strength about the mean of its group.
fn ratings_hold(strength: &[f64], scores: &[Score]) -> Vec<bool> {
    let found = rated(strength.len(), scores).players;
    let mut held = Vec::new();
    for (player, standing) in found.iter().enumerate() {
        let Some(rating) = standing.rating else { continue };
        let place = (standing.pool, standing.group);
        let mates: Vec<f64> = (0..strength.len())
            .filter(|mate| (found[*mate].pool, found[*mate].group) == place)
            .map(|mate| strength[mate])
            .collect();
        let mean = mates.iter().sum::<f64>() / mates.len() as f64;
        held.push(holds(rating.interval(0.95), strength[player] - mean));
    }
    held
}

#[test]
fn bradley_terry() {
    let fair = Games { share: 0.5, drawn: 0.0, luck: Luck::Apart };
    for (players, units) in [(2, 5), (2, 50), (4, 1), (4, 5), (4, 50), (8, 1), (8, 10)] {
        let n = format!("{players} players, {units} units a pair");
        for (luck, name) in LUCKS {
            for drawn in [0.0, 0.6] {
                let what = format!("Bradley-Terry, luck {name}, drawn {drawn}");
                let of_all = |chance: &mut Chance| {
                    let strength = chance.sample(players, |chance| chance.between(-150.0, 150.0));
                    let scores = scores(chance, &strength, units, Games { drawn, luck, ..fair }, |_, _| true);
                    ratings_hold(&strength, &scores)
                };
                rate(&what, &n, of_all).at_least(LEAST);
            }
        }
    }
    let chain = |chance: &mut Chance| {
        let strength = chance.sample(6, |chance| chance.between(-150.0, 150.0));
        let scores = scores(chance, &strength, 20, fair, |a, b| b == a + 1);
        ratings_hold(&strength, &scores)
    };
    rate("Bradley-Terry, a chain", "6 players, 20 units a pair", chain).at_least(LEAST);
    // One player of 600 Elo above the rest: scores near 1, and often no point lost.
    for units in [5, 20, 100] {
        let extreme = |chance: &mut Chance| {
            let strength = [600.0, 0.0, 50.0, -50.0];
            let scores = scores(chance, &strength, units, fair, |_, _| true);
            ratings_hold(&strength, &scores)
        };
        rate("Bradley-Terry, one far above", &format!("4 players, {units} units a pair"), extreme).at_least(LEAST);
    }
    // Two groups that hardly bridge.
    for units in [2, 10] {
        let gap = |chance: &mut Chance| {
            let strength = [500.0, 460.0, 540.0, -500.0, -460.0, -540.0];
            let scores = scores(chance, &strength, units, fair, |_, _| true);
            ratings_hold(&strength, &scores)
        };
        rate("Bradley-Terry, two groups", &format!("6 players, {units} units a pair"), gap).at_least(LEAST);
    }
}

/// The bound across a gap is one-sided, at 95 % for all runs: those with a bridge have no gap to bound.
#[test]
fn bounds_of_gaps() {
    for (units, apart) in [(3, 300.0), (10, 500.0), (10, 700.0)] {
        for (luck, name) in LUCKS {
            let bound = |chance: &mut Chance| {
                let strength = [apart, apart + 40.0, 0.0, 40.0];
                let scores = scores(chance, &strength, units, Games { share: 0.5, drawn: 0.0, luck }, |_, _| true);
                let found = rated(4, &scores);
                let place = |player: usize| found.players[player].group;
                let split = place(0) == 0 && place(1) == 0 && place(2) == 1 && place(3) == 1;
                let gap = if split { found.gaps[&(0, 0)] } else { None };
                vec![gap.is_none_or(|gap| gap <= apart)]
            };
            let what = format!("bound of a gap (one-sided), luck {name}");
            rate(&what, &format!("{apart} Elo, {units} units a pair"), bound).at_least(GAP_CONFIDENCE);
        }
    }
}

/// Values of samples without a difference, by name; the last is of three values that are mostly equal.
fn nothing(chance: &mut Chance, form: &str) -> f64 {
    match form {
        "normal" => chance.normal(),
        "skewed" => chance.normal().exp(),
        _ => (chance.between(0.0, 2.4)).floor(),
    }
}

#[test]
fn two_samples() {
    for (n, m) in [(4, 4), (6, 6), (5, 20), (12, 12), (40, 40)] {
        let sizes = format!("{n} and {m} values");
        for form in ["normal", "skewed", "tied"] {
            let p = |test: fn(&[f64], &[f64]) -> Option<f64>| {
                move |chance: &mut Chance| {
                    let x = chance.sample(n, |chance| nothing(chance, form));
                    let y = chance.sample(m, |chance| nothing(chance, form));
                    test(&x, &y).map(|p| p <= 0.05).into_iter().collect::<Vec<bool>>()
                }
            };
            let u = |x: &[f64], y: &[f64]| mann_whitney::test(x, y).ok().map(|test| test.p);
            rate(&format!("Mann-Whitney, {form}: p ≤ 0.05"), &sizes, p(u)).at_most(MOST);
            let t = |x: &[f64], y: &[f64]| welch::test(x, y).ok().map(|test| test.p);
            // Skewed samples of different sizes: Welch's t is known to be too bold.
            rate(&format!("Welch, {form}: p ≤ 0.05"), &sizes, p(t)).at_most(if form == "skewed" { 0.15 } else { MOST });
        }
        let spread = |chance: &mut Chance| {
            let x = chance.sample(n, |chance| 3.0 * chance.normal());
            let y = chance.sample(m, Chance::normal);
            welch::test(&x, &y).ok().map(|test| holds(test.ci95, 0.0)).into_iter().collect()
        };
        rate("Welch, spread 3 and 1: interval", &sizes, spread).at_least(LEAST);
        let pooled = |chance: &mut Chance| {
            let (x, y) = (chance.sample(n, Chance::normal), chance.sample(m, Chance::normal));
            student::test(&x, &y).ok().map(|test| holds(test.ci95, 0.0)).into_iter().collect()
        };
        rate("Student, normal: interval", &sizes, pooled).at_least(LEAST);
    }
}

#[test]
fn several_and_paired_samples() {
    for n in [5, 10, 30] {
        let blocks = format!("{n} blocks");
        for form in ["normal", "skewed", "tied"] {
            let of = |chance: &mut Chance, k: usize| -> Vec<Vec<f64>> {
                (0..k).map(|_| chance.sample(n, |chance| nothing(chance, form))).collect()
            };
            let below = |p: Option<f64>| p.map(|p| p <= 0.05).into_iter().collect::<Vec<bool>>();
            let refs = |samples: &[Vec<f64>]| -> Vec<Vec<f64>> { samples.to_vec() };
            let signed = |chance: &mut Chance| {
                let samples = of(chance, 2);
                below(wilcoxon::test(&samples[0], &samples[1]).ok().map(|test| test.p))
            };
            rate(&format!("Wilcoxon, {form}: p ≤ 0.05"), &blocks, signed).at_most(MOST);
            let groups = |chance: &mut Chance| {
                let samples = refs(&of(chance, 3));
                let slices: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
                below(kruskal_wallis::test(&slices).ok().map(|test| test.p))
            };
            rate(&format!("Kruskal-Wallis of 3, {form}: p ≤ 0.05"), &format!("{n} values each"), groups).at_most(MOST);
            let ranked = |chance: &mut Chance| {
                let samples = refs(&of(chance, 3));
                let slices: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
                below(friedman::test(&slices).ok().map(|test| test.p))
            };
            rate(&format!("Friedman of 3, {form}: p ≤ 0.05"), &blocks, ranked).at_most(MOST);
        }
    }
}

/// Outcomes of runs under other seeds, and the final stage of a tuning.
#[test]
fn replicates_and_retests() {
    for n in [3, 5, 10, 30] {
        let runs = format!("{n} runs");
        let mean = |chance: &mut Chance| {
            let of = Moments::of(&chance.sample(n, Chance::normal));
            interval::of_mean(&of, 0.95).map(|ends| holds(ends, 0.0)).into_iter().collect()
        };
        rate("mean over runs, normal", &runs, mean).at_least(LEAST);
        // Scores of champions: bounded, and skewed to the top.
        let champions = |chance: &mut Chance| {
            let of = Moments::of(&chance.sample(n, |chance| 1.0 - chance.uniform().powi(2)));
            interval::of_mean_share(&of, 0.95).map(|ends| holds(ends, 2.0 / 3.0)).into_iter().collect()
        };
        rate("mean over runs, shares near 1", &runs, champions).at_least(if n < 10 { 0.85 } else { 0.91 });
    }
    for n in [10, 50, 500] {
        let units = format!("{n} units each");
        for (luck, name) in LUCKS {
            let lead = |chance: &mut Chance| {
                let of = |share: f64, chance: &mut Chance| Games { share, drawn: 0.1, luck }.moments(chance, n);
                let terms = [(1.0, of(0.7, chance)), (-1.0, of(0.55, chance))];
                contrast::test(&terms).ok().map(|lead| holds(lead.ci95, 0.15)).into_iter().collect()
            };
            rate(&format!("winner − defaults, luck {name}"), &units, lead).at_least(LEAST);
            let mean = |chance: &mut Chance| {
                let shares = [0.6, 0.8, 0.95];
                let third = 1.0 / 3.0;
                let terms = shares.map(|share| (third, Games { share, drawn: 0.1, luck }.moments(chance, n)));
                let truth = shares.iter().sum::<f64>() * third;
                contrast::test(&terms).ok().map(|mean| holds(mean.ci95, truth)).into_iter().collect()
            };
            rate(&format!("mean over three opponents, luck {name}"), &units, mean).at_least(LEAST);
        }
    }
}

/// A search names the luckiest of many: intervals of its leader's share say too much, as the tables' notes say, and the
/// final stage does not.
#[test]
fn leaders_of_a_search() {
    let wilson = |points: f64, games: usize| interval::wilson(points, games as u64, 0.95).expect("games");
    for (candidates, games) in [(20, 50), (100, 20)] {
        let leader = |retest: bool| {
            move |chance: &mut Chance| {
                let equal = Games { share: 0.5, drawn: 0.0, luck: Luck::Same };
                let points = |chance: &mut Chance| equal.units(chance, games).iter().sum::<f64>();
                let best = (0..candidates).map(|_| points(chance)).fold(0.0, f64::max);
                let points = if retest { points(chance) } else { best };
                vec![holds(wilson(points, games), 0.5)]
            }
        };
        let n = format!("{candidates} equal candidates of {games} games");
        rate("leader in the search", &n, leader(false)).at_most(0.6);
        rate("leader on fresh games", &n, leader(true)).at_least(LEAST);
    }
}

#[test]
fn exponents_of_times() {
    let slope = |chance: &mut Chance| {
        let x: Vec<f64> = (1..=8).map(f64::from).map(f64::ln).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.2 * x + 0.1 * chance.normal()).collect();
        regression::slopes(&y, &[&x]).ok().map(|slopes| holds(slopes[0].ci95, 1.2)).into_iter().collect()
    };
    rate("exponent of time", "8 settings", slope).at_least(LEAST);
}
