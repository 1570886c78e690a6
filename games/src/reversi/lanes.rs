//! Boards that stay in wide registers for a whole playout or tree, one direction in each lane: eight in a 512-bit
//! register, or four and their opposites in two 256-bit registers.
//!
//! Discs stay in registers from one move generation to the next; only the set of moves leaves them. A playout gains more
//! from that than from the width, since it is one chain of dependent instructions.

/// Columns b to g: what a run along a row or diagonal may hold without wrapping round the edge.
const COLUMNS: i64 = 0x7e7e_7e7e_7e7e_7e7e;

/// Two registers of four lanes.
pub(super) mod four {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
        _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_extracti128_si256, _mm256_or_si256,
        _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi32,
        _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_xor_si256,
    };

    use super::COLUMNS;
    use crate::reversi::kernel::Board;

    /// Both sides' discs, the same in every lane. Needs AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Four {
        own: __m256i,
        other: __m256i,
    }

    /// Distance of neighbours along the lane's axis: row, two diagonals, column.
    #[inline(always)]
    fn step() -> __m256i {
        // SAFETY: AVX2 is there, see `Four`; register arithmetic only.
        unsafe { _mm256_setr_epi64x(1, 7, 9, 8) }
    }

    /// Runs of `discs` that begin next to `from`: towards higher squares and towards lower ones.
    #[inline(always)]
    fn runs(from: __m256i, discs: __m256i) -> (__m256i, __m256i) {
        // SAFETY: as above.
        unsafe {
            let one = step();
            let two = _mm256_add_epi64(one, one);
            let through = _mm256_and_si256(discs, _mm256_setr_epi64x(COLUMNS, COLUMNS, COLUMNS, -1));
            let twice_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, one));
            let twice_down = _mm256_srlv_epi64(twice_up, one);
            let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(from, one));
            let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(from, one));
            up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, one)));
            down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, one)));
            for _ in 0..2 {
                up = _mm256_or_si256(up, _mm256_and_si256(twice_up, _mm256_sllv_epi64(up, two)));
                down = _mm256_or_si256(down, _mm256_and_si256(twice_down, _mm256_srlv_epi64(down, two)));
            }
            (up, down)
        }
    }

    impl Board for Four {
        #[inline(always)]
        fn new(own: u64, other: u64) -> Self {
            // SAFETY: as above.
            unsafe { Four { own: _mm256_set1_epi64x(own as i64), other: _mm256_set1_epi64x(other as i64) } }
        }

        #[inline(always)]
        fn moves(self) -> u64 {
            let (up, down) = runs(self.own, self.other);
            // SAFETY: as above.
            unsafe {
                let ends = _mm256_or_si256(_mm256_sllv_epi64(up, step()), _mm256_srlv_epi64(down, step()));
                let free = _mm256_andnot_si256(_mm256_or_si256(self.own, self.other), ends);
                let half = _mm_or_si128(_mm256_castsi256_si128(free), _mm256_extracti128_si256(free, 1));
                _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
            }
        }

        #[inline(always)]
        fn play(self, disc: u64) -> Self {
            // SAFETY: as above.
            unsafe {
                let disc = _mm256_set1_epi64x(disc as i64);
                let (up, down) = runs(disc, self.other);
                let zero = _mm256_setzero_si256();
                // A run turns if an own disc is behind it.
                let open_up = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_sllv_epi64(up, step()), self.own), zero);
                let open_down = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_srlv_epi64(down, step()), self.own), zero);
                let turned = _mm256_or_si256(_mm256_andnot_si256(open_up, up), _mm256_andnot_si256(open_down, down));
                // The union of all lanes, in every lane: swap halves, then neighbours.
                let turned = _mm256_or_si256(turned, _mm256_permute4x64_epi64(turned, 0b01_00_11_10));
                let turned = _mm256_or_si256(turned, _mm256_shuffle_epi32(turned, 0b01_00_11_10));
                Four {
                    own: _mm256_xor_si256(self.other, turned),
                    other: _mm256_or_si256(_mm256_or_si256(self.own, disc), turned),
                }
            }
        }

        #[inline(always)]
        fn pass(self) -> Self {
            Four { own: self.other, other: self.own }
        }

        #[inline(always)]
        fn discs(self) -> (u64, u64) {
            // SAFETY: as above.
            let lowest = |lanes| unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(lanes)) as u64 };
            (lowest(self.own), lowest(self.other))
        }
    }
}

/// One register of eight lanes.
pub(super) mod eight {
    use std::arch::x86_64::{
        __m512i, _mm_cvtsi128_si64, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_castsi512_si128,
        _mm512_maskz_mov_epi64, _mm512_or_si512, _mm512_reduce_or_epi64, _mm512_rolv_epi64, _mm512_set1_epi64,
        _mm512_setr_epi64, _mm512_shuffle_epi32, _mm512_shuffle_i64x2, _mm512_test_epi64_mask, _mm512_xor_si512,
    };

    use super::COLUMNS;
    use crate::reversi::kernel::Board;

    /// Rows 2 to 7.
    const ROWS: i64 = 0x00ff_ffff_ffff_ff00;
    /// What a run along a diagonal may hold.
    const INSIDE: i64 = COLUMNS & ROWS;

    /// Both sides' discs, the same in every lane. Needs AVX-512F.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Eight {
        own: __m512i,
        other: __m512i,
    }

    /// The lane's step as a rotation towards higher squares.
    #[inline(always)]
    fn step() -> __m512i {
        // SAFETY: AVX-512F is there, see `Eight`; register arithmetic only.
        unsafe { _mm512_setr_epi64(1, 7, 8, 9, 64 - 1, 64 - 7, 64 - 8, 64 - 9) }
    }

    /// Runs of `discs` that begin next to `from`, one direction in each lane. A rotation wraps squares round the edge of
    /// the board, but never to a square that a run in this direction may hold.
    #[inline(always)]
    fn runs(from: __m512i, discs: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let one = step();
            let two = _mm512_add_epi64(one, one);
            let inside = _mm512_setr_epi64(COLUMNS, INSIDE, ROWS, INSIDE, COLUMNS, INSIDE, ROWS, INSIDE);
            let through = _mm512_and_si512(discs, inside);
            let twice = _mm512_and_si512(through, _mm512_rolv_epi64(through, one));
            let mut run = _mm512_and_si512(through, _mm512_rolv_epi64(from, one));
            run = _mm512_or_si512(run, _mm512_and_si512(through, _mm512_rolv_epi64(run, one)));
            run = _mm512_or_si512(run, _mm512_and_si512(twice, _mm512_rolv_epi64(run, two)));
            _mm512_or_si512(run, _mm512_and_si512(twice, _mm512_rolv_epi64(run, two)))
        }
    }

    impl Board for Eight {
        #[inline(always)]
        fn new(own: u64, other: u64) -> Self {
            // SAFETY: as above.
            unsafe { Eight { own: _mm512_set1_epi64(own as i64), other: _mm512_set1_epi64(other as i64) } }
        }

        #[inline(always)]
        fn moves(self) -> u64 {
            let run = runs(self.own, self.other);
            // SAFETY: as above.
            unsafe {
                let ends = _mm512_rolv_epi64(run, step());
                let free = _mm512_andnot_si512(_mm512_or_si512(self.own, self.other), ends);
                _mm512_reduce_or_epi64(free) as u64
            }
        }

        #[inline(always)]
        fn play(self, disc: u64) -> Self {
            // SAFETY: as above.
            unsafe {
                let disc = _mm512_set1_epi64(disc as i64);
                let run = runs(disc, self.other);
                // A run turns if an own disc is behind it.
                let closed = _mm512_test_epi64_mask(_mm512_rolv_epi64(run, step()), self.own);
                let turned = _mm512_maskz_mov_epi64(closed, run);
                // The union of all lanes, in every lane: swap halves, then quarters, then neighbours.
                let turned = _mm512_or_si512(turned, _mm512_shuffle_i64x2(turned, turned, 0b01_00_11_10));
                let turned = _mm512_or_si512(turned, _mm512_shuffle_i64x2(turned, turned, 0b10_11_00_01));
                let turned = _mm512_or_si512(turned, _mm512_shuffle_epi32(turned, 0b01_00_11_10));
                Eight {
                    own: _mm512_xor_si512(self.other, turned),
                    other: _mm512_or_si512(_mm512_or_si512(self.own, disc), turned),
                }
            }
        }

        #[inline(always)]
        fn pass(self) -> Self {
            Eight { own: self.other, other: self.own }
        }

        #[inline(always)]
        fn discs(self) -> (u64, u64) {
            // SAFETY: as above.
            let lowest = |lanes| unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(lanes)) as u64 };
            (lowest(self.own), lowest(self.other))
        }
    }
}
