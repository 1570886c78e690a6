//! Differential evolution, rand/1/bin (Storn and Price 1997, section 2).
//!
//! Code of our own, since no crate can be stopped between two generations: `differential-evolution` (0.2), `basin`
//! (3.2) and `metaheuristics-nature` (10) call a function for each candidate's cost; `fcmaes-core` (0.2) has ask and
//! tell, but another variant, state that cannot be stored, and the platform's libm. The same holds for CMA-ES in
//! `cmaes` (0.2), `basin` and `fcmaes-core`, and `haru_cmaes` (2.0) draws from a generator of the thread: so there is
//! none here.

use gp::Random as _;
use players::TrialRng;
use spec::Value;

use super::{
    algorithm::{Closed, Member},
    candidates::Candidate,
    mutation::reflected,
    space::{Domain, Space, Values},
};

/// Candidates that three donors and a target need.
pub(super) const POPULATION_MIN: usize = 4;

/// Settings of the algorithm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DifferentialEvolution {
    /// F: how much of the difference of two donors is added to the third.
    pub(super) weight: f64,
    /// CR: probability that a parameter is taken from the donors.
    pub(super) rate: f64,
}

impl DifferentialEvolution {
    /// After the first generation, a population; then targets, and behind them a trial for each. Target and trial play
    /// the same opponents in the same generation, and the points of that generation alone decide: both are measured
    /// equally well, whatever points the target had before. A tie keeps the target, as there.
    pub(super) fn next(
        &self,
        space: &Space,
        population: usize,
        closed: &Closed<'_>,
        draws: &mut TrialRng,
    ) -> Vec<Member> {
        let share = |index: usize| match closed.gained[index] {
            (0, _) => 0.0,
            (games, points) => points / games as f64,
        };
        let better = |target: usize| match closed.generation {
            0 => target,
            _ if share(population + target) > share(target) => population + target,
            _ => target,
        };
        let targets: Vec<usize> = (0..population).map(better).collect();
        let trials: Vec<Member> =
            (0..population).map(|target| self.trial(space, closed.candidates, &targets, target, draws)).collect();
        targets.into_iter().map(Member::Stays).chain(trials).collect()
    }

    fn trial(
        &self,
        space: &Space,
        candidates: &[Candidate],
        targets: &[usize],
        target: usize,
        draws: &mut TrialRng,
    ) -> Member {
        let mut parents = vec![target];
        while parents.len() < POPULATION_MIN {
            let donor = draws.index(targets.len());
            if !parents.contains(&donor) {
                parents.push(donor);
            }
        }
        let parents: Vec<usize> = parents.into_iter().map(|parent| targets[parent]).collect();
        let values = |parent: usize| &candidates[parents[parent]].values;
        // At least one parameter comes from the donors.
        let always = draws.index(space.parameters.len());
        let crossed = space.parameters.iter().enumerate().map(|(i, parameter)| {
            let taken = draws.happens(self.rate) || i == always;
            if taken {
                self.mutant(&parameter.domain, [1, 2, 3].map(|donor| &values(donor)[i]), draws)
            } else {
                values(0)[i].clone()
            }
        });
        let crossed: Values = crossed.collect();
        Member::New { values: crossed, parents, made: vec!["difference".to_owned()] }
    }

    /// The first donor's value and the weighted difference of the two others, on the scale of the range. Categories
    /// have no difference: where the two disagree, the weight is the probability of the second donor's value.
    fn mutant(&self, domain: &Domain, [base, plus, minus]: [&Value; 3], draws: &mut TrialRng) -> Value {
        let places = [base, plus, minus].map(|value| domain.place(value));
        match places {
            [Some(base), Some(plus), Some(minus)] => domain.at(reflected(base + self.weight * (plus - minus))),
            _ if plus != minus && draws.happens(self.weight) => plus.clone(),
            _ => base.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use games::Seed;

    use super::{super::space::Scale, *};

    fn draws() -> TrialRng {
        TrialRng(Seed::derive(8, 0, 0, "test").rng())
    }

    /// By hand: r1 + F (r2 - r3) with F = 0.5, on the scale of the range.
    #[test]
    fn mutants_are_differences() {
        let evolution = DifferentialEvolution { weight: 0.5, rate: 0.9 };
        let linear = Domain::Real { min: 0.0, max: 10.0, scale: Scale::Linear };
        let log = Domain::Real { min: 0.01, max: 100.0, scale: Scale::Log };
        for (domain, donors, expected) in [
            (&linear, [2.0, 8.0, 4.0], 4.0),
            (&linear, [9.0, 8.0, 2.0], 8.0), // 12 comes back from 10
            (&linear, [1.0, 2.0, 8.0], 2.0), // -2 comes back from 0
            (&log, [1.0, 10.0, 0.1], 10.0),
        ] {
            let donors = donors.map(Value::Real);
            let Value::Real(found) = evolution.mutant(domain, [&donors[0], &donors[1], &donors[2]], &mut draws())
            else {
                panic!("a number")
            };
            assert!((found - expected).abs() < 1e-9, "{donors:?}: {found}");
        }
        let whole = Domain::Integer { min: 0, max: 100, scale: Scale::Linear };
        let donors = [20, 71, 40].map(Value::Int);
        let found = evolution.mutant(&whole, [&donors[0], &donors[1], &donors[2]], &mut draws());
        assert!(matches!(found, Value::Int(35 | 36)), "20 + 15.5: {found}");
    }

    #[test]
    fn categories_follow_the_second_donor_with_the_weight() {
        let evolution = DifferentialEvolution { weight: 0.25, rate: 0.9 };
        let [a, b, c] = ["a", "b", "c"].map(|text| Value::Text(text.to_owned()));
        let domain = Domain::Category { values: vec![a.clone(), b.clone(), c.clone()] };
        let mut draws = draws();
        let mut second =
            |third: &Value| (0..4_000).filter(|_| evolution.mutant(&domain, [&a, &b, third], &mut draws) == b).count();
        assert_eq!(second(&b), 0, "no difference");
        assert!(second(&c).abs_diff(1_000) < 120);
    }
}
