//! The genetic algorithm of the student project on Checkers (docs/papers/checkers.md), with standard operators beside its own.

use gp::Random as _;
use players::TrialRng;

use super::{
    algorithm::{Closed, Member},
    candidates::{Candidate, ranking},
    mutation::Mutation,
    space::{Space, Values},
};

/// How a child comes of two parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossover {
    /// Parameters before a point from one parent, the rest from the other.
    SinglePoint,
    /// Each parameter from either.
    Uniform,
    /// Not: it is a copy of one.
    None,
}

impl Crossover {
    /// Name in files, and crossover.
    pub(super) const NAMES: [(&str, Crossover); 3] =
        [("single-point", Crossover::SinglePoint), ("uniform", Crossover::Uniform), ("none", Crossover::None)];

    /// Its name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Crossover::SinglePoint => "single-point",
            Crossover::Uniform => "uniform",
            Crossover::None => "none",
        }
    }

    /// A child of two.
    fn cross(self, [one, other]: [&Values; 2], draws: &mut TrialRng) -> Values {
        let genes = one.len();
        match self {
            Crossover::None => one.clone(),
            Crossover::Uniform => {
                one.iter().zip(other).map(|(a, b)| if draws.happens(0.5) { a.clone() } else { b.clone() }).collect()
            }
            Crossover::SinglePoint => {
                // The report draws the point from {0, 1} for its three genes; 0 copies a parent. With two genes {0}
                // would be left, and nothing crossed: the point is 0 or 1 there, too.
                let points = if genes < 2 { 1 } else { (genes - 1).max(2) };
                let point = draws.index(points);
                let [one, other] = if draws.happens(0.5) { [one, other] } else { [other, one] };
                one[..point].iter().chain(&other[point..]).cloned().collect()
            }
        }
    }
}

/// Settings of the algorithm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Genetic {
    /// Number of candidates that stay, with their games and points.
    pub(super) kept: usize,
    /// Probability that a child is changed.
    pub(super) mutation_rate: f64,
    pub(super) crossover: Crossover,
    pub(super) mutation: Mutation,
}

/// Unordered pairs of `count`, the best first.
fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> + Clone {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
}

impl Genetic {
    /// The best stay, and fill up the population with children of their pairs in turn.
    pub(super) fn next(
        &self,
        space: &Space,
        population: usize,
        closed: &Closed<'_>,
        draws: &mut TrialRng,
    ) -> Vec<Member> {
        let kept = &ranking(closed.candidates, Candidate::takes_more)[..self.kept];
        let children = population - kept.len();
        let parents: Vec<Vec<usize>> = if self.crossover == Crossover::None {
            kept.iter().map(|&parent| vec![parent]).cycle().take(children).collect()
        } else {
            pairs(kept.len()).map(|pair| pair.map(|parent| kept[parent]).to_vec()).cycle().take(children).collect()
        };
        let mut next: Vec<Member> = kept.iter().map(|&parent| Member::Stays(parent)).collect();
        next.extend(parents.into_iter().map(|parents| self.child(space, closed.candidates, parents, draws)));
        next
    }

    fn child(&self, space: &Space, candidates: &[Candidate], parents: Vec<usize>, draws: &mut TrialRng) -> Member {
        let values = |parent: usize| &candidates[parent].values;
        let (mut child, how) = match parents[..] {
            [one, other] => (self.crossover.cross([values(one), values(other)], draws), self.crossover.name()),
            _ => (values(parents[0]).clone(), "copy"),
        };
        let mut made = vec![how.to_owned()];
        if draws.happens(self.mutation_rate) {
            made.push(self.mutation.change_one(space, &mut child, draws));
        }
        Member::New { values: child, parents, made }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use games::Seed;
    use spec::Value;

    use super::*;

    fn draws() -> TrialRng {
        TrialRng(Seed::derive(8, 0, 0, "test").rng())
    }

    /// How often each child comes of parents `000…` and `111…`.
    fn children(crossover: Crossover, genes: usize) -> BTreeMap<String, u32> {
        let parent = |gene| vec![Value::Int(gene); genes];
        let (one, other) = (parent(0), parent(1));
        let mut draws = draws();
        let mut found = BTreeMap::new();
        for _ in 0..8_000 {
            let child = crossover.cross([&one, &other], &mut draws);
            *found.entry(child.iter().map(ToString::to_string).collect::<String>()).or_default() += 1;
        }
        found
    }

    /// The children that can be, all as likely.
    #[track_caller]
    fn check(crossover: Crossover, genes: usize, expected: &[&str]) {
        let found = children(crossover, genes);
        assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), expected);
        let share = 8_000 / expected.len() as u32;
        assert!(found.values().all(|&count| count.abs_diff(share) < 300), "{found:?}");
    }

    /// docs/papers/checkers.md, "The genetic algorithm": a point from {0, 1} for three genes, those before it from one
    /// parent, the rest from the other, in either order.
    #[test]
    fn a_single_point_is_the_report_s() {
        check(Crossover::SinglePoint, 3, &["000", "011", "100", "111"]);
        check(Crossover::SinglePoint, 2, &["00", "01", "10", "11"]);
        check(Crossover::SinglePoint, 1, &["0", "1"]);
        check(Crossover::SinglePoint, 4, &["0000", "0011", "0111", "1000", "1100", "1111"]);
    }

    #[test]
    fn other_crossovers() {
        check(Crossover::Uniform, 2, &["00", "01", "10", "11"]);
        check(Crossover::None, 3, &["000"]);
    }

    #[test]
    fn pairs_are_unordered_and_distinct() {
        assert_eq!(pairs(3).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(pairs(1).count(), 0);
    }
}
