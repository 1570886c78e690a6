//! Effect sizes and the words for them.

use super::{
    Reason, mann_whitney,
    moments::{Moments, common},
    tails,
};

/// How large an effect is, in the words of those who proposed its measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Magnitude {
    /// As good as none.
    Negligible,
    /// Small.
    Small,
    /// Medium.
    Medium,
    /// Large.
    Large,
}

impl Magnitude {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Magnitude::Negligible => "negligible",
            Magnitude::Small => "small",
            Magnitude::Medium => "medium",
            Magnitude::Large => "large",
        }
    }

    /// Magnitude of A12: small from 0.56 on, medium from 0.64, large from 0.71, and as far on the other side of 0.5 (Vargha and
    /// Delaney 2000, section 5).
    pub fn of_a12(a12: f64) -> Self {
        // The far side of 0.5 turned over, not the distance from it: 0.56 - 0.5 is less than 0.06 in doubles.
        Magnitude::from(a12.max(1.0 - a12), [0.56, 0.64, 0.71])
    }

    /// Magnitude of Cliff's delta: small from 0.147 on, medium from 0.33, large from 0.474 (Romano, Kromrey, Coraggio and
    /// Skowronek 2006).
    pub fn of_cliffs_delta(delta: f64) -> Self {
        Magnitude::from(delta.abs(), [0.147, 0.33, 0.474])
    }

    /// Magnitude of Cohen's d or Hedges' g: small from 0.2 on, medium from 0.5, large from 0.8 (Cohen 1988, section 2.2.3).
    pub fn of_cohens_d(d: f64) -> Self {
        Magnitude::from(d.abs(), [0.2, 0.5, 0.8])
    }

    fn from(size: f64, [small, medium, large]: [f64; 3]) -> Self {
        match size {
            size if size >= large => Magnitude::Large,
            size if size >= medium => Magnitude::Medium,
            size if size >= small => Magnitude::Small,
            _ => Magnitude::Negligible,
        }
    }
}

/// Vargha and Delaney's A (2000): the chance that a value of `x` is above one of `y`, half of the ties counted; in [0,
/// 1].
///
/// # Errors
/// A sample is empty or has a value that is not a number.
pub fn a12(x: &[f64], y: &[f64]) -> Result<f64, Reason> {
    mann_whitney::Tally::of(x, y)?.a12()
}

/// Cliff's delta (1993): the chance of above minus the chance of below, 2 A - 1; in [-1, 1].
///
/// # Errors
/// A sample is empty or has a value that is not a number.
pub fn cliffs_delta(x: &[f64], y: &[f64]) -> Result<f64, Reason> {
    mann_whitney::Tally::of(x, y)?.cliffs_delta()
}

/// Cohen's d: the difference of the means in pooled deviations (Cohen 1988, section 2.2).
///
/// # Errors
/// Too few values for a pooled deviation, or none to be found.
pub fn cohens_d(x: &Moments, y: &Moments) -> Result<f64, Reason> {
    let (_, [x, y]) = common([x, y]);
    Ok(x.minus(&y) / x.own_pooled(&y)?)
}

/// Hedges' g (1981, equation 6e): d without its bias in small samples, by the exact factor.
///
/// # Errors
/// Those of [`cohens_d`].
pub fn hedges_g(x: &Moments, y: &Moments) -> Result<f64, Reason> {
    Ok(cohens_d(x, y)? * unbiased((x.n + y.n - 2) as f64))
}

/// Hedges' factor Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2)) of `m` degrees of freedom, 0 of a single one.
pub(super) fn unbiased(m: f64) -> f64 {
    if m <= 1.0 { 0.0 } else { tails::gamma_step(0.5 * (m - 1.0)) / (0.5 * m).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gamma(1) / Gamma(1/2) = 1 / sqrt(pi) at m = 2; Gamma(2) / (sqrt 2 Gamma(3/2)) = sqrt(2 / pi) at m = 4.
    #[test]
    fn correction_has_closed_forms() {
        let pi = std::f64::consts::PI;
        assert!((unbiased(2.0) - 1.0 / pi.sqrt()).abs() < 1e-15);
        assert!((unbiased(4.0) - (2.0 / pi).sqrt()).abs() < 1e-15);
        assert!((unbiased(1e6) - 1.0).abs() < 1e-6);
        assert_eq!(unbiased(1.0), 0.0);
    }

    /// 1, 3 and 4, 8 by hand: means 2 and 6, squares 2 and 8, two degrees: d = -4 / sqrt 5, g = d / sqrt pi.
    #[test]
    fn effects_by_hand() {
        let (x, y) = (Moments::of(&[1.0, 3.0]), Moments::of(&[4.0, 8.0]));
        assert!((cohens_d(&x, &y).expect("d") + 4.0 / 5f64.sqrt()).abs() < 1e-15);
        assert!((hedges_g(&x, &y).expect("g") + 4.0 / (5.0 * std::f64::consts::PI).sqrt()).abs() < 1e-15);
        // 1, 3 against 2, 4: one of four pairs is above; 1, 2 against 2, 3: half a pair.
        assert_eq!((a12(&[1.0, 3.0], &[2.0, 4.0]), cliffs_delta(&[1.0, 3.0], &[2.0, 4.0])), (Ok(0.25), Ok(-0.5)));
        assert_eq!(a12(&[1.0, 2.0], &[2.0, 3.0]), Ok(0.125));
    }

    #[test]
    fn words_begin_where_their_authors_say() {
        use Magnitude::{Large, Medium, Negligible, Small};
        let found = [0.5, 0.55, 0.56, 0.44, 0.64, 0.36, 0.71, 0.29, 1.0].map(Magnitude::of_a12);
        assert_eq!(found, [Negligible, Negligible, Small, Small, Medium, Medium, Large, Large, Large]);
        let found = [0.146, -0.147, 0.33, -0.474].map(Magnitude::of_cliffs_delta);
        assert_eq!(found, [Negligible, Small, Medium, Large]);
        let found = [0.19, 0.2, -0.5, 0.8].map(Magnitude::of_cohens_d);
        assert_eq!(found.map(Magnitude::word), ["negligible", "small", "medium", "large"]);
    }

    #[test]
    fn nothing_to_measure_gives_a_reason() {
        assert_eq!(a12(&[], &[1.0]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(cliffs_delta(&[1.0], &[f64::NAN]), Err(Reason::NotANumber));
        let equal = Moments::of(&[1.0, 1.0]);
        assert_eq!(cohens_d(&equal, &equal), Err(Reason::NoSpreadWithin));
    }
}
