//! Changing one parameter of a candidate: as the student project did (docs/papers/checkers.md), and two standard ways.

use gp::Random as _;
use players::TrialRng;
use spec::Value;

use super::space::{Domain, Space, Values};

/// Standard deviation of a gaussian step, as a share of the range.
const STEP: f64 = 0.1;
/// Bits of a number's place in its range, for flips.
const BITS: u32 = 16;

/// How a parameter is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutation {
    /// As in the Checkers project: a whole number goes up by one, and is halved at its maximum; of a number's place in
    /// its range, as 16 bits, one is flipped, but not the last.
    SingleGene,
    /// A step of a tenth of the range, normally distributed.
    Gaussian,
    /// Drawn anew.
    Reset,
}

impl Mutation {
    /// Name in files, and mutation.
    pub(super) const NAMES: [(&str, Mutation); 3] =
        [("single-gene", Mutation::SingleGene), ("gaussian", Mutation::Gaussian), ("reset", Mutation::Reset)];

    /// Its name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mutation::SingleGene => "single-gene",
            Mutation::Gaussian => "gaussian",
            Mutation::Reset => "reset",
        }
    }

    /// The value after a change. Categories, which the Checkers project does not have, become another.
    pub(super) fn apply(self, domain: &Domain, value: &Value, draws: &mut TrialRng) -> Value {
        match (self, domain, value) {
            (_, Domain::Category { values }, _) => another(values, value, draws),
            (Mutation::Reset, ..) => domain.draw(draws),
            (Mutation::Gaussian, ..) => gaussian(domain, value, draws),
            (Mutation::SingleGene, Domain::Integer { min, max, .. }, Value::Int(value)) => {
                Value::Int(if value < max { value + 1 } else { halved(*min, *max) })
            }
            (Mutation::SingleGene, ..) => flipped(domain, value, draws),
        }
    }

    /// Its name in what made a candidate. Candidates are artifacts, so it is that of version 0.1.0.
    fn stored_name(self) -> &'static str {
        match self {
            Mutation::SingleGene => "report",
            _ => self.name(),
        }
    }

    /// Changes one of the values, each as likely as another; gives what it did, for people.
    pub(super) fn change_one(self, space: &Space, values: &mut Values, draws: &mut TrialRng) -> String {
        let index = draws.index(values.len());
        let parameter = &space.parameters[index];
        values[index] = self.apply(&parameter.domain, &values[index], draws);
        format!("{} of {}", self.stored_name(), parameter.name)
    }
}

/// Value that replaces a whole number at its maximum. Half of a number that is not above 0 is not less: then it is the
/// middle of the range.
fn halved(min: i64, max: i64) -> i64 {
    let half = (max / 2).max(min);
    // Bounds are within 2^53.
    if half < max { half } else { min + (max - min) / 2 }
}

/// Any of the other values.
fn another(values: &[Value], value: &Value, draws: &mut TrialRng) -> Value {
    let others: Vec<&Value> = values.iter().filter(|other| *other != value).collect();
    others[draws.index(others.len())].clone()
}

/// A place that left its range comes back in, as from a mirror at its end.
pub(super) fn reflected(place: f64) -> f64 {
    let folded = place.rem_euclid(2.0);
    if folded > 1.0 { 2.0 - folded } else { folded }
}

fn gaussian(domain: &Domain, value: &Value, draws: &mut TrialRng) -> Value {
    let place = domain.place(value).expect("a number of the range");
    let step = STEP * draws.normal();
    let moved = domain.at(reflected(place + step));
    // In a short range most steps end in the cell of the same whole number; it goes on to the next one.
    match (domain, &moved) {
        (Domain::Integer { min, max, .. }, Value::Int(same)) if moved == *value => {
            let up = if step < 0.0 { same == min } else { same < max };
            Value::Int(if up { same + 1 } else { same - 1 })
        }
        _ => moved,
    }
}

fn flipped(domain: &Domain, value: &Value, draws: &mut TrialRng) -> Value {
    let whole = f64::from((1u32 << BITS) - 1);
    // Within 0 and 65,535: casting loses nothing.
    let bits = (domain.place(value).expect("a number of the range") * whole).round() as u32;
    let bit = 1 + draws.below(BITS - 1);
    domain.at(f64::from(bits ^ (1 << bit)) / whole)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use games::Seed;

    use super::{super::space::Scale, *};

    fn draws(index: u64) -> TrialRng {
        TrialRng(Seed::derive(5, 0, index, "test").rng())
    }

    fn integer(min: i64, max: i64) -> Domain {
        Domain::Integer { min, max, scale: Scale::Linear }
    }

    fn real(min: f64, max: f64, scale: Scale) -> Domain {
        Domain::Real { min, max, scale }
    }

    /// The Checkers project: a whole number goes up by one and is halved at its maximum, here from 5 to 10 as there and
    /// over other ranges.
    #[test]
    fn the_report_raises_whole_numbers_and_halves_them_at_the_maximum() {
        for (min, max, value, expected) in [
            (5, 10, 5, 6),
            (5, 10, 9, 10),
            (5, 10, 10, 5),
            (50, 2000, 2000, 1000),
            (8, 10, 10, 8),
            (1, 7, 7, 3),
            (-3, 2, 2, 1),
            (-5, -2, -2, -4),
            (-1, 0, 0, -1),
            (-9, 0, 0, -5),
        ] {
            let found = Mutation::SingleGene.apply(&integer(min, max), &Value::Int(value), &mut draws(0));
            assert_eq!(found, Value::Int(expected), "{value} of {min} to {max}");
        }
    }

    /// The 15 numbers that one flipped bit gives, computed in Python from the place round(65535 (x - min) / (max -
    /// min)).
    #[track_caller]
    fn check_flips(domain: &Domain, value: f64, places: [u32; 15]) {
        let mut found = BTreeSet::new();
        let mut draws = draws(1);
        for _ in 0..400 {
            let flipped = Mutation::SingleGene.apply(domain, &Value::Real(value), &mut draws);
            let Value::Real(number) = flipped else { panic!("{flipped:?}") };
            let place = domain.place(&Value::Real(number)).expect("a number of the range") * 65_535.0;
            assert!((place - place.round()).abs() < 1e-6, "{number} is not a flip of {value}");
            found.insert(place.round() as u32);
        }
        assert_eq!(found, BTreeSet::from(places));
    }

    #[test]
    fn the_report_flips_any_bit_of_a_fraction_but_the_last() {
        let of_a_quarter =
            [16386, 16388, 16392, 16400, 16416, 16448, 16512, 16640, 16896, 17408, 18432, 20480, 24576, 0, 49152];
        check_flips(&real(0.0, 4.0, Scale::Linear), 1.0, of_a_quarter);
        // 10^0 is a quarter of the way from 10^-1 to 10^3.
        check_flips(&real(0.1, 1000.0, Scale::Log), 1.0, of_a_quarter);
        check_flips(
            &real(0.0, 1.0, Scale::Linear),
            0.3,
            [19663, 19657, 19653, 19677, 19693, 19597, 19533, 19917, 20173, 18637, 17613, 23757, 27853, 3277, 52429],
        );
    }

    #[test]
    fn gaussian_steps_are_a_tenth_of_the_range() {
        for (domain, value) in [
            (real(0.0, 10.0, Scale::Linear), Value::Real(5.0)),
            (real(0.01, 100.0, Scale::Log), Value::Real(1.0)),
            (integer(0, 10_000), Value::Int(5_000)),
        ] {
            let mut draws = draws(2);
            let mut step = || {
                let moved = Mutation::Gaussian.apply(&domain, &value, &mut draws);
                domain.place(&moved).expect("a number") - domain.place(&value).expect("a number")
            };
            let steps: Vec<f64> = (0..20_000).map(|_| step()).collect();
            let mean = steps.iter().sum::<f64>() / 20_000.0;
            let deviation = (steps.iter().map(|step| step * step).sum::<f64>() / 20_000.0).sqrt();
            assert!(mean.abs() < 0.003 && (deviation - 0.1).abs() < 0.003, "{mean} {deviation}");
        }
    }

    #[test]
    fn a_gaussian_step_always_moves_a_whole_number() {
        let mut draws = draws(3);
        for value in 1..=3 {
            for _ in 0..200 {
                let moved = Mutation::Gaussian.apply(&integer(1, 3), &Value::Int(value), &mut draws);
                assert!(matches!(moved, Value::Int(moved) if moved != value && (1..=3).contains(&moved)), "{moved:?}");
            }
        }
    }

    #[test]
    fn a_category_becomes_any_other() {
        let values: Vec<Value> = ["a", "b", "c"].map(|text| Value::Text(text.to_owned())).to_vec();
        let domain = Domain::Category { values: values.clone() };
        for (_, mutation) in Mutation::NAMES {
            let mut draws = draws(4);
            let changed: BTreeSet<String> =
                (0..60).map(|_| mutation.apply(&domain, &values[1], &mut draws).to_string()).collect();
            assert_eq!(changed, BTreeSet::from(["a".to_owned(), "c".to_owned()]), "{mutation:?}");
        }
    }

    #[test]
    fn places_come_back_from_both_ends() {
        for (place, expected) in [(0.25, 0.25), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (-1.25, 0.75)] {
            assert!((reflected(place) - expected).abs() < 1e-12, "{place}");
        }
    }
}
