//! Sampling semantics of a formula, and the choice of the next parent (SIEA-MCTS thesis, sections 5.3.1 and 5.3.2;
//! docs/papers/siea-mcts.md, "Semantics").

use games::{Rng, below};

/// Semantic distances within which an offspring differs from its parent, and not too much: strictly between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Sampling-semantics distance: the mean difference of sorted rewards, over as many as both have (thesis, equation
/// 5.1). 0 where one has none.
pub(crate) fn distance(parent: &[f64], offspring: &[f64]) -> f64 {
    let sorted = |rewards: &[f64]| {
        let mut rewards = rewards.to_vec();
        rewards.sort_by(f64::total_cmp);
        rewards
    };
    let (parent, offspring) = (sorted(parent), sorted(offspring));
    let differences = parent.iter().zip(&offspring).map(|(p, q)| (p - q).abs());
    let compared = parent.len().min(offspring.len()).max(1);
    differences.sum::<f64>() / compared as f64
}

/// Who is chosen, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Place among the candidates.
    pub(crate) index: usize,
    /// Several shared the best fitness.
    pub(crate) tied: bool,
    /// The distance of one of them lay in the window.
    pub(crate) by_semantics: bool,
}

/// The fittest of `fitness`, the parent first. Without a window the first of equals. With one, of equals the one with
/// the smallest of `distances` to the parent that lies inside; if none does, one of the equals at random.
///
/// # Panics
/// If there are no candidates.
pub(crate) fn choose(
    fitness: &[f64],
    window: Option<Window>,
    distances: impl Fn(usize) -> f64,
    rng: &mut Rng,
) -> Choice {
    let top = fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let equals: Vec<usize> = (0..fitness.len()).filter(|&i| fitness[i] == top).collect();
    let tied = equals.len() > 1;
    let (Some(window), true) = (window, tied) else {
        return Choice { index: equals[0], tied, by_semantics: false };
    };
    let inside = equals.iter().map(|&i| (distances(i), i)).filter(|&(d, _)| window.low < d && d < window.high);
    match inside.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, index)) => Choice { index, tied, by_semantics: true },
        None => Choice { index: equals[below(rng, equals.len() as u32) as usize], tied, by_semantics: false },
    }
}

#[cfg(test)]
mod tests {
    use games::Seed;
    use serde_json::Value;

    use super::*;

    fn oracle() -> Value {
        serde_json::from_str(include_str!("../../tests/oracles/ea-siea.json")).expect("JSON")
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
    }

    #[test]
    fn distances_are_the_oracle_s() {
        let mut checked = 0;
        for case in oracle()["ssd"].as_array().expect("cases") {
            let ones = |key: &str| {
                let count = case[key].as_u64()?;
                Some((0..30).map(|i| f64::from(u8::from(i < count))).collect::<Vec<f64>>())
            };
            let list = |key: &str| case.get(key).map(numbers);
            let parent = ones("parent_ones_of_30").or_else(|| list("parent"));
            let offspring = ones("offspring_ones_of_30").or_else(|| list("offspring"));
            let (Some(parent), Some(offspring)) = (parent, offspring) else { continue };
            let found = distance(&parent, &offspring);
            assert!((found - case["ssd"].as_f64().expect("a number")).abs() < 1e-6, "{case}: {found}");
            checked += 1;
        }
        assert_eq!(checked, 7);
        assert_eq!(distance(&[0.5; 30], &[0.25; 10]), 0.25, "as many as both have");
        // Rewards of any size and sign, in the order in which they came: -0.25, 0.125, 0.5 and -0.25, 0.25, 1.
        assert_eq!(distance(&[0.5, -0.25, 0.125], &[0.25, 1.0, -0.25]), 0.625 / 3.0);
    }

    #[test]
    fn choices_are_the_oracle_s() {
        for case in oracle()["sem_sel"].as_array().expect("cases") {
            let (fitness, distances) = (numbers(&case["fitness"]), numbers(&case["ssd_to_parent"]));
            let bound = |key: &str| case[key].as_f64().expect("a number");
            let window = Some(Window { low: bound("L"), high: bound("U") });
            let mut seen = vec![0; fitness.len()];
            for trial in 0..300 {
                let mut rng = Seed::derive(0, 0, trial, "choice").rng();
                let choice = choose(&fitness, window, |i| distances[i], &mut rng);
                seen[choice.index] += 1;
                assert_eq!(choice.tied, case["expect"]["semantics_used"].as_bool().expect("a truth"), "{case}");
            }
            match case["expect"]["index"].as_u64() {
                Some(index) => assert_eq!(seen[index as usize], 300, "{case}"),
                None => {
                    let among = numbers(&case["expect"]["random_among"]);
                    for (index, &count) in seen.iter().enumerate() {
                        let wanted = if among.contains(&(index as f64)) { 300.0 / among.len() as f64 } else { 0.0 };
                        assert!((f64::from(count) - wanted).abs() <= 50.0, "{case}: {seen:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_semantics_the_parent_wins_ties() {
        let mut rng = Seed::derive(0, 0, 0, "choice").rng();
        let choice = choose(&[0.5, 0.5, 0.2], None, |_| 0.2, &mut rng);
        assert_eq!(choice, Choice { index: 0, tied: true, by_semantics: false });
        assert_eq!(choose(&[0.1, 0.5, 0.5], None, |_| 0.2, &mut rng).index, 1, "then the first offspring");
    }
}
