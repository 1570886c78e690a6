//! boop. played slowly: squares in an array, rules step by step, the state score and the promotion heuristic as
//! their tables say. It shares no code with the game.

use std::collections::BTreeMap;

/// Column and row, from 0, row 0 at the bottom.
pub(crate) type Square = (i32, i32);

/// Owner and whether it is large.
pub(crate) type Piece = (usize, bool);

/// A placement and the squares of what graduates then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) is_large: bool,
    pub(crate) square: Square,
    pub(crate) removed: Vec<Square>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) board: BTreeMap<Square, Piece>,
    /// `[seat][size]`
    pub(crate) pools: [[u32; 2]; 2],
    pub(crate) mover: usize,
    pub(crate) winner: Option<usize>,
}

const AROUND: [Square; 8] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)];
/// Half of the directions: each line once.
const LINES: [Square; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

pub(crate) fn squares() -> impl Iterator<Item = Square> {
    (0..6).flat_map(|row| (0..6).map(move |column| (column, row)))
}

fn is_square((column, row): Square) -> bool {
    (0..6).contains(&column) && (0..6).contains(&row)
}

fn is_border((column, row): Square) -> bool {
    [0, 5].contains(&column) || [0, 5].contains(&row)
}

fn is_centre((column, row): Square) -> bool {
    [2, 3].contains(&column) && [2, 3].contains(&row)
}

fn step((column, row): Square, (right, up): Square, times: i32) -> Square {
    (column + times * right, row + times * up)
}

impl Plain {
    pub(crate) fn new() -> Self {
        Plain { board: BTreeMap::new(), pools: [[8, 0]; 2], mover: 0, winner: None }
    }

    /// Places a piece of the mover and pushes its neighbours, in the order of `around`.
    pub(crate) fn place(&mut self, is_large: bool, square: Square, around: &[Square; 8]) {
        self.pools[self.mover][usize::from(is_large)] -= 1;
        assert_eq!(self.board.insert(square, (self.mover, is_large)), None);
        for &direction in around {
            let (next, behind) = (step(square, direction, 1), step(square, direction, 2));
            let Some(&(owner, neighbour_is_large)) = self.board.get(&next) else { continue };
            if neighbour_is_large && !is_large || self.board.contains_key(&behind) {
                continue;
            }
            self.board.remove(&next);
            if is_square(behind) {
                self.board.insert(behind, (owner, neighbour_is_large));
            } else {
                self.pools[owner][usize::from(neighbour_is_large)] += 1;
            }
        }
    }

    /// Lines of three of a seat, with the number of large pieces in each.
    fn threes(&self, seat: usize) -> Vec<([Square; 3], usize)> {
        let mut found = Vec::new();
        for start in squares() {
            for direction in LINES {
                let line = [0, 1, 2].map(|times| step(start, direction, times));
                let pieces: Vec<Piece> = line.iter().filter_map(|square| self.board.get(square).copied()).collect();
                if pieces.len() == 3 && pieces.iter().all(|piece| piece.0 == seat) {
                    found.push((line, pieces.iter().filter(|piece| piece.1).count()));
                }
            }
        }
        found
    }

    pub(crate) fn has_won(&self, seat: usize) -> bool {
        let large = self.board.values().filter(|&&piece| piece == (seat, true)).count();
        large == 8 || self.threes(seat).iter().any(|&(_, large)| large == 3)
    }

    /// What the mover may let graduate after a placement.
    pub(crate) fn options(&self) -> Vec<Vec<Square>> {
        if self.has_won(self.mover) {
            return Vec::new();
        }
        let threes = self.threes(self.mover).into_iter().filter(|&(_, large)| large < 3);
        let mut options: Vec<Vec<Square>> = threes.map(|(line, _)| line.to_vec()).collect();
        if self.pools[self.mover] == [0, 0] {
            options.extend(self.own(self.mover).map(|square| vec![square]));
        }
        options
    }

    fn own(&self, seat: usize) -> impl Iterator<Item = Square> {
        self.board.iter().filter(move |(_, piece)| piece.0 == seat).map(|(&square, _)| square)
    }

    pub(crate) fn promotion(&self, option: &[Square]) -> i32 {
        let is_small = |square: &Square| !self.board[square].1;
        let small = option.iter().filter(|square| is_small(square)).count();
        if let [first, second, third] = *option {
            let border = [first, second, third].into_iter().filter(|&square| is_border(square)).count();
            let extra = match (small, border) {
                (3, 3) => 10,
                (3, 1..) => 1,
                _ => 0,
            };
            return small as i32 + extra;
        }
        if small == 0 {
            return 0;
        }
        let square = option[0];
        let owner = |square: Square| self.board.get(&square).map(|piece| piece.0);
        let is_beside = AROUND.iter().any(|&direction| owner(step(square, direction, 1)) == Some(self.mover));
        let is_threatened = AROUND.iter().any(|&direction| {
            [1, 2].iter().all(|&times| owner(step(square, direction, times)) == Some(1 - self.mover))
        });
        let mut score = 5;
        score += if is_border(square) { 2 } else { 0 };
        score -= if is_centre(square) { 2 } else { 0 };
        score -= if is_beside { 3 } else { 0 };
        score -= if is_threatened { 10 } else { 0 };
        score
    }

    /// Those of the options that the promotion heuristic scores highest.
    pub(crate) fn best(&self, options: Vec<Vec<Square>>) -> Vec<Vec<Square>> {
        let most = options.iter().map(|option| self.promotion(option)).max();
        options.into_iter().filter(|option| Some(self.promotion(option)) == most).collect()
    }

    /// Returns pieces of the mover as large ones.
    pub(crate) fn graduate(&mut self, removed: &[Square]) {
        for square in removed {
            assert_eq!(self.board.remove(square).expect("a piece").0, self.mover);
            self.pools[self.mover][1] += 1;
        }
    }

    pub(crate) fn placements(&self) -> Vec<(bool, Square)> {
        let mut found = Vec::new();
        for is_large in [false, true].into_iter().filter(|&large| self.pools[self.mover][usize::from(large)] > 0) {
            found.extend(squares().filter(|square| !self.board.contains_key(square)).map(|square| (is_large, square)));
        }
        found
    }

    pub(crate) fn moves(&self, is_heuristic: bool) -> Vec<Move> {
        let mut found = Vec::new();
        if self.winner.is_some() {
            return found;
        }
        for (is_large, square) in self.placements() {
            let mut after = self.clone();
            after.place(is_large, square, &AROUND);
            let mut options = after.options();
            if is_heuristic {
                options = after.best(options);
            }
            if options.is_empty() {
                options.push(Vec::new());
            }
            found.extend(options.into_iter().map(|removed| Move { is_large, square, removed }));
        }
        found
    }

    pub(crate) fn play(&mut self, chosen: &Move) {
        self.place(chosen.is_large, chosen.square, &AROUND);
        if self.has_won(self.mover) {
            self.winner = Some(self.mover);
        }
        self.graduate(&chosen.removed);
        self.mover = 1 - self.mover;
    }

    /// The state score for a seat, as the table of the paper's program gives it.
    pub(crate) fn score(&self, seat: usize) -> i32 {
        let mut score = 0;
        for side in [seat, 1 - seat] {
            let sign = if side == seat { 1 } else { -1 };
            score += sign * 25 * self.pools[side][1] as i32;
            for (&square, _) in self.board.iter().filter(|(_, piece)| piece.0 == side) {
                let weight = if is_centre(square) { 1 } else { -i32::from(is_border(square)) };
                score += sign * if self.board[&square].1 { 25 + 9 + 3 * weight } else { 3 + weight };
            }
        }
        for row in 0..6 {
            score += self.scan(&(0..5).map(|column| (column, row)).collect::<Vec<_>>(), (1, 0), seat);
        }
        for column in 0..6 {
            score += self.scan(&(1..6).rev().map(|row| (column, row)).collect::<Vec<_>>(), (0, -1), seat);
        }
        let starts = |names: &str| -> Vec<Square> {
            let square = |name: &str| (i32::from(name.as_bytes()[0] - b'a'), i32::from(name.as_bytes()[1] - b'1'));
            names.split([',', ';', ' ']).filter(|name| !name.is_empty()).map(square).collect()
        };
        let up = "a5; a4,b5; a3,b4,c5; a2,b3,c4,d5; a1,b2,c3,d4,e5; b1,c2,d3,e4; c1,d2,e3; d1,e2; e1";
        let down = "a2; a3,b2; a4,b3,c2; a5,b4,c3,d2; a6,b5,c4,d3,e2; b6,c5,d4,e3; c6,d5,e4; d6,e5; e6";
        score + self.scan(&starts(up), (1, 1), seat) + self.scan(&starts(down), (1, -1), seat)
    }

    /// The terms of a list of starts.
    fn scan(&self, starts: &[Square], direction: Square, seat: usize) -> i32 {
        let mut sum = 0;
        let mut index = 0;
        while index < starts.len() {
            let (term, skip) = self.term(starts[index], direction, seat);
            sum += term;
            index += 1 + skip;
        }
        sum
    }

    /// The term at a start, and how many further starts are skipped.
    fn term(&self, start: Square, direction: Square, seat: usize) -> (i32, usize) {
        let at = |times: i32| self.board.get(&step(start, direction, times)).copied();
        let Some((owner, first)) = at(0) else { return (0, 0) };
        let Some((_, second)) = at(1).filter(|piece| piece.0 == owner) else { return (0, 0) };
        let is_mine = owner == seat;
        let choose = |mine: i32, theirs: i32| if is_mine { mine } else { theirs };
        let (one, two) = (step(start, direction, 1), step(start, direction, 2));
        let has_large = |seat: usize| self.pools[seat][1] > 0;
        let both_border = is_border(start) && is_border(one);
        let open_large = || match is_mine {
            true if both_border && has_large(1 - seat) => 0,
            true if has_large(seat) => 60,
            true => 20,
            false if has_large(1 - seat) => -300,
            false => -40,
        };
        let is_empty = |times: i32| is_square(step(start, direction, times)) && at(times).is_none();
        if let Some((_, third)) = at(2).filter(|piece| piece.0 == owner) {
            let small = [first, second, third].iter().filter(|&&is_large| !is_large).count() as i32;
            if small == 0 {
                return (choose(800, -800), 2);
            }
            if small == 3 {
                return (choose(40, -44), 2);
            }
            if second && (first && is_empty(-1) || third && is_empty(3)) {
                return (open_large(), 1);
            }
            return (small * choose(7, -11), 1);
        }
        let before = step(start, direction, -1);
        let is_corner = !is_square(before) && !is_square(two) && direction.0 != 0 && direction.1 != 0;
        let blocks =
            |times: i32| !is_square(step(start, direction, times)) || at(times).is_some_and(|piece| piece.0 != owner);
        let is_blocked = blocks(-1) && blocks(2);
        let large = usize::from(first) + usize::from(second);
        if is_corner {
            return (if large == 2 { choose(-5, 10) } else { choose(-1, 5) }, 0);
        }
        if is_blocked {
            return (if large == 2 { choose(-5, 0) } else { choose(-1, 0) }, 1);
        }
        let term = match large {
            2 => open_large(),
            1 => choose(if both_border { 0 } else { 7 }, -11),
            _ => choose(if both_border { 0 } else { 15 }, -22),
        };
        (term, 1)
    }

    /// The value of the position for a seat: where a move has won, that after the graduation that would follow it, as the
    /// first of `best` has it.
    pub(crate) fn valued(&self, order: impl Fn(Vec<Vec<Square>>) -> Vec<Vec<Square>>) -> Self {
        let mut valued = self.clone();
        let last = 1 - self.mover;
        if self.winner == Some(last) {
            valued.mover = last;
            let threes = valued.threes(last).into_iter().filter(|&(_, large)| large < 3);
            let mut options: Vec<Vec<Square>> = threes.map(|(line, _)| line.to_vec()).collect();
            if valued.pools[last] == [0, 0] {
                options.extend(valued.own(last).map(|square| vec![square]));
            }
            let best = order(valued.best(options));
            if let Some(option) = best.first() {
                valued.graduate(option);
            }
            valued.mover = self.mover;
        }
        valued
    }

    /// The text of the position without plies.
    pub(crate) fn text(&self) -> String {
        let letter = |square: Square| match self.board.get(&square) {
            None => '.',
            Some((0, false)) => 'a',
            Some((0, true)) => 'A',
            Some((_, false)) => 'b',
            Some((_, true)) => 'B',
        };
        let row = |row: i32| (0..6).map(|column| letter((column, row))).collect::<String>();
        let rows: Vec<String> = (0..6).rev().map(row).collect();
        let pools = self.pools.map(|[small, large]| format!("{small},{large}"));
        format!("{} {} {} {}", rows.join("/"), ["a", "b"][self.mover], pools[0], pools[1])
    }
}

fn square_text((column, row): Square) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

impl Move {
    /// The text of the move; squares of what graduates by row, then column.
    pub(crate) fn text(&self) -> String {
        let mut removed = self.removed.clone();
        removed.sort_by_key(|&(column, row)| (row, column));
        let removed: Vec<String> = removed.into_iter().map(square_text).collect();
        let colon = if removed.is_empty() { "" } else { ":" };
        format!("{}@{}{colon}{}", if self.is_large { "l" } else { "s" }, square_text(self.square), removed.join(","))
    }
}
