//! Random numbers for tests that kill at random moments.

/// Chance for tests that kill: other draws in each process, which prints its seed (xorshift, Marsaglia 2003).
pub(crate) struct Draws(u64);

impl Draws {
    /// From `seed`.
    pub(crate) fn new(seed: u32) -> Self {
        Draws(u64::from(seed) | 1)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}
