//! The function optimisation problem of the SIEA-MCTS thesis (section 4.2; docs/papers/siea-mcts.md).
//!
//! One player, no chance. A position is an interval of [0, 1], a move one of its equal parts; the game is over when
//! the interval is narrower than a limit. The reward is then 1 with probability f(centre), else 0: [`Game::points`] is
//! the mean, [`Game::outcome`] a draw. All games are equally long, and no two paths lead to one position.
//!
//! Interval `index` of depth d with k parts a move is [index / k^d, (index + 1) / k^d]: whole numbers, so that no
//! rounding adds up along a path.
//!
//! The domain is [0, 1] as in the thesis; a formula may map it to another (`-5+10*x` for x).

pub mod expression;
pub mod function;
mod options;
mod problem;
mod text;

use std::{
    hash::{Hash, Hasher},
    num::NonZeroU8,
};

use rand::Rng as _;

use self::{function::Function, problem::Problem};
use crate::{Facts, Game, Moves, Rng, TextError, Turn, bits, unit};

/// A position of the function optimisation problem: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fop {
    problem: &'static Problem,
    /// Place of the interval among those of its depth.
    index: u32,
    /// Plies since the start.
    depth: u8,
}

/// Equal parameters share one problem, so problems are compared by address.
impl PartialEq for Fop {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.depth == other.depth && std::ptr::eq(self.problem, other.problem)
    }
}

impl Hash for Fop {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Without the problem: its address differs between processes.
        (self.index, self.depth).hash(state);
    }
}

/// One of the parts of an interval, stored as its number plus one, so that an optional move is as small as a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(NonZeroU8);

impl Move {
    fn new(part: u32) -> Self {
        Move(NonZeroU8::MIN.saturating_add(part as u8))
    }

    /// The part, from 0 on the left.
    #[inline]
    pub fn part(self) -> u32 {
        u32::from(self.0.get()) - 1
    }
}

/// Parts that can be chosen, from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u16);

impl Moves<Move> for Parts {
    #[inline]
    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        Move::new(bits::nth_set(u64::from(self.0), index as u32))
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        let taken = self.get(index);
        self.0 &= !(1 << taken.part());
        taken
    }
}

impl Fop {
    /// The start of the search of `function`: intervals are cut into `branching` parts until they are narrower than
    /// `width_min`.
    ///
    /// # Panics
    /// `branching` is not from 2 to 16, or `width_min` not from 1e-8 to 1.
    pub fn new(function: Function, branching: u8, width_min: f64) -> Self {
        Fop { problem: problem::intern(function, branching, width_min), index: 0, depth: 0 }
    }

    /// The function.
    pub fn function(&self) -> &'static Function {
        &self.problem.function
    }

    /// Parts that an interval is cut into.
    pub fn branching(&self) -> u8 {
        self.problem.branching
    }

    /// Plies since the start.
    pub fn depth(&self) -> u32 {
        u32::from(self.depth)
    }

    /// Place of the interval among those of its depth, from 0 on the left.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Both ends of the interval.
    pub fn interval(&self) -> [f64; 2] {
        let intervals = f64::from(self.problem.powers[usize::from(self.depth)]);
        [0.0, 1.0].map(|side| (f64::from(self.index) + side) / intervals)
    }

    /// The middle of the interval.
    #[inline]
    pub fn centre(&self) -> f64 {
        self.problem.centre(self.depth, self.index)
    }

    /// The function at the middle, from 0 to 1.
    #[inline]
    pub fn value(&self) -> f64 {
        self.problem.value(self.depth, self.index)
    }

    /// Draws one reward.
    #[inline(always)]
    fn reward(rng: &mut Rng, mean: f64) -> [f64; 2] {
        [f64::from(u8::from(unit(rng) < mean)), 0.0]
    }
}

/// The thesis' first function with the depth of its tables: 17 plies of two parts.
impl Default for Fop {
    fn default() -> Self {
        Self::new(Function::Known(&function::KNOWN[0]), 2, 1e-5)
    }
}

impl Game for Fop {
    type Move = Move;
    type Moves = Parts;

    fn facts(&self) -> Facts {
        Facts {
            name: "fop",
            title: &self.problem.title,
            players: 1,
            chance: false,
            moves_max: usize::from(self.problem.branching),
            plies_max: u32::from(self.problem.depth),
            score_unit: "millionths of f",
            columns: &[],
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(0)
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.depth == self.problem.depth { Turn::Over } else { Turn::Player(0) }
    }

    #[inline]
    fn moves(&self) -> Parts {
        let all = (1u32 << self.problem.branching) - 1;
        Parts(if self.depth == self.problem.depth { 0 } else { all as u16 })
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        self.index = self.index.wrapping_mul(u32::from(self.problem.branching)).wrapping_add(chosen.part());
        self.depth += 1;
    }

    fn points(&self) -> [f64; 2] {
        [self.value(), 0.0]
    }

    #[inline]
    fn outcome(&self, rng: &mut Rng) -> [f64; 2] {
        Self::reward(rng, self.value())
    }

    fn place(&self) -> Option<f64> {
        Some(self.centre())
    }

    /// The function at the centre, in millionths: the mean of the reward.
    fn score_difference(&self) -> i64 {
        libm::round(self.value() * 1e6) as i64
    }

    /// Draws one of the ends below, with a bias of at most 2^-32, instead of every ply that is left; then the reward.
    #[inline(always)]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        let problem = self.problem;
        let left = problem.depth.saturating_sub(self.depth);
        if left > 0 {
            let ends = problem.powers[usize::from(left)];
            let end = (u128::from(rng.next_u64()) * u128::from(ends)) >> 64;
            self.index = self.index * ends + end as u32;
            self.depth = problem.depth;
        }
        Self::reward(rng, problem.end_value(self.index))
    }

    fn move_text(&self, chosen: Move) -> String {
        chosen.part().to_string()
    }

    fn position_text(&self) -> String {
        text::of_position(self)
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        text::position(self, text)
    }

    fn board_text(&self) -> String {
        text::board(self)
    }
}
