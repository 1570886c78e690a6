//! Which trials of a stage are audited: a sample drawn by hash, of single trials or of blocks.

use std::ops::Range;

use crate::{ids::StageKey, ranges::RangeSet};

/// A stage is sampled by single trials up to this many blocks; larger stages have larger blocks.
const BLOCKS_MIN: u64 = 20_000;
/// Most trials of a block.
const BLOCK_MAX: u64 = 64;

/// The sample of a stage.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// A block is in the sample if its hash is at most this; 0 for an empty sample.
    below: u64,
    salt: u64,
    /// Number of neighbouring trials that are sampled together.
    block: u64,
}

impl Sample {
    /// A sample of a share of the trials of a stage, from 0 to 1.
    pub(super) fn new(share: f64, stage: StageKey, trials: u64) -> Self {
        // Scattered trials cost messages and searches; in a large stage whole blocks are as good a sample.
        let block = (trials / BLOCKS_MIN).clamp(1, BLOCK_MAX);
        // The cast saturates: a share of 1 takes every block.
        let below = (share * 2f64.powi(64)) as u64;
        let run = u64::from_le_bytes(stage.run.0[..8].try_into().expect("an id has 16 bytes"));
        Sample { below, salt: mix(run ^ u64::from(stage.stage)), block }
    }

    /// The ranges of `trials` that are in the sample, none longer than a block.
    pub(super) fn of(&self, trials: &RangeSet) -> Vec<Range<u64>> {
        let mut sampled = Vec::new();
        if self.below == 0 {
            return sampled;
        }
        for range in trials.iter() {
            let mut start = range.start;
            while start < range.end {
                let number = start / self.block;
                let piece = start..range.end.min((number + 1).saturating_mul(self.block));
                start = piece.end;
                if mix(number ^ self.salt) <= self.below {
                    sampled.push(piece);
                }
            }
        }
        sampled
    }
}

/// A hash of a number (SplitMix64's finaliser, Steele et al. 2014). It decides which trials are audited and no result.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
