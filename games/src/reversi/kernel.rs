//! Move generation and turning of discs on two bitboards, in plain integers and, where the processor has them,
//! in 256-bit registers with a direction a lane. Both give the same sets; tests compare them.

/// All squares but columns a and h: runs along a row or diagonal must not wrap round the edge.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The two questions that Reversi asks of a board.
pub(super) trait Kernel {
    /// Empty squares on which the side with discs `own` turns at least one disc of `other`.
    fn moves(own: u64, other: u64) -> u64;
    /// Discs of `other` that `own` turns by playing on the empty `square`.
    fn flips(own: u64, other: u64, square: u32) -> u64;
}

/// For each square the rays towards higher squares (right, up-left, up, up-right) and their mirror images
/// towards lower ones, the square itself left out. "Up" is towards row 8.
#[repr(align(64))]
struct Rays {
    higher: [u64; 4],
    lower: [u64; 4],
}

/// Distance between neighbouring squares of a ray, in the order of [`Rays`].
const STEPS: [u32; 4] = [1, 7, 8, 9];

static RAYS: [Rays; 64] = all_rays();

const fn all_rays() -> [Rays; 64] {
    // (columns, rows) of a step to a higher square, in the order of STEPS
    const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut all = [const { Rays { higher: [0; 4], lower: [0; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        let mut d = 0;
        while d < 4 {
            let (dc, dr) = DIRECTIONS[d];
            all[square].higher[d] = ray(square as i32, dc, dr);
            all[square].lower[d] = ray(square as i32, -dc, -dr);
            d += 1;
        }
        square += 1;
    }
    all
}

const fn ray(square: i32, dc: i32, dr: i32) -> u64 {
    let (mut column, mut row) = (square % 8 + dc, square / 8 + dr);
    let mut set = 0;
    while 0 <= column && column < 8 && 0 <= row && row < 8 {
        set |= 1 << (row * 8 + column);
        column += dc;
        row += dr;
    }
    set
}

/// Plain 64-bit integers: every processor.
pub(super) struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn moves(own: u64, other: u64) -> u64 {
        let inner = other & INNER;
        let mut reached = 0;
        for (step, through) in STEPS.into_iter().zip([inner, inner, other, inner]) {
            // Runs of `through` that begin next to an own disc, up to six long: by ones, then twice by twos.
            let twice = through & (through << step);
            let (mut up, mut down) = (through & (own << step), through & (own >> step));
            up |= through & (up << step);
            down |= through & (down >> step);
            let twice_down = twice >> step;
            up |= twice & (up << (2 * step));
            down |= twice_down & (down >> (2 * step));
            up |= twice & (up << (2 * step));
            down |= twice_down & (down >> (2 * step));
            reached |= (up << step) | (down >> step);
        }
        reached & !(own | other)
    }

    #[inline(always)]
    fn flips(own: u64, other: u64, square: u32) -> u64 {
        let rays = &RAYS[square as usize & 63];
        let mut turned = 0;
        for d in 0..4 {
            // Adding 1 below the ray carries through the run of theirs to the square that ends it.
            let ray = rays.higher[d];
            let end = (other | !ray).wrapping_add(1) & ray & own;
            turned |= end.wrapping_sub(u64::from(end != 0)) & ray;
            // Downwards there is no carry: the highest square of the ray that is not theirs. Bit 0 stands in
            // where the ray has none; it is no end unless it lies on the ray and is ours.
            let ray = rays.lower[d];
            let highest = (1 << 63) >> ((ray & !other) | 1).leading_zeros();
            let end = highest & own & ray;
            turned |= end.wrapping_add(end).wrapping_neg() & ray;
        }
        turned
    }
}

/// Four directions at once in 256-bit registers.
#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
        _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_extracti128_si256, _mm256_load_si256,
        _mm256_or_si256, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_sllv_epi64,
        _mm256_srlv_epi64, _mm256_sub_epi64,
    };

    use super::{INNER, Kernel, RAYS};

    /// Needs AVX2; only reached through functions that say so to the compiler.
    pub(in super::super) struct Avx2;

    /// Union of the four lanes.
    #[inline(always)]
    fn gather(lanes: __m256i) -> u64 {
        // SAFETY: AVX2 is there, see `Avx2`; register arithmetic only.
        unsafe {
            let half = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        }
    }

    impl Kernel for Avx2 {
        #[inline(always)]
        fn moves(own: u64, other: u64) -> u64 {
            // SAFETY: AVX2 is there, see `Avx2`; register arithmetic only.
            unsafe {
                let step = _mm256_setr_epi64x(1, 7, 8, 9);
                let two = _mm256_add_epi64(step, step);
                let guard = _mm256_setr_epi64x(INNER as i64, INNER as i64, -1, INNER as i64);
                let own4 = _mm256_set1_epi64x(own as i64);
                let through = _mm256_and_si256(_mm256_set1_epi64x(other as i64), guard);
                let twice_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, step));
                let twice_down = _mm256_srlv_epi64(twice_up, step);
                let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(own4, step));
                let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(own4, step));
                up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, step)));
                down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, step)));
                up = _mm256_or_si256(up, _mm256_and_si256(twice_up, _mm256_sllv_epi64(up, two)));
                down = _mm256_or_si256(down, _mm256_and_si256(twice_down, _mm256_srlv_epi64(down, two)));
                up = _mm256_or_si256(up, _mm256_and_si256(twice_up, _mm256_sllv_epi64(up, two)));
                down = _mm256_or_si256(down, _mm256_and_si256(twice_down, _mm256_srlv_epi64(down, two)));
                let ends = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
                gather(ends) & !(own | other)
            }
        }

        #[inline(always)]
        fn flips(own: u64, other: u64, square: u32) -> u64 {
            let rays = &RAYS[square as usize & 63];
            // SAFETY: AVX2 is there, see `Avx2`; both loads are of 32 aligned bytes of `rays`.
            unsafe {
                let own4 = _mm256_set1_epi64x(own as i64);
                let other4 = _mm256_set1_epi64x(other as i64);
                let zero = _mm256_setzero_si256();
                // Upwards: the lowest square of the ray that is not theirs, if it is ours; below it lies the run.
                let ray = _mm256_load_si256(rays.higher.as_ptr().cast());
                let open = _mm256_andnot_si256(other4, ray);
                let end = _mm256_and_si256(_mm256_and_si256(open, _mm256_sub_epi64(zero, open)), own4);
                // end - 1, but 0 where there is no end: comparing gives -1 there, which the sum cancels.
                let none = _mm256_cmpeq_epi64(end, zero);
                let below = _mm256_sub_epi64(_mm256_add_epi64(end, _mm256_set1_epi64x(-1)), none);
                let up = _mm256_and_si256(below, ray);
                // Downwards: smear every square of the ray that is not theirs towards lower squares; what stays
                // free of it is the run. It counts if the next square of the ray after it is ours.
                let ray = _mm256_load_si256(rays.lower.as_ptr().cast());
                let step = _mm256_setr_epi64x(1, 7, 8, 9);
                let two = _mm256_add_epi64(step, step);
                let mut smear = _mm256_andnot_si256(other4, ray);
                smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step));
                smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, two));
                smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, _mm256_add_epi64(two, two)));
                let run = _mm256_andnot_si256(smear, ray);
                let from = _mm256_or_si256(run, _mm256_set1_epi64x((1u64 << (square & 63)) as i64));
                let after = _mm256_andnot_si256(run, _mm256_and_si256(_mm256_srlv_epi64(from, step), ray));
                let end = _mm256_and_si256(after, own4);
                let down = _mm256_andnot_si256(_mm256_cmpeq_epi64(end, zero), run);
                gather(_mm256_or_si256(up, down))
            }
        }
    }
}

/// [`Kernel::moves`] for code outside a loop of its own.
#[inline]
pub(super) fn moves(own: u64, other: u64) -> u64 {
    Scalar::moves(own, other)
}

/// [`Kernel::flips`] for code outside a loop of its own.
#[inline]
pub(super) fn flips(own: u64, other: u64, square: u32) -> u64 {
    Scalar::flips(own, other, square)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Discs turned along every direction, square by square.
    fn slow_flips(own: u64, other: u64, square: i32) -> u64 {
        let mut turned = 0;
        for (dc, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
            let (mut run, mut column, mut row) = (0u64, square % 8 + dc, square / 8 + dr);
            while (0..8).contains(&column) && (0..8).contains(&row) {
                let bit = 1u64 << (row * 8 + column);
                if own & bit != 0 {
                    turned |= run;
                    break;
                }
                if other & bit == 0 {
                    break;
                }
                run |= bit;
                (column, row) = (column + dc, row + dr);
            }
        }
        turned
    }

    fn agrees<K: Kernel>(own: u64, other: u64) -> Result<(), TestCaseError> {
        let mut moves = 0;
        for square in (0..64).filter(|s| (own | other) >> s & 1 == 0) {
            let turned = slow_flips(own, other, square);
            prop_assert_eq!(K::flips(own, other, square as u32), turned, "{:x} {:x} {}", own, other, square);
            moves |= u64::from(turned != 0) << square;
        }
        prop_assert_eq!(K::moves(own, other), moves, "{:x} {:x}", own, other);
        Ok(())
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn wide_agrees(own: u64, other: u64) -> Result<(), TestCaseError> {
        agrees::<wide::Avx2>(own, other)
    }

    proptest! {
        #[test]
        fn agrees_with_walking_square_by_square(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            for (own, other) in [(a & !b, b), (a & b, c & !(a & b)), (a & !b & c, b & !c), (a & b & c, !(a & b & c))] {
                let other = other & !own;
                agrees::<Scalar>(own, other)?;
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2.
                    unsafe { wide_agrees(own, other) }?;
                }
            }
        }
    }
}
