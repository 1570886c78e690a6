//! Seeds by name: a keyed hash of where a random stream is used, never a draw from another stream.

use std::fmt;

use rand::SeedableRng as _;

use crate::Rng;

/// Context of the hash. Changing it changes every result: CHANGELOG, "results change".
const CONTEXT: &str = "redqueen 2026 trial seed v1";

/// Context of the hash for parts.
const PART_CONTEXT: &str = "redqueen 2026 part of a seed v1";

/// State of a fresh generator: 256 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed for one purpose in one place of a run.
    ///
    /// BLAKE3 in key-derivation mode over `run`, `stage`, `index` (8, 4 and 8 bytes, little-endian) and the text
    /// of `purpose`, which comes last, so no two different inputs are written alike.
    pub fn derive(run: u64, stage: u32, index: u64, purpose: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        hasher.update(&run.to_le_bytes());
        hasher.update(&stage.to_le_bytes());
        hasher.update(&index.to_le_bytes());
        hasher.update(purpose.as_bytes());
        Seed(*hasher.finalize().as_bytes())
    }

    /// The seed for a part of what this one is for: again a keyed hash, of this seed and the part's name.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(PART_CONTEXT);
        hasher.update(&self.0);
        hasher.update(name.as_bytes());
        Seed(*hasher.finalize().as_bytes())
    }

    /// A fresh generator.
    pub fn rng(&self) -> Rng {
        Rng::from_seed(self.0)
    }

    /// The bytes, for reports and for values that shall depend on the seed alone.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts() {
        let seeds = [
            Seed::derive(1, 2, 3, "opening"),
            Seed::derive(2, 2, 3, "opening"),
            Seed::derive(1, 3, 3, "opening"),
            Seed::derive(1, 2, 4, "opening"),
            Seed::derive(1, 2, 3, "player a"),
        ];
        for (i, a) in seeds.iter().enumerate() {
            for b in &seeds[i + 1..] {
                assert_ne!(a, b);
            }
        }
        assert_eq!(seeds[0], Seed::derive(1, 2, 3, "opening"));
        assert_ne!(seeds[0].part("a"), seeds[0].part("b"));
        assert_ne!(seeds[0].part("a"), seeds[1].part("a"));
        assert_ne!(seeds[0].part(""), seeds[0]);
    }
}
