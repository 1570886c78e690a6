//! Linear maps of many rows, and what comes back through them: tiles of rows with their sums in registers.

use crate::{
    lines::{Lanes, PANEL, flat, panels},
    processor::{AVX512, BASELINE, compiled},
};

/// Rows of a tile: numbers of rows are multiples of it.
pub(crate) const ROWS: usize = 4;
/// Inputs whose gradients are summed together.
pub(crate) const TILE: usize = 8;

/// Where a tile's factors stand: `a[k * step + row * stride]` times `b[k]`, for k below `count`.
#[derive(Clone, Copy)]
struct Factors {
    step: usize,
    stride: usize,
}

/// By rows of numbers in panels: k runs within a panel.
const ALONG: Factors = Factors { step: 1, stride: PANEL };
/// By columns of such numbers: k runs over rows.
const ACROSS: Factors = Factors { step: PANEL, stride: 1 };

/// Adds products to a tile of four rows, `W` lanes of each from lane `from` on, with the sums in registers.
#[inline(always)]
fn add_narrow<'a, const W: usize>(
    tile: &mut [Lanes; ROWS],
    from: usize,
    factors: Factors,
    chunks: impl Iterator<Item = (&'a [f32], &'a [Lanes])>,
) {
    let mut sums = [[0.0f32; W]; ROWS];
    for row in 0..ROWS {
        sums[row].copy_from_slice(&tile[row][from..from + W]);
    }
    for (a, b) in chunks {
        // The last factor that is asked for: one check in place of many.
        let a = &a[..b.len().saturating_sub(1) * factors.step + (ROWS - 1) * factors.stride + 1];
        for (k, b) in b.iter().enumerate() {
            for row in 0..ROWS {
                let x = a[k * factors.step + row * factors.stride];
                for lane in 0..W {
                    sums[row][lane] += x * b[from + lane];
                }
            }
        }
    }
    for row in 0..ROWS {
        tile[row][from..from + W].copy_from_slice(&sums[row]);
    }
}

/// Makes a function that adds products to a tile of some rows, with the sums in registers. By hand: LLVM would load the same
/// factors once for each row.
#[cfg(target_arch = "x86_64")]
macro_rules! add_in_registers {
    ($(#[$meta:meta])* $name:ident, $features:literal, $parts:literal of $width:literal, $register:ident, $load:ident, $store:ident, $splat:ident, $multiply:ident, $add:ident) => {
        $(#[$meta])*
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        #[inline]
        fn $name<'a, const R: usize>(
            tile: &mut [Lanes; R],
            factors: Factors,
            chunks: impl Iterator<Item = (&'a [f32], &'a [Lanes])>,
        ) {
            use std::arch::x86_64::{$add, $load, $multiply, $register, $splat, $store};

            #[target_feature(enable = $features)]
            #[inline]
            fn load(lanes: &Lanes) -> [$register; $parts] {
                // SAFETY: the parts are sixteen numbers together.
                std::array::from_fn(|part| unsafe { $load(lanes.as_ptr().add($width * part)) })
            }

            let mut sums = [load(&tile[0]); R];
            for (sums, tile) in sums.iter_mut().zip(tile.iter()) {
                *sums = load(tile);
            }
            for (a, b) in chunks {
                let Some(last) = b.len().checked_sub(1) else { continue };
                let a = &a[..last * factors.step + (R - 1) * factors.stride + 1];
                for (k, b) in b.iter().enumerate() {
                    let b = load(b);
                    for (row, sums) in sums.iter_mut().enumerate() {
                        // SAFETY: k is at most `last` and the row below R, for which `a` was cut.
                        let x = $splat(unsafe { *a.get_unchecked(k * factors.step + row * factors.stride) });
                        for part in 0..$parts {
                            sums[part] = $add(sums[part], $multiply(x, b[part]));
                        }
                    }
                }
            }
            for (tile, sums) in tile.iter_mut().zip(sums) {
                for (part, sum) in sums.into_iter().enumerate() {
                    // SAFETY: as in `load`.
                    unsafe { $store(tile.as_mut_ptr().add($width * part), sum) };
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
add_in_registers! {
    /// In registers of eight lanes.
    add_avx2, "avx2", 2 of 8, __m256, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_mul_ps, _mm256_add_ps
}

#[cfg(target_arch = "x86_64")]
add_in_registers! {
    /// In registers of sixteen lanes.
    add_avx512, "avx2,avx512f", 1 of 16, __m512, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_mul_ps, _mm512_add_ps
}

/// Adds products to a tile of R rows: four, or eight with AVX-512.
#[inline(always)]
fn add<'a, const FOR: u8, const R: usize>(
    tile: &mut [Lanes; R],
    factors: Factors,
    chunks: impl Iterator<Item = (&'a [f32], &'a [Lanes])> + Clone,
) {
    #[cfg(target_arch = "x86_64")]
    if FOR != BASELINE {
        // SAFETY: `compiled!` makes functions for AVX2 and AVX-512 for processors that have them alone.
        unsafe { if FOR == AVX512 { add_avx512(tile, factors, chunks) } else { add_avx2(tile, factors, chunks) } }
        return;
    }
    for (place, tile) in tile.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        let of_tile = |(a, b): (&'a [f32], &'a [Lanes])| (&a[place * ROWS * factors.stride..], b);
        for half in [0, PANEL / 2] {
            add_narrow::<{ PANEL / 2 }>(tile, half, factors, chunks.clone().map(of_tile));
        }
    }
}

/// Calls `$tile::<FOR, R>` with the first row of each tile of the rows of `$out`, a multiple of four.
macro_rules! for_tiles {
    ($tile:ident, ($($argument:expr),+), $out:expr) => {
        let mut first = 0;
        if FOR == AVX512 {
            for out in $out.as_chunks_mut::<{ 2 * ROWS }>().0 {
                $tile::<FOR, { 2 * ROWS }>($($argument),+, first, out);
                first += 2 * ROWS;
            }
        }
        for out in $out[first..].as_chunks_mut::<ROWS>().0 {
            $tile::<FOR, ROWS>($($argument),+, first, out);
            first += ROWS;
        }
    };
}

#[inline(always)]
fn tile_of_rows<const FOR: u8, const R: usize>(
    numbers: &[Lanes],
    rows: usize,
    inputs: usize,
    weights: &[Lanes],
    bias: &Lanes,
    first: usize,
    out: &mut [Lanes; R],
) {
    *out = [*bias; R];
    let chunks = (0..panels(inputs)).map(|panel| {
        let a = flat(&numbers[panel * rows + first..][..R]);
        let k = panel * PANEL;
        (a, &weights[k..inputs.min(k + PANEL)])
    });
    add::<FOR, R>(out, ALONG, chunks);
}

#[inline(always)]
fn rows_on<const FOR: u8>(
    numbers: &[Lanes],
    rows: usize,
    inputs: usize,
    weights: &[Lanes],
    bias: &Lanes,
    out: &mut [Lanes],
) {
    for_tiles!(tile_of_rows, (numbers, rows, inputs, weights, bias), out);
}

compiled! {
    widest,
    /// Chains of many rows, a multiple of four: the sums of one panel, `[rows][16]`, whose weights are `[inputs][16]`.
    rows, rows_on, (numbers: &[Lanes], rows: usize, inputs: usize, weights: &[Lanes], bias: &Lanes, out: &mut [Lanes])
}

#[inline(always)]
fn tile_back<const FOR: u8, const R: usize>(
    deltas: &[Lanes],
    rows: usize,
    outputs: usize,
    transposed: &[&[Lanes]],
    first: usize,
    out: &mut [Lanes; R],
) {
    let chunks = transposed.iter().enumerate().map(|(panel, weights)| {
        let a = flat(&deltas[panel * rows + first..][..R]);
        (a, &weights[..PANEL.min(outputs - panel * PANEL)])
    });
    add::<FOR, R>(out, ALONG, chunks);
}

#[inline(always)]
fn back_on<const FOR: u8>(deltas: &[Lanes], rows: usize, outputs: usize, transposed: &[&[Lanes]], out: &mut [Lanes]) {
    for_tiles!(tile_back, (deltas, rows, outputs, transposed), out);
}

compiled! {
    widest,
    /// Adds to one panel of inputs' deltas, `[rows][16]`, what comes back from the deltas of all outputs, by rising output.
    /// `transposed` has for each panel of outputs the weights `[16 outputs][16 inputs]`.
    back, back_on, (deltas: &[Lanes], rows: usize, outputs: usize, transposed: &[&[Lanes]], out: &mut [Lanes])
}

/// A share of the rows of a batch: numbers of one panel of inputs, and deltas of one panel of outputs.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    pub(crate) inputs: &'a [Lanes],
    pub(crate) deltas: &'a [Lanes],
}

#[inline(always)]
fn gradient_on<const FOR: u8>(shares: &[Share<'_>], from: usize, out: &mut [Lanes; TILE]) {
    let chunks = |from: usize| shares.iter().map(move |share| (&flat(share.inputs)[from..], share.deltas));
    *out = [Lanes::ZERO; TILE];
    if FOR == AVX512 {
        return add::<FOR, TILE>(out, ACROSS, chunks(from));
    }
    for (place, tile) in out.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        add::<FOR, ROWS>(tile, ACROSS, chunks(from + place * ROWS));
    }
}

compiled! {
    widest,
    /// Sums over all rows of eight inputs, those from `from` on in their panel, times the deltas of a panel of outputs.
    gradient, gradient_on, (shares: &[Share<'_>], from: usize, out: &mut [Lanes; TILE])
}
