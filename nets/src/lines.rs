//! Numbers in lines of the cache.

use std::ops::{Deref, DerefMut};

/// Numbers in a line: 64 bytes.
pub(crate) const PANEL: usize = 16;

/// Lines that hold `width` numbers.
pub(crate) fn panels(width: usize) -> usize {
    width.div_ceil(PANEL)
}

/// Sixteen numbers of four bytes that fill a line of the cache: a load of eight that begins in one line and ends in the next takes
/// twice as long.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Line<T>([T; PANEL]);

/// Numbers side by side.
pub(crate) type Lanes = Line<f32>;

impl Lanes {
    pub(crate) const ZERO: Self = Line([0.0; PANEL]);
}

impl<T> Line<T> {
    /// The numbers that `number` gives for 0 to 15.
    #[inline(always)]
    pub(crate) fn from_fn(number: impl FnMut(usize) -> T) -> Self {
        Line(std::array::from_fn(number))
    }
}

impl<T> Deref for Line<T> {
    type Target = [T; PANEL];

    #[inline(always)]
    fn deref(&self) -> &[T; PANEL] {
        &self.0
    }
}

impl<T> DerefMut for Line<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; PANEL] {
        &mut self.0
    }
}

/// The numbers of lines, one behind the other.
#[inline(always)]
pub(crate) fn flat(lines: &[Lanes]) -> &[f32] {
    const { assert!(size_of::<Lanes>() == size_of::<[f32; PANEL]>()) }
    // SAFETY: a line is sixteen numbers and nothing else.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * PANEL) }
}

/// The same, to be changed.
#[inline(always)]
pub(crate) fn flat_mut(lines: &mut [Lanes]) -> &mut [f32] {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * PANEL) }
}
