//! Where random draws come from. The caller owns the generator, so that its bits are fixed in one place.

/// Random draws.
pub trait Random {
    /// A whole number below `n`, uniformly; `n` must not be 0.
    fn below(&mut self, n: u32) -> u32;

    /// A real in [0, 1).
    fn unit(&mut self) -> f64;

    /// True with probability `p`.
    fn happens(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A draw from the normal distribution of mean 0 and standard deviation 1 (Box and Muller; two draws).
    fn normal(&mut self) -> f64 {
        // 1 - u is in (0, 1]: its logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// An index below `len`, which must not be 0.
    fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).expect("no tree or set has 2^32 parts")) as usize
    }
}
