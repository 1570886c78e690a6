//! Samples and games by a seed, and how often something holds of them.

use analysis::statistics::moments::Moments;
use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng as _, SeedableRng as _},
};

/// Repetitions of a row unless `REDQUEEN_CALIBRATION` says how many.
const REPETITIONS: u32 = 400;

/// A stream of chance.
pub(crate) struct Chance(Xoshiro256PlusPlus);

impl Chance {
    pub(crate) fn of(seed: u64) -> Self {
        Chance(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// From 0 to 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// By Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let (radius, turn) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), self.uniform());
        radius * (std::f64::consts::TAU * turn).cos()
    }

    pub(crate) fn sample(&mut self, n: usize, mut value: impl FnMut(&mut Self) -> f64) -> Vec<f64> {
        (0..n).map(|_| value(self)).collect()
    }
}

/// What the two games of a unit have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Luck {
    /// Nothing.
    Apart,
    /// All: they end alike.
    Same,
    /// One side's luck is the other's after seats are swapped: they end as differently as they can.
    Turned,
}

/// Games of one pair of players.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Games {
    /// Mean share of the points.
    pub(crate) share: f64,
    /// Share of drawn games among those that can be drawn without moving the mean.
    pub(crate) drawn: f64,
    pub(crate) luck: Luck,
}

impl Games {
    /// Shares of so many units.
    pub(crate) fn units(&self, chance: &mut Chance, n: usize) -> Vec<f64> {
        let draw = 2.0 * self.drawn * self.share.min(1.0 - self.share);
        let points = |at: f64| match at {
            at if at < self.share - 0.5 * draw => 1.0,
            at if at < self.share + 0.5 * draw => 0.5,
            _ => 0.0,
        };
        let mut unit = || {
            let first = chance.uniform();
            let second = match self.luck {
                Luck::Apart => chance.uniform(),
                Luck::Same => first,
                Luck::Turned => 1.0 - first,
            };
            0.5 * (points(first) + points(second))
        };
        (0..n).map(|_| unit()).collect()
    }

    pub(crate) fn moments(&self, chance: &mut Chance, n: usize) -> Moments {
        Moments::of(&self.units(chance, n))
    }
}

/// How often `holds` says yes of those repetitions of which it says anything, with a row for people:
/// what, n, how often nothing, how often it held.
pub(crate) fn rate(what: &str, n: &str, mut holds: impl FnMut(&mut Chance) -> Vec<bool>) -> Rate {
    let asked = std::env::var("REDQUEEN_CALIBRATION").ok().and_then(|text| text.parse().ok());
    let repetitions: u32 = asked.unwrap_or(REPETITIONS);
    // A stream a row, so that a row that is added changes no other.
    let seed = what.bytes().chain(n.bytes()).fold(7u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
    let mut chance = Chance::of(seed);
    let (mut yes, mut all, mut none) = (0u32, 0u32, 0u32);
    for _ in 0..repetitions {
        let found = holds(&mut chance);
        none += u32::from(found.is_empty());
        all += found.len() as u32;
        yes += found.iter().filter(|held| **held).count() as u32;
    }
    let rate = f64::from(yes) / f64::from(all.max(1));
    let none = f64::from(none) / f64::from(repetitions);
    println!("| {what} | {n} | {:.1} % | {:.1} % |", 100.0 * rate, 100.0 * none);
    Rate { what: format!("{what}, {n}"), rate, repetitions: repetitions.min(all.max(1)), said: all > 0 }
}

/// How often something held.
pub(crate) struct Rate {
    what: String,
    rate: f64,
    repetitions: u32,
    said: bool,
}

impl Rate {
    /// Four standard errors of the rate itself.
    fn room(&self, nominal: f64) -> f64 {
        4.0 * (nominal * (1.0 - nominal) / f64::from(self.repetitions)).sqrt()
    }

    #[track_caller]
    pub(crate) fn at_least(self, least: f64) {
        assert!(self.said && self.rate >= least - self.room(least), "{}: {:.3} is below {least}", self.what, self.rate);
    }

    #[track_caller]
    pub(crate) fn at_most(self, most: f64) {
        assert!(self.said && self.rate <= most + self.room(most), "{}: {:.3} is above {most}", self.what, self.rate);
    }
}

pub(crate) fn holds((low, high): (f64, f64), truth: f64) -> bool {
    low <= truth && truth <= high
}
