//! A problem, which its positions share: the function, the shape of the tree, the values of its ends.

use std::{
    fmt,
    ops::RangeInclusive,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use super::function::Function;

/// Parts that an interval can be cut into.
pub(crate) const BRANCHING: RangeInclusive<u8> = 2..=16;
/// Range of the width below which an interval is an end. The least keeps the number of ends below 2^32.
pub(crate) const WIDTH_MIN: RangeInclusive<f64> = 1e-8..=1.0;
/// Plies to an end of the least width with two parts each: no problem is deeper.
const DEPTH_MAX: usize = 27;
/// Most ends whose values a problem keeps: 8 MiB.
const TABLE_MAX: u32 = 1 << 20;
/// Most values that all problems of a process keep: 64 MiB.
const TABLES_MAX: u32 = 1 << 23;

/// A function and how its domain is cut.
pub(super) struct Problem {
    pub(super) function: Function,
    /// Title for people.
    pub(super) title: String,
    /// Parts that an interval is cut into.
    pub(super) branching: u8,
    /// Plies to an end.
    pub(super) depth: u8,
    /// `[d]`: number of intervals of depth d; 0 below the ends.
    pub(super) powers: [u32; DEPTH_MAX + 1],
    /// The value of each end, filled by the first playout; the inner `None` if that would be too much memory.
    ends: OnceLock<Option<Box<[f64]>>>,
}

impl Problem {
    fn new(function: Function, branching: u8, counts: &[u32]) -> Self {
        let mut powers = [0; DEPTH_MAX + 1];
        powers[..counts.len()].copy_from_slice(counts);
        let depth = (counts.len() - 1) as u8;
        let title = format!("FOP {}", function.text());
        Problem { function, title, branching, depth, powers, ends: OnceLock::new() }
    }

    /// The centre of interval `index` of `depth`.
    #[inline]
    pub(super) fn centre(&self, depth: u8, index: u32) -> f64 {
        centre(self.powers[usize::from(depth)], index)
    }

    /// The function at the centre of an interval, from 0 to 1.
    #[inline]
    pub(super) fn value(&self, depth: u8, index: u32) -> f64 {
        match self.ends.get() {
            Some(Some(ends)) if depth == self.depth => ends[index as usize],
            _ => self.function.chance(self.centre(depth, index)),
        }
    }

    /// The function at the centre of an end, from a table with the same bits that the first call fills.
    #[inline]
    pub(super) fn end_value(&self, index: u32) -> f64 {
        match self.ends.get() {
            Some(Some(ends)) => ends[index as usize],
            Some(None) => self.function.chance(self.centre(self.depth, index)),
            None => {
                self.fill();
                self.value(self.depth, index)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn fill(&self) {
        self.ends.get_or_init(|| {
            let count = self.powers[usize::from(self.depth)];
            let chance = |index| self.function.chance(self.centre(self.depth, index));
            (count <= TABLE_MAX && claim(count)).then(|| (0..count).map(chance).collect())
        });
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} parts to depth {}", self.title, self.branching, self.depth)
    }
}

/// Reserves room for `count` values, if there is any.
fn claim(count: u32) -> bool {
    static KEPT: AtomicU32 = AtomicU32::new(0);
    let room = |kept: u32| kept.checked_add(count).filter(|&sum| sum <= TABLES_MAX);
    KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
}

/// The centre of interval `index` of `intervals`, rounded once.
#[inline]
pub(super) fn centre(intervals: u32, index: u32) -> f64 {
    (2.0 * f64::from(index) + 1.0) / (2.0 * f64::from(intervals))
}

/// `[d]`: number of intervals of depth d, down to the first that are narrower than `width_min`.
pub(super) fn powers(branching: u8, width_min: f64) -> Vec<u32> {
    let mut powers = vec![1u32];
    let mut last = 1;
    while 1.0 / f64::from(last) >= width_min {
        last *= u32::from(branching);
        powers.push(last);
    }
    powers
}

/// The problem of these parameters: equal parameters get the same one for as long as the process lives.
///
/// A position holds a plain reference, which is cheap to copy; a counted one would cost an atomic operation a node. The
/// memory that is never freed is bounded: one problem for each different formula that the process reads, at most some
/// 20 KB (a formula has at most 1,000 characters), and 64 MiB for all tables of values together.
///
/// # Panics
/// The branching or width is out of range.
pub(super) fn intern(function: Function, branching: u8, width_min: f64) -> &'static Problem {
    static PROBLEMS: Mutex<Vec<&'static Problem>> = Mutex::new(Vec::new());
    assert!(BRANCHING.contains(&branching), "no interval is cut into {branching} parts");
    assert!(WIDTH_MIN.contains(&width_min), "no interval ends at a width of {width_min}");
    let powers = powers(branching, width_min);
    let mut problems = PROBLEMS.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |known: &&&Problem| {
        known.function == function && known.branching == branching && usize::from(known.depth) + 1 == powers.len()
    };
    if let Some(known) = problems.iter().find(same) {
        return known;
    }
    let problem: &'static Problem = Box::leak(Box::new(Problem::new(function, branching, &powers)));
    problems.push(problem);
    problem
}
