//! Random numbers that never change between versions.
//!
//! The generator is xoshiro256++ (Blackman and Vigna 2021). Only its raw output is taken from the crate:
//! ranges are drawn by the functions here, since those of `rand` may change with a release and a run must replay for
//! years.

use rand::Rng as _;

/// The generator of every trial.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// A whole number below `n`, by multiplying the upper 32 bits of a draw with `n`. `n` must not be 0.
///
/// The bias is below `n / 2^32`, far too small to show in an experiment.
#[inline(always)]
pub fn below(rng: &mut Rng, n: u32) -> u32 {
    debug_assert!(n > 0, "nothing lies below 0");
    (((rng.next_u64() >> 32) * u64::from(n)) >> 32) as u32
}

/// A real in [0, 1), a multiple of 2^-53.
#[inline]
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// Published first outputs of xoshiro256++ from the state [1, 2, 3, 4] (reference implementation).
    #[test]
    fn is_the_reference_generator() {
        let mut state = [0u8; 32];
        for (i, word) in [1u64, 2, 3, 4].iter().enumerate() {
            state[8 * i..8 * i + 8].copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = Rng::from_seed(state);
        let drawn: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(drawn, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn draws_come_from_the_upper_bits() {
        let state = |first: u64| {
            // Output is rotl(s0 + s3, 23) + s0; s0 = 0 leaves rotl(s3, 23).
            let mut bytes = [0u8; 32];
            bytes[24..].copy_from_slice(&first.rotate_right(23).to_le_bytes());
            Rng::from_seed(bytes)
        };
        assert_eq!(below(&mut state(u64::MAX), 10), 9);
        assert_eq!(below(&mut state(1 << 63), 10), 5);
        assert_eq!(below(&mut state((1 << 63) - 1), 10), 4);
        assert_eq!(unit(&mut state(1 << 63)), 0.5);
        assert_eq!(unit(&mut state(u64::MAX)), 1.0 - f64::EPSILON / 2.0);
    }
}
