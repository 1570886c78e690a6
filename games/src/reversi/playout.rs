//! Loops that run a whole game or tree without leaving the kernel, once for any processor and once for those
//! with AVX2. The choice is made at run time, outside the loop; results are the same.

#[cfg(target_arch = "x86_64")]
use super::kernel::wide::Avx2;
use super::{
    Reversi,
    kernel::{Kernel, Scalar},
};
use crate::{Rng, below, bits};

/// Whether this processor has what the wide loops are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
fn is_wide() -> bool {
    use std::arch::is_x86_feature_detected as has;
    // Each is one load of a cached word.
    has!("avx2") && has!("bmi1") && has!("lzcnt") && has!("popcnt")
}

/// Whether finding the n-th set bit by depositing a bit is fast here: AMD before its third generation of Zen has the
/// instruction in slow microcode.
#[cfg(target_arch = "x86_64")]
#[inline]
fn deposits_fast() -> bool {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
    /// 0 not asked yet, 1 no, 2 yes.
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Relaxed) {
        0 => {
            let fast = is_wide() && std::arch::is_x86_feature_detected!("bmi2") && !is_amd_before_zen_3();
            ANSWER.store(1 + u8::from(fast), Relaxed);
            fast
        }
        answer => answer == 2,
    }
}

#[cfg(target_arch = "x86_64")]
fn is_amd_before_zen_3() -> bool {
    use std::arch::x86_64::__cpuid;
    /// The first family with fast `pdep`.
    const ZEN_3: u32 = 0x19;
    let vendor = __cpuid(0);
    let name = [vendor.ebx, vendor.edx, vendor.ecx];
    let signature = __cpuid(1).eax;
    // The extended family counts on where the family's four bits end.
    let family = ((signature >> 8) & 0xf) + ((signature >> 20) & 0xff);
    name == [*b"Auth", *b"enti", *b"cAMD"].map(u32::from_le_bytes) && family < ZEN_3
}

/// Plays `game` on at random to its end.
#[inline]
pub(super) fn random(game: &mut Reversi, rng: &mut Rng) {
    #[cfg(target_arch = "x86_64")]
    if deposits_fast() {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { random_deposit(game, rng) };
    } else if is_wide() {
        // SAFETY: as above.
        return unsafe { random_wide(game, rng) };
    }
    random_with::<Scalar>(game, rng, bits::nth_set);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn random_deposit(game: &mut Reversi, rng: &mut Rng) {
    random_with::<Avx2>(game, rng, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set).trailing_zeros());
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn random_wide(game: &mut Reversi, rng: &mut Rng) {
    random_with::<Avx2>(game, rng, bits::nth_set);
}

#[inline(always)]
fn random_with<K: Kernel>(game: &mut Reversi, rng: &mut Rng, nth_set: impl Fn(u64, u32) -> u32) {
    let (mut own, mut other, mut seat) = (game.own, game.other, game.seat);
    // The generator lives in registers meanwhile.
    let mut local = rng.clone();
    loop {
        let mut moves = K::moves(own, other);
        if moves == 0 {
            (own, other) = (other, own);
            seat ^= 1;
            moves = K::moves(own, other);
            if moves == 0 {
                break;
            }
        }
        let count = moves.count_ones();
        // A single move takes no draw, as in `Game::playout`.
        let square = if count == 1 { moves.trailing_zeros() } else { nth_set(moves, below(&mut local, count)) };
        let turned = K::flips(own, other, square);
        (own, other) = (other ^ turned, own ^ (turned | 1 << square));
        seat ^= 1;
    }
    *rng = local;
    *game = Reversi { own, other, seat };
}

/// Perft with the last ply counted in bulk.
pub(super) fn perft(own: u64, other: u64, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { perft_wide(own, other, depth) };
    }
    perft_with::<Scalar>(own, other, depth)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn perft_wide(own: u64, other: u64, depth: u32) -> u64 {
    let mut moves = Avx2::moves(own, other);
    if moves == 0 {
        return match (Avx2::moves(other, own), depth) {
            (0, _) | (_, 1) => 1,
            _ => perft_wide(other, own, depth - 1),
        };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut leaves = 0;
    while moves != 0 {
        let square = bits::pop_lowest(&mut moves);
        let turned = Avx2::flips(own, other, square);
        leaves += perft_wide(other ^ turned, own ^ (turned | 1 << square), depth - 1);
    }
    leaves
}

fn perft_with<K: Kernel>(own: u64, other: u64, depth: u32) -> u64 {
    let mut moves = K::moves(own, other);
    if moves == 0 {
        return match (K::moves(other, own), depth) {
            (0, _) | (_, 1) => 1,
            _ => perft_with::<K>(other, own, depth - 1),
        };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut leaves = 0;
    while moves != 0 {
        let square = bits::pop_lowest(&mut moves);
        let turned = K::flips(own, other, square);
        leaves += perft_with::<K>(other ^ turned, own ^ (turned | 1 << square), depth - 1);
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Seed};

    /// The plain loop over legal moves, as the trait's default has it.
    fn slow(mut game: Reversi, rng: &mut Rng) -> Reversi {
        use crate::{Moves as _, Turn};
        while game.turn() != Turn::Over {
            let moves = game.moves();
            let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
            game.play(moves.get(index));
        }
        game
    }

    #[test]
    fn every_loop_plays_the_same_game() {
        for index in 0..500 {
            let seed = Seed::derive(7, 0, index, "playout");
            let (mut rng, mut start) = (seed.rng(), Reversi::new());
            let mut end = start;
            let points = end.playout(&mut rng);
            let mut plain_rng = seed.rng();
            let plain = slow(start, &mut plain_rng);
            assert_eq!(end.discs(), plain.discs());
            assert_eq!(points, plain.points());
            // Both leave the generator at the same place.
            assert_eq!(rng, plain_rng);
            let mut scalar_rng = seed.rng();
            random_with::<Scalar>(&mut start, &mut scalar_rng, bits::nth_set);
            assert_eq!(start.discs(), plain.discs());
            #[cfg(target_arch = "x86_64")]
            if is_wide() {
                let mut wide = Reversi::new();
                // SAFETY: the processor has the features the function is compiled for.
                unsafe { random_wide(&mut wide, &mut seed.rng()) };
                assert_eq!(wide.discs(), plain.discs());
            }
        }
    }

    #[test]
    fn both_kernels_count_the_same_leaves() {
        let start = Reversi::new();
        for depth in 1..8 {
            assert_eq!(perft(start.own, start.other, depth), perft_with::<Scalar>(start.own, start.other, depth));
        }
    }
}
