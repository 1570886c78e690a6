//! What a t test finds, whichever.

/// Result of a test of x against y by Student's t distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// Statistic.
    pub t: f64,
    /// Degrees of freedom; by Welch's test not whole (Welch-Satterthwaite).
    pub df: f64,
    /// Two-sided probability of a t this far off.
    pub p: f64,
    /// Probability of a t this small or smaller: small where x is below y.
    pub p_less: f64,
    /// Probability of a t this large or larger.
    pub p_greater: f64,
    /// Difference of the means, x minus y.
    pub difference: f64,
    /// Its interval at 95 %.
    pub ci95: (f64, f64),
    /// Cohen's d: the difference in pooled deviations, of pairs in deviations of their differences (Cohen 1988,
    /// sections 2.2 and 2.3: d and d_z).
    pub cohens_d: f64,
    /// Hedges' g (1981): d without its bias in small samples.
    pub hedges_g: f64,
}

impl TTest {
    /// With the difference and its interval in units of two to this power.
    pub(super) fn times(self, unit: i32) -> Self {
        let TTest { difference, ci95: (low, high), .. } = self;
        let [difference, low, high] = [difference, low, high].map(|value| libm::scalbn(value, unit));
        TTest { difference, ci95: (low, high), ..self }
    }
}
