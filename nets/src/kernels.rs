//! Linear maps, with a fixed order of additions.
//!
//! A **chain** starts at the bias and adds weight times input by rising input. It never holds the zero of negative sign, so an
//! input of 0 may be passed over without a change of bits. A **dot product** has eight partial sums, the i-th of the inputs
//! i, i + 8, i + 16 and so on, which one tree adds up, and then the bias. Maps of up to seven outputs (outcome and value) are
//! dot products in an [`Evaluator`](crate::Evaluator), all others chains.
//!
//! Outputs of chains stand in panels of 16: weights as `[panels][inputs][16]`, many rows of numbers as `[panels][rows][16]`.

use crate::{
    architecture::Activation,
    functions,
    lines::{Lanes, PANEL, flat},
    processor::{AVX512, BASELINE, compiled},
};

/// Rows of a tile: numbers of rows are multiples of it.
pub(crate) const ROWS: usize = 4;
/// Inputs whose gradients are summed together.
pub(crate) const TILE: usize = 8;

/// Panels that hold `width` numbers.
pub(crate) fn panels(width: usize) -> usize {
    width.div_ceil(PANEL)
}

/// Makes zeros of `-0.0`, which no chain may start at.
pub(crate) fn without_negative_zero(x: f32) -> f32 {
    x + 0.0
}

/// Chains of `P` panels for one row, over the inputs in `of`.
#[inline(always)]
fn chains<const P: usize>(x: &[f32], of: impl Iterator<Item = usize>, weights: &[&[Lanes]; P], out: &mut [Lanes]) {
    let mut sums = [Lanes::ZERO; P];
    sums.copy_from_slice(&out[..P]);
    for input in of {
        let x = x[input];
        for p in 0..P {
            let w = &weights[p][input];
            for lane in 0..PANEL {
                sums[p][lane] += x * w[lane];
            }
        }
    }
    out[..P].copy_from_slice(&sums);
}

/// The places of the bits that are set, 64 a word, by rising place.
struct Set<'a> {
    words: &'a [u64],
    /// Bits of the first word that are still to come.
    left: u64,
    /// Place of its lowest bit.
    from: usize,
}

impl<'a> Set<'a> {
    #[inline(always)]
    fn of(words: &'a [u64]) -> Self {
        Set { words, left: words.first().copied().unwrap_or(0), from: 0 }
    }
}

impl Iterator for Set<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.words = self.words.get(1..)?;
            self.left = *self.words.first()?;
            self.from += 64;
        }
        let place = self.from + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(place)
    }
}

#[inline(always)]
fn chains_of<const P: usize>(x: &[f32], nonzero: Option<&[u64]>, inputs: usize, weights: &[Lanes], out: &mut [Lanes]) {
    let weights: [&[Lanes]; P] = std::array::from_fn(|p| &weights[p * inputs..(p + 1) * inputs]);
    match nonzero {
        Some(nonzero) => chains::<P>(x, Set::of(nonzero), &weights, out),
        None => chains::<P>(x, 0..inputs, &weights, out),
    }
}

#[inline(always)]
fn row_on<const FOR: u8>(
    x: &[f32],
    nonzero: Option<&[u64]>,
    inputs: usize,
    weights: &[Lanes],
    bias: &[Lanes],
    out: &mut [Lanes],
) {
    out.copy_from_slice(bias);
    let mut panel = 0;
    while panel < out.len() {
        let weights = &weights[panel * inputs..];
        let left = out.len() - panel;
        let out = &mut out[panel..];
        // As many sums as registers hold.
        let count = left.min(if FOR == BASELINE { 2 } else { 4 });
        match count {
            4 => chains_of::<4>(x, nonzero, inputs, weights, out),
            3 => chains_of::<3>(x, nonzero, inputs, weights, out),
            2 => chains_of::<2>(x, nonzero, inputs, weights, out),
            _ => chains_of::<1>(x, nonzero, inputs, weights, out),
        }
        panel += count;
    }
}

compiled! {
    /// Chains of one row: the sums of all panels of `out`. `nonzero` has a bit for each input other than 0, 64 a word, where it
    /// pays to pass over the others.
    row, row_on, (
        x: &[f32], nonzero: Option<&[u64]>, inputs: usize, weights: &[Lanes], bias: &[Lanes], out: &mut [Lanes],
    )
}

#[inline(always)]
fn mark_nonzero_on<const FOR: u8>(x: &[Lanes], words: &mut [u64]) {
    for (x, word) in x.chunks(u64::BITS as usize / PANEL).zip(words) {
        *word = 0;
        for (place, lanes) in x.iter().enumerate() {
            let mut bits = 0u16;
            for (lane, x) in lanes.iter().enumerate() {
                bits |= u16::from(*x != 0.0) << lane;
            }
            *word |= u64::from(bits) << (place * PANEL);
        }
    }
}

compiled! {
    /// A bit for each number of a row other than 0, 64 a word.
    mark_nonzero, mark_nonzero_on, (x: &[Lanes], words: &mut [u64])
}

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

/// The tree over eight partial sums. On its own: where it is inlined behind a loop over lanes, LLVM cuts the loop into pairs.
#[inline(never)]
fn tree(sums: &[f32; 8]) -> f32 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

#[inline(always)]
fn dots_on<const FOR: u8>(x: &[Lanes], weights: &[Lanes], bias: &[f32], out: &mut [f32]) {
    for ((weights, bias), out) in weights.chunks_exact(x.len()).zip(bias).zip(out) {
        let mut sums = [0.0; 8];
        for (x, w) in flat(x).as_chunks::<8>().0.iter().zip(flat(weights).as_chunks::<8>().0) {
            for lane in 0..8 {
                sums[lane] += x[lane] * w[lane];
            }
        }
        *out = tree(&sums) + bias;
    }
}

compiled! {
    /// Dot products of one row, which is filled up with zeros; the weights are `[outputs][inputs]`, filled up, too.
    dots, dots_on, (x: &[Lanes], weights: &[Lanes], bias: &[f32], out: &mut [f32])
}

#[inline(always)]
fn each(numbers: &mut [Lanes], function: impl Fn(f32) -> f32) {
    for lanes in numbers {
        for x in lanes.iter_mut() {
            *x = function(*x);
        }
    }
}

#[inline(always)]
fn activate_on<const FOR: u8>(activation: Activation, numbers: &mut [Lanes]) {
    match activation {
        Activation::Relu => each(numbers, functions::relu),
        Activation::Sigmoid => each(numbers, functions::sigmoid),
        Activation::Tanh => each(numbers, functions::tanh),
    }
}

compiled! {
    widest,
    /// Puts every number through the activation.
    activate, activate_on, (activation: Activation, numbers: &mut [Lanes])
}

#[inline(always)]
fn sum_on<const FOR: u8>(to: &mut [Lanes], other: &[Lanes]) {
    for (to, other) in to.iter_mut().zip(other) {
        for (to, other) in to.iter_mut().zip(other.iter()) {
            *to += other;
        }
    }
}

compiled! {
    /// Adds numbers to others.
    sum, sum_on, (to: &mut [Lanes], other: &[Lanes])
}
