//! Dodgem on 3x3 to 5x5 squares; the EvoMCTS paper plays it on 5x5 (docs/papers/evomcts.md, "Dodgem", has what the paper
//! leaves open).
//!
//! Two players, no chance, perfect information, constant sum. Black's cars start in the left column and leave to the
//! right, White's start in the top row and leave at the bottom; the corner between them starts empty. A step goes
//! forward or sideways to an empty square, or off the board from the last line. The side to
//! move wins if it has no legal move. A game that reaches its cap of plies is a draw, unless the side to move has no move.
//!
//! Square `size * row + column`, a1 = 0 the corner: column a-e from the left, row 1-5 from the top. A move is written
//! as the squares it leaves and reaches, `a2b2`, or with `off` for the second, `e1off`.

mod encoding;
mod lines;
mod options;
mod playout;
mod text;

use lines::Lines;

use crate::{
    Encoding, Facts, Game, Moves, Rng, Seat, TextError, Turn, bits,
    features::{Features, Guide, Guiding, Views},
};

/// Sizes of boards.
const SIZES: std::ops::RangeInclusive<u8> = 3..=5;
/// Upper bound of the options that are a number of plies.
const PLIES_MAX: u16 = 60_000;

/// The numbers of EvoMCTS table IX, by their index; docs/papers/evomcts.md, "Dodgem", says what PosCount measures.
pub(crate) mod number {
    pub(crate) const ENEMY_MAN: usize = 0;
    pub(crate) const FRIENDLY_MAN: usize = 1;
    pub(crate) const MAN: usize = 2;
    pub(crate) const MOBILITY: usize = 3;
    pub(crate) const FRIENDLY_POS: usize = 4;
    pub(crate) const ENEMY_POS: usize = 5;
    pub(crate) const POS: usize = 6;
    /// The numbers that count cars.
    pub(crate) const MEN: u32 = 1 << ENEMY_MAN | 1 << FRIENDLY_MAN | 1 << MAN;
    /// The numbers that count steps.
    pub(crate) const STEPS: u32 = 1 << FRIENDLY_POS | 1 << ENEMY_POS | 1 << POS;
}

static NUMBERS: [&str; 7] =
    ["EnemyManCount", "FriendlyManCount", "ManCount", "Mobility", "FriendlyPosCount", "EnemyPosCount", "PosCount"];

/// By size, from 3.
static FEATURES: [Features; 3] =
    [Features::new(&NUMBERS, 3, 3), Features::new(&NUMBERS, 4, 4), Features::new(&NUMBERS, 5, 5)];

/// By size, from 3, and seat.
static LINES: [[Lines; 2]; 3] =
    [[Lines::new(3, 0), Lines::new(3, 1)], [Lines::new(4, 0), Lines::new(4, 1)], [Lines::new(5, 0), Lines::new(5, 1)]];

/// Writes the `wanted` numbers of two sets of cars; `steps` of both and `mobility` are called only if they are wanted.
#[inline(always)]
fn write(
    [friendly, enemy]: [u32; 2],
    steps: impl FnOnce() -> [u32; 2],
    mobility: impl FnOnce() -> u32,
    wanted: u32,
    lane: usize,
    views: &mut Views,
) {
    views.friendly[lane] = u64::from(friendly);
    views.enemy[lane] = u64::from(enemy);
    if wanted >> number::MOBILITY & 1 == 1 {
        views.numbers[number::MOBILITY][lane] = f64::from(mobility());
    }
    if wanted & number::STEPS != 0 {
        let [own, other] = steps().map(f64::from);
        views.numbers[number::FRIENDLY_POS][lane] = own;
        views.numbers[number::ENEMY_POS][lane] = other;
        views.numbers[number::POS][lane] = own - other;
    }
    // Counting is cheaper than testing which count is wanted.
    let (own, other) = (f64::from(friendly.count_ones()), f64::from(enemy.count_ones()));
    views.numbers[number::FRIENDLY_MAN][lane] = own;
    views.numbers[number::ENEMY_MAN][lane] = other;
    views.numbers[number::MAN][lane] = own - other;
}

/// A position of Dodgem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dodgem {
    /// Cars of Black and White.
    cars: [u32; 2],
    /// Plies since the start.
    plies: u16,
    /// Plies after which the game is a draw.
    plies_max: u16,
    /// Plies after which a playout is a draw.
    playout_plies: u16,
    /// Rows, and columns.
    size: u8,
    /// Side to move: 0 Black, 1 White.
    seat: u8,
}

/// A step: the two squares it joins, or the square from which a car leaves the board. Its direction follows from the
/// position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(u8);

/// Legal moves of a position: those forward by square, then those sideways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(u64);

impl Moves<Move> for Steps {
    #[inline]
    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        Move(bits::nth_set(self.0, index as u32) as u8)
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        let taken = self.get(index);
        self.0 &= !(1 << taken.0);
        taken
    }
}

impl Dodgem {
    /// The start on `size` x `size` squares. A game is a draw after `plies_max` plies, a playout counts as one after
    /// `playout_plies`.
    ///
    /// # Panics
    /// `size` is not from 3 to 5, or a number of plies not from 1 to 60,000.
    pub fn new(size: u8, plies_max: u16, playout_plies: u16) -> Self {
        assert!(SIZES.contains(&size), "no board of {size} x {size} squares");
        for plies in [plies_max, playout_plies] {
            assert!((1..=PLIES_MAX).contains(&plies), "{plies} plies are no cap");
        }
        let cars = [0, 1].map(|seat| Lines::start(u32::from(size), seat));
        Dodgem { cars, plies: 0, plies_max, playout_plies, size, seat: 0 }
    }

    /// Cars of Black and White, as sets of squares.
    pub fn cars(&self) -> [u32; 2] {
        self.cars
    }

    /// Plies since the start.
    pub fn plies(&self) -> u32 {
        u32::from(self.plies)
    }

    /// Steps forward that the cars of Black and of White need to leave the board: 0 to `size * (size - 1)`.
    pub fn steps(&self) -> [u32; 2] {
        [0, 1].map(|seat| self.lines(seat).steps(self.cars[seat]))
    }

    #[inline(always)]
    fn lines(&self, seat: Seat) -> &'static Lines {
        &LINES[usize::from(self.size - SIZES.start())][seat]
    }

    /// Legal steps of the side to move, without regard to the cap of plies.
    #[inline(always)]
    fn bits(&self) -> u64 {
        let seat = usize::from(self.seat);
        self.lines(seat).moves(self.cars[seat], self.cars[1 - seat])
    }
}

/// The paper's board with the default caps: 5 x 5, 200 plies, playouts of 100.
impl Default for Dodgem {
    fn default() -> Self {
        Self::new(5, 200, 100)
    }
}

impl Game for Dodgem {
    type Move = Move;
    type Moves = Steps;

    fn facts(&self) -> Facts {
        Facts {
            name: "dodgem",
            title: match self.size {
                3 => "Dodgem 3x3",
                4 => "Dodgem 4x4",
                _ => "Dodgem 5x5",
            },
            players: 2,
            chance: false,
            // A car has a step forward and two sideways.
            moves_max: 3 * usize::from(self.size - 1),
            plies_max: u32::from(self.plies_max),
            score_unit: "steps",
            columns: &[],
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(usize::from(self.seat))
    }

    #[inline]
    fn moves(&self) -> Steps {
        Steps(if self.plies < self.plies_max { self.bits() } else { 0 })
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        let seat = usize::from(self.seat);
        self.cars[seat] = self.lines(seat).play(self.cars[seat], 1 << (chosen.0 & 63));
        self.seat ^= 1;
        self.plies += 1;
    }

    fn points(&self) -> [f64; 2] {
        match (self.bits(), self.seat) {
            (0, 0) => [1.0, 0.0],
            (0, _) => [0.0, 1.0],
            _ => [0.5; 2],
        }
    }

    /// Steps forward that White needs, less those that Black needs.
    fn score_difference(&self) -> i64 {
        let [black, white] = self.steps().map(i64::from);
        white - black
    }

    /// All steps of one side.
    fn evaluation_scale(&self) -> Option<f64> {
        Some(f64::from(self.size) * f64::from(self.size - 1))
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng);
        self.points()
    }

    fn playout_plies_max(&self) -> u32 {
        u32::from(self.playout_plies)
    }

    fn features(&self) -> Option<&'static Features> {
        Some(&FEATURES[usize::from(self.size - SIZES.start())])
    }

    /// Mobility is the number of moves if it were the friendly side's turn, without regard to the cap of plies.
    #[inline]
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        let enemy = 1 - friendly;
        let cars = [self.cars[friendly], self.cars[enemy]];
        let lines = self.lines(friendly);
        let steps = || [lines.steps(cars[0]), self.lines(enemy).steps(cars[1])];
        write(cars, steps, || lines.moves(cars[0], cars[1]).count_ones(), wanted, lane, views);
    }

    fn guided_playout<E: Guide>(&mut self, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
        playout::guided(self, rng, guide, guiding);
        self.points()
    }

    fn encodings(&self) -> Vec<Encoding> {
        encoding::all(self)
    }

    fn encode(&self, _encoding: usize, inputs: &mut [f32]) {
        encoding::encode(self, inputs);
    }

    fn policy_size(&self) -> Option<usize> {
        Some(encoding::policy_size(self))
    }

    fn policy_index(&self, chosen: Move) -> usize {
        encoding::policy_index(self, chosen)
    }

    fn move_text(&self, chosen: Move) -> String {
        text::of_move(self, chosen)
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
