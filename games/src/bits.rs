//! Sets of squares in a 64-bit word.

/// For every byte, the place of its k-th set bit (k from 0); places beyond the count are 0.
const PLACES: [[u8; 8]; 256] = places();

const fn places() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if (byte >> bit) & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// Index of the `k`-th set bit of `set`, from 0; `k` must be below the number of set bits.
///
/// Branch-free: running counts of set bits by byte say in which byte the bit lies, and a table of 2 KiB says where in
/// that byte. A loop that clears bits mispredicts; `pdep` is slow on some processors.
#[inline(always)]
pub fn nth_set(set: u64, k: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let pairs = set - ((set >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i: set bits of bytes 0 to i.
    let running = bytes.wrapping_mul(ONES);
    // The top bit of byte i stays set exactly where its running count is at most k.
    let passed = ((u64::from(k) * ONES) | TOPS).wrapping_sub(running) & TOPS;
    // The passed bytes are the low ones: their number from a multiplication instead of a count of bits.
    let shift = ((passed >> 7).wrapping_mul(ONES) >> 56) as u32 * 8;
    let before = ((running << 8) >> shift) as u32 & 0xff;
    shift + u32::from(PLACES[(set >> shift) as usize & 0xff][(k - before) as usize & 7])
}

/// Index of the lowest set bit, which is removed from `set`; `set` must not be empty.
#[inline(always)]
pub fn pop_lowest(set: &mut u64) -> u32 {
    let lowest = set.trailing_zeros();
    *set &= set.wrapping_sub(1);
    lowest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_every_set_bit(set in any::<u64>(), mask in any::<u64>()) {
            for set in [set, set & mask, set | mask] {
                let indices: Vec<u32> = (0..64).filter(|i| set >> i & 1 == 1).collect();
                for (k, &index) in indices.iter().enumerate() {
                    prop_assert_eq!(nth_set(set, k as u32), index);
                }
                let mut rest = set;
                let popped: Vec<u32> = std::iter::from_fn(|| (rest != 0).then(|| pop_lowest(&mut rest))).collect();
                prop_assert_eq!(popped, indices);
            }
        }
    }
}
