//! Linear maps of one row.

use crate::{
    lines::{Lanes, PANEL, flat},
    processor::{BASELINE, compiled},
};

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
