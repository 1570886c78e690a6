//! Whether a figure of ours is the printed one but for chance and rounding.

use crate::{
    Cell, Table,
    papers::{Printed, Spread},
    statistics::{CONFIDENCE, fisher, moments::Moments, tails},
};

/// Verdicts on a figure.
pub(super) const INSIDE: &str = "inside";
pub(super) const OUTSIDE: &str = "outside";
/// Verdicts on whether a pair differs.
pub(super) const AGREE: &str = "agree";
pub(super) const DIFFER: &str = "differ";
/// The verdict of a row that has nothing of ours.
pub(super) const NOT_HERE: &str = "not in this run";

/// A difference, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    difference: f64,
    /// Standard error of the difference.
    error: f64,
    allowed: f64,
    /// Fisher's p where both are counts, which decides then.
    p: Option<f64>,
}

impl Judged {
    /// A difference with its standard error and the rounding of the printed figure.
    pub(super) fn new(difference: f64, error: f64, rounding: f64) -> Self {
        Judged { difference, error, allowed: quantile() * error + rounding, p: None }
    }

    /// Our mean beside a printed one; `None` without runs or games of ours.
    pub(super) fn of(printed: &Printed, ours: &Moments) -> Option<Self> {
        let mean = ours.mean()?;
        let from = match printed.spread {
            Spread::Range(low, high) => mean.clamp(low, high),
            _ => printed.mean,
        };
        Some(Judged::new(mean - from, error(printed, ours), printed.rounding))
    }

    /// The same over games, of which shares are counts, judged by Fisher's exact test.
    pub(super) fn of_games(printed: &Printed, ours: &Moments) -> Option<Self> {
        Some(Judged { p: exact(printed, ours), ..Judged::of(printed, ours)? })
    }

    pub(super) fn is_inside(&self) -> bool {
        match self.p {
            Some(p) => p >= 1.0 - CONFIDENCE,
            // A difference that is the rounding to the last bit is inside.
            None => self.difference.abs() <= self.allowed * (1.0 + 1e-9),
        }
    }

    /// Fisher's p where both are counts.
    pub(super) fn p(&self) -> Cell {
        Cell::probability(self.p)
    }

    pub(super) fn verdict(&self) -> &'static str {
        if self.is_inside() { INSIDE } else { OUTSIDE }
    }

    /// Difference, what is allowed, the difference in errors.
    pub(super) fn cells(&self) -> [Cell; 3] {
        let in_errors = (self.error > 0.0).then(|| self.difference / self.error);
        [Cell::real(self.difference, 4), Cell::real(self.allowed, 4), Cell::real(in_errors, 1)]
    }
}

/// How many standard errors are allowed.
pub(super) fn quantile() -> f64 {
    tails::normal_quantile(0.5 + 0.5 * CONFIDENCE)
}

/// Standard error of the difference between the printed mean and ours.
fn error(printed: &Printed, ours: &Moments) -> f64 {
    let own = ours.deviation().unwrap_or(0.0);
    let theirs = match printed.spread {
        Spread::Runs(0.0, rounding) => own.min(rounding),
        Spread::Runs(sd, _) => sd,
        Spread::Unknown => own,
        Spread::Share => (printed.mean * (1.0 - printed.mean)).max(0.0).sqrt(),
        Spread::Range(..) => own,
    };
    // A single run says nothing of its spread: then as if it were the paper's.
    let own = if ours.n > 1 { own } else { theirs };
    (own * own / ours.n as f64 + theirs * theirs / printed.n as f64).sqrt()
}

/// Fisher's exact p of two shares of games or runs, where both come of whole counts.
fn exact(printed: &Printed, ours: &Moments) -> Option<f64> {
    if !matches!(printed.spread, Spread::Share) {
        return None;
    }
    let whole = |share: f64, of: u64| {
        let count = share * of as f64;
        ((count - count.round()).abs() < 1e-6).then_some(count.round() as u64)
    };
    fisher::test([whole(ours.mean()?, ours.n)?, whole(printed.mean, printed.n)?], [ours.n, printed.n]).ok()
}

/// Digits of a figure for people.
pub(super) fn digits(printed: &Printed) -> usize {
    if printed.rounding < 0.001 { 3 } else { 2 }
}

/// Ours: mean and deviation; of a share the mean, since its deviation says nothing more.
pub(super) fn ours(printed: &Printed, ours: Moments) -> Cell {
    match printed.spread {
        Spread::Share => Cell::real(ours.mean(), digits(printed)),
        Spread::Runs(..) | Spread::Unknown | Spread::Range(..) => Cell::spread(Some(ours), digits(printed)),
    }
}

/// The paper's: its mean and deviation, and the range, of which it has one or the other.
pub(super) fn paper(printed: &Printed) -> [Cell; 2] {
    let digits = digits(printed);
    match printed.spread {
        Spread::Runs(sd, _) => [Cell::Spread(printed.mean, Some(sd), digits.into()), Cell::Missing],
        Spread::Unknown | Spread::Share => [Cell::real(printed.mean, digits), Cell::Missing],
        Spread::Range(low, high) => [Cell::Missing, Cell::interval(Some((low, high)), digits)],
    }
}

/// The last column.
pub(super) fn verdicts(table: &Table) -> impl Iterator<Item = &str> {
    table.rows.iter().filter_map(|row| match row.last() {
        Some(Cell::Text(verdict)) => Some(verdict.as_str()),
        _ => None,
    })
}

/// How many cells were compared, are outside, and would be by chance alone, as a sentence.
pub(super) fn counted(table: &Table) -> String {
    let count = |wanted: &str| verdicts(table).filter(|verdict| *verdict == wanted).count();
    let (outside, compared) = (count(OUTSIDE), count(INSIDE) + count(OUTSIDE));
    let by_chance = compared as f64 * (1.0 - CONFIDENCE);
    format!(
        "Of {compared} figures compared {outside} are outside, and {by_chance:.1} are expected there by chance alone."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(mean: f64, spread: Spread) -> Printed {
        Printed { mean, spread, n: 100, rounding: 0.005 }
    }

    #[test]
    fn errors_by_hand() {
        // Four runs with deviation 2.
        let ours = Moments::of_parts(4, 5.0, 12.0);
        let check = |spread, wanted: f64| {
            let found = error(&printed(0.2, spread), &ours);
            assert!((found - wanted).abs() < 1e-15, "{spread:?}: {found} is not {wanted}");
        };
        check(Spread::Runs(3.0, 0.005), (1.0f64 + 0.09).sqrt());
        check(Spread::Unknown, (1.0f64 + 0.04).sqrt());
        check(Spread::Share, (1.0f64 + 0.0016).sqrt());
        check(Spread::Range(0.1, 0.3), (1.0f64 + 0.04).sqrt());
        // Printed as 0 it may be anything that rounding hides.
        check(Spread::Runs(0.0, 0.005), (1.0 + 0.005f64 * 0.005 / 100.0).sqrt());
        check(Spread::Runs(0.0, 50.0), (1.0f64 + 0.04).sqrt());
        // A run alone: as if it spread like the paper's.
        let alone = error(&printed(0.2, Spread::Runs(3.0, 0.005)), &Moments::of(&[5.0]));
        assert!((alone - (9.0f64 + 0.09).sqrt()).abs() < 1e-15);
    }

    /// (ours of 50, printed of 50, p by SciPy's `fisher_exact`, verdict), and shares that are no counts, where errors decide.
    #[test]
    fn counts_are_inside_by_fisher_s_test() {
        let share = |count: u64, n: u64| Moments::of_sums(n, count.into(), count.into());
        for (ours, theirs, p, wanted) in [
            (43, 50, 0.012_480, OUTSIDE),
            (44, 50, 0.026_661, OUTSIDE),
            (45, 50, 0.056_284, INSIDE),
            (50, 50, 1.0, INSIDE),
        ] {
            let printed = Printed { mean: f64::from(theirs) / 50.0, spread: Spread::Share, n: 50, rounding: 0.0 };
            let judged = Judged::of_games(&printed, &share(ours, 50)).expect("games");
            let found = judged.p.expect("counts");
            assert!((found - p).abs() < 1e-5, "{found} is not {p}");
            assert_eq!(judged.verdict(), wanted, "{ours} of 50 and {theirs}");
        }
        let printed = Printed { mean: 0.333, spread: Spread::Share, n: 100, rounding: 0.0005 };
        let judged = Judged::of_games(&printed, &share(20, 50)).expect("games");
        assert_eq!((judged.p, judged.verdict()), (None, INSIDE));
    }

    /// From a range a mean is as far off as from its nearer end.
    #[test]
    fn a_range_is_met_anywhere_inside() {
        let ours = |mean: f64| Moments::of_parts(100, mean, 99.0);
        // Deviation 1 and 100 runs on both sides: an error of sqrt(0.02), of which 1.96 are 0.277.
        let found = [0.0, 0.8, 1.2, 1.75, 2.2, 2.3].map(|mean| {
            Judged::of(&Printed { mean: 1.5, spread: Spread::Range(1.0, 2.0), n: 100, rounding: 0.005 }, &ours(mean))
                .expect("runs")
        });
        assert_eq!(found.map(|judged| judged.is_inside()), [false, true, true, true, true, false]);
        assert_eq!(found[3].difference, 0.0);
        assert!((found[0].difference + 1.0).abs() < 1e-15 && (found[4].difference - 0.2).abs() < 1e-15);
    }
}
