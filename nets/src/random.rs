//! Random draws of this crate: xoshiro256++ (Blackman and Vigna 2021), with ranges drawn by functions of its own.

use rand::{Rng as _, SeedableRng as _};

/// A generator.
#[derive(Clone)]
pub(crate) struct Draws(rand_xoshiro::Xoshiro256PlusPlus);

impl Draws {
    /// The generator of a seed and a purpose, which names are few: the first byte is changed by it.
    pub(crate) fn new(seed: &[u8; 32], purpose: u8) -> Self {
        let mut state = *seed;
        state[0] ^= purpose;
        let mut draws = Draws(rand_xoshiro::Xoshiro256PlusPlus::from_seed(state));
        // Near states have near first outputs.
        for _ in 0..32 {
            draws.0.next_u64();
        }
        draws
    }

    /// A whole number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A real from -1 to 1.
    pub(crate) fn signed(&mut self) -> f32 {
        // 24 bits are exact.
        ((self.0.next_u64() >> 40) as i32 - (1 << 23)) as f32 / (1 << 23) as f32
    }
}
