//! Move generation and turning of discs on two bitboards in plain integers, for every processor. `lanes` has the same
//! for processors with wide registers; tests compare them.

/// All squares but columns a and h: runs along a row or diagonal must not wrap round the edge.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// A board for the side to move, in the registers that suit the processor.
pub(super) trait Board: Copy {
    /// The board with the discs of the side to move and of the other.
    fn new(own: u64, other: u64) -> Self;
    /// Empty squares on which the side to move turns at least one disc.
    fn moves(self) -> u64;
    /// The board after a disc on the empty square of the single bit `disc`; the other side moves.
    fn play(self, disc: u64) -> Self;
    /// The board after a pass.
    fn pass(self) -> Self;
    /// Discs of the side to move and of the other.
    fn discs(self) -> (u64, u64);
}

/// For each square the rays towards higher squares (right, up-left, up, up-right) and their mirror images
/// towards lower ones, the square itself left out. "Up" is towards row 8.
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

/// Empty squares on which the side with discs `own` turns at least one disc of `other`.
#[inline(always)]
pub(super) fn moves(own: u64, other: u64) -> u64 {
    let inner = other & INNER;
    let mut reached = 0;
    for (step, through) in STEPS.into_iter().zip([inner, inner, other, inner]) {
        // Runs of `through` that begin next to an own disc, up to six long: by one step, then twice by two.
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

/// Discs of `other` that `own` turns by playing on the empty `square`.
#[inline(always)]
pub(super) fn flips(own: u64, other: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize & 63];
    let mut turned = 0;
    for d in 0..4 {
        // Adding 1 below the ray carries through the run of the other's discs to the square that ends it.
        let ray = rays.higher[d];
        let end = (other | !ray).wrapping_add(1) & ray & own;
        turned |= end.wrapping_sub(u64::from(end != 0)) & ray;
        // Downwards there is no carry: take the highest square of the ray that does not hold the other's disc. Bit 0
        // stands in if the ray has none; it ends a run only if it lies on the ray and holds an own disc.
        let ray = rays.lower[d];
        let highest = (1 << 63) >> ((ray & !other) | 1).leading_zeros();
        let end = highest & own & ray;
        turned |= end.wrapping_add(end).wrapping_neg() & ray;
    }
    turned
}

/// Two words.
#[derive(Clone, Copy)]
pub(super) struct Words {
    own: u64,
    other: u64,
}

impl Board for Words {
    #[inline(always)]
    fn new(own: u64, other: u64) -> Self {
        Words { own, other }
    }

    #[inline(always)]
    fn moves(self) -> u64 {
        moves(self.own, self.other)
    }

    #[inline(always)]
    fn play(self, disc: u64) -> Self {
        let turned = flips(self.own, self.other, disc.trailing_zeros());
        Words { own: self.other ^ turned, other: self.own | turned | disc }
    }

    #[inline(always)]
    fn pass(self) -> Self {
        Words { own: self.other, other: self.own }
    }

    #[inline(always)]
    fn discs(self) -> (u64, u64) {
        (self.own, self.other)
    }
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

    #[inline(always)]
    fn agrees<B: Board>(own: u64, other: u64) -> Result<(), TestCaseError> {
        let board = B::new(own, other);
        prop_assert_eq!(board.discs(), (own, other));
        prop_assert_eq!(board.pass().discs(), (other, own));
        let mut moves = 0;
        for square in (0..64).filter(|s| (own | other) >> s & 1 == 0) {
            let turned = slow_flips(own, other, square);
            let after = board.play(1 << square).discs();
            prop_assert_eq!(after, (other ^ turned, own | turned | 1 << square), "{:x} {:x} {}", own, other, square);
            moves |= u64::from(turned != 0) << square;
        }
        prop_assert_eq!(board.moves(), moves, "{:x} {:x}", own, other);
        Ok(())
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn four_agrees(own: u64, other: u64) -> Result<(), TestCaseError> {
        agrees::<super::super::lanes::four::Four>(own, other)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn eight_agrees(own: u64, other: u64) -> Result<(), TestCaseError> {
        agrees::<super::super::lanes::eight::Eight>(own, other)
    }

    proptest! {
        #[test]
        fn agrees_with_walking_square_by_square(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            for (own, other) in [(a & !b, b), (a & b, c & !(a & b)), (a & !b & c, b & !c), (a & b & c, !(a & b & c))] {
                let other = other & !own;
                agrees::<Words>(own, other)?;
                #[cfg(target_arch = "x86_64")]
                {
                    if std::arch::is_x86_feature_detected!("avx2") {
                        // SAFETY: the processor has AVX2.
                        unsafe { four_agrees(own, other) }?;
                    }
                    if std::arch::is_x86_feature_detected!("avx512f") {
                        // SAFETY: the processor has AVX-512F.
                        unsafe { eight_agrees(own, other) }?;
                    }
                }
            }
        }
    }
}
