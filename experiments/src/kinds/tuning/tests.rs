//! Every operator keeps to the bounds of every space.

use games::Seed;
use players::TrialRng;
use proptest::prelude::*;
use spec::Value;

use super::{
    algorithm::{Algorithm, Closed, Member, fresh},
    candidates::Candidate,
    differential::DifferentialEvolution,
    genetic::{Crossover, Genetic},
    mutation::Mutation,
    space::{Domain, Parameter, Scale, Space},
};

/// The greatest bounds that a file may name.
const WHOLE_MAX: i64 = 1 << 53;
const REAL_MAX: f64 = 1e15;

/// A whole number at an edge or anywhere.
fn whole() -> impl Strategy<Value = i64> {
    prop_oneof![
        prop::sample::select(vec![-WHOLE_MAX, 1 - WHOLE_MAX, -3, -1, 0, 1, 2, 7, WHOLE_MAX - 1, WHOLE_MAX]),
        -20i64..20,
        -WHOLE_MAX..=WHOLE_MAX,
    ]
}

/// A number at an edge or of any order.
fn real() -> impl Strategy<Value = f64> {
    let edges = vec![0.0, -0.0, 5e-324, -5e-324, 2.3e-308, f64::MIN_POSITIVE, 1.0, -1.0, REAL_MAX, -REAL_MAX];
    prop_oneof![
        prop::sample::select(edges),
        -10.0..10.0f64,
        (any::<bool>(), -1074i32..50).prop_map(|(negative, order)| {
            let size = libm::exp(f64::from(order) * std::f64::consts::LN_2).max(5e-324);
            if negative { -size } else { size }
        }),
    ]
}

/// Two numbers, the lesser first; `near`: next to one another.
fn reals() -> impl Strategy<Value = (f64, f64)> {
    (real(), real(), any::<bool>()).prop_map(|(a, b, near)| {
        let (low, high) = (a.min(b), a.max(b));
        if near || low == high {
            (low.min(REAL_MAX.next_down()), low.min(REAL_MAX.next_down()).next_up())
        } else {
            (low, high)
        }
    })
}

fn domain() -> impl Strategy<Value = Domain> {
    let scale = |log: bool, fits: bool| if log && fits { Scale::Log } else { Scale::Linear };
    let categories =
        vec![Value::Bool(true), Value::Bool(false), Value::Int(-3), Value::Real(0.5), Value::Text("x".into())];
    prop_oneof![
        (whole(), whole(), any::<bool>(), any::<bool>()).prop_map(move |(a, b, near, log)| {
            let min = a.min(b).min(WHOLE_MAX - 1);
            let max = if near { min + 1 } else { a.max(b).max(min + 1) };
            Domain::Integer { min, max, scale: scale(log, min >= 1) }
        }),
        (reals(), any::<bool>()).prop_map(move |((min, max), log)| Domain::Real {
            min,
            max,
            scale: scale(log, min > 0.0)
        }),
        prop::sample::subsequence(categories, 2..=5).prop_map(|values| Domain::Category { values }),
    ]
}

fn space() -> impl Strategy<Value = Space> {
    prop::collection::vec(domain(), 1..5).prop_map(|domains| {
        let parameter = |(i, domain)| Parameter { name: format!("p{i}"), domain };
        let parameters = domains.into_iter().enumerate().map(parameter).collect();
        Space { player: "random".parse().expect("a player"), parameters }
    })
}

fn algorithms() -> Vec<Algorithm> {
    let mut all = vec![Algorithm::SuccessiveHalving, Algorithm::Random];
    for (weight, rate) in [(0.5, 0.9), (2.0, 1.0), (0.0, 0.0)] {
        all.push(Algorithm::DifferentialEvolution(DifferentialEvolution { weight, rate }));
    }
    for (_, crossover) in Crossover::NAMES {
        for (_, mutation) in Mutation::NAMES {
            all.push(Algorithm::Genetic(Genetic { kept: 2, mutation_rate: 1.0, crossover, mutation }));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_place_of_a_range_is_within_its_bounds(domain in domain(), seed: u64) {
        let mut draws = TrialRng(Seed::derive(seed, 0, 0, "test").rng());
        if !matches!(domain, Domain::Category { .. }) {
            for place in [0.0, 5e-324, 1e-17, 0.25, 0.5, 1.0 - f64::EPSILON, 1.0] {
                prop_assert!(domain.contains(&domain.at(place)), "{domain:?} at {place}");
            }
        }
        let mut value = domain.draw(&mut draws);
        for step in 0..60 {
            prop_assert!(domain.contains(&value), "{domain:?}: {value:?} after {step} changes");
            if let Some(place) = domain.place(&value) {
                prop_assert!((0.0..=1.0).contains(&place), "{domain:?}: {value:?} stands at {place}");
            }
            let (_, mutation) = Mutation::NAMES[step % 3];
            value = mutation.apply(&domain, &value, &mut draws);
        }
    }

    #[test]
    fn every_algorithm_makes_candidates_of_the_space(space in space(), seed: u64) {
        const POPULATION: usize = 6;
        for algorithm in algorithms() {
            let mut draws = TrialRng(Seed::derive(seed, 0, 0, "test").rng());
            let mut candidates: Vec<Candidate> = Vec::new();
            let mut next = fresh(&space, POPULATION, &mut draws);
            for generation in 0..6u32 {
                candidates = next.into_iter().zip(0..).map(|(member, id)| match member {
                    Member::Stays(index) => candidates[index].clone(),
                    Member::New { values, parents, made } => {
                        assert!(space.contains(&values), "{algorithm:?} in {space:?}: {values:?}");
                        let parents = parents.into_iter().map(|parent| parent as u64).collect();
                        Candidate { id, values, games: 2, points: f64::from((id as u32 * 7 + generation) % 5) / 2.0, parents, made }
                    }
                }).collect();
                let gained: Vec<(u64, f64)> = candidates.iter().map(|candidate| (2, candidate.points)).collect();
                let closed = Closed { generation, candidates: &candidates, gained: &gained };
                next = algorithm.next(&space, POPULATION, &closed, &mut draws);
            }
        }
    }
}
