//! A game with what is trained on, as bytes.
//!
//! A game is the number of its plies, then each ply, then its end. A ply is the place of its move among the legal ones times
//! four, plus 1 if its position is a sample, plus 2 if the sample has a label of its own, which follows. A sample's visits
//! follow: their number, then the place of each move and its visits. Labels and the end are the first seat's points: 0 for a
//! loss, 1 for a draw, 2 for a win. In place of a label of its own a sample may have 3 and what its search found: the number of
//! positions, then of each the number of the position before, the place of the move behind which it is, and the first seat's
//! points in 65536ths. Numbers are LEB128.

use crate::player::Searched;

/// The first seat's points in a game for two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Loss,
    Draw,
    Win,
}

impl Label {
    pub(super) fn of_points(points: f64) -> Self {
        match points {
            points if points > 0.5 => Label::Win,
            points if points < 0.5 => Label::Loss,
            _ => Label::Draw,
        }
    }

    pub(super) fn of_difference(difference: i64) -> Self {
        match difference.signum() {
            1 => Label::Win,
            -1 => Label::Loss,
            _ => Label::Draw,
        }
    }

    pub(super) fn points(self) -> f64 {
        match self {
            Label::Loss => 0.0,
            Label::Draw => 0.5,
            Label::Win => 1.0,
        }
    }

    fn of_code(code: u64) -> Option<Self> {
        [Label::Loss, Label::Draw, Label::Win].get(usize::try_from(code).ok()?).copied()
    }
}

/// What stands in place of a label where positions of a search follow.
const SEARCHED: u64 = 3;
/// A win in the unit of stored points.
const WIN: f64 = 65_536.0;

/// What a position teaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// Its own label; that of the game's end if `None`.
    pub(super) label: Option<Label>,
    /// Places of moves among the legal ones, each with its visits.
    pub(super) visits: Vec<(u32, u32)>,
    /// The positions that its search valued, itself first, which then have these labels; usually none. Points are stored in 65536ths.
    pub(super) searched: Vec<Searched>,
}

impl Sample {
    /// Positions that it gives.
    pub(super) fn positions(&self) -> u32 {
        self.searched.len().max(1) as u32
    }

    fn write_label(&self, bytes: &mut Vec<u8>) {
        if self.searched.is_empty() {
            self.label.into_iter().for_each(|label| number(label as u64, bytes));
            return;
        }
        number(SEARCHED, bytes);
        number(self.searched.len() as u64, bytes);
        for &Searched { parent, place, points } in &self.searched {
            number(parent.into(), bytes);
            number(place.into(), bytes);
            number((points * WIN).round() as u64, bytes);
        }
    }

    fn read_label(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let code = take(bytes)?;
        if code != SEARCHED {
            self.label = Some(Label::of_code(code)?);
            return Some(());
        }
        for number in 0..take(bytes)? {
            let (parent, place, points) = (small(take(bytes)?)?, small(take(bytes)?)?, take(bytes)? as f64 / WIN);
            let is_behind = u64::from(parent) < number.max(1);
            self.searched.push((is_behind && points <= 1.0).then_some(Searched { parent, place, points })?);
        }
        Some(())
    }
}

/// A ply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ply {
    /// Place of its move among the legal ones.
    pub(super) place: u32,
    /// What its position teaches, if anything.
    pub(super) sample: Option<Sample>,
}

/// A game.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Played {
    pub(super) plies: Vec<Ply>,
    pub(super) end: Label,
}

impl Played {
    /// Appends the game.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        number(self.plies.len() as u64, bytes);
        for Ply { place, sample } in &self.plies {
            let is_own = |sample: &Sample| sample.label.is_some() || !sample.searched.is_empty();
            let flags = u64::from(sample.is_some()) | u64::from(sample.as_ref().is_some_and(is_own)) << 1;
            number(u64::from(*place) << 2 | flags, bytes);
            if let Some(sample) = sample {
                sample.write_label(bytes);
                number(sample.visits.len() as u64, bytes);
                for &(place, visits) in &sample.visits {
                    number(place.into(), bytes);
                    number(visits.into(), bytes);
                }
            }
        }
        number(self.end as u64, bytes);
    }

    /// Takes a game from the front of `bytes`; `None` if there is none, or not a whole one.
    pub(super) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let count = take(bytes)?;
        let mut plies = Vec::new();
        for _ in 0..count {
            let word = take(bytes)?;
            let mut sample = (word & 1 == 1).then(Sample::default);
            if let Some(sample) = &mut sample {
                if word & 2 != 0 {
                    sample.read_label(bytes)?;
                }
                for _ in 0..take(bytes)? {
                    sample.visits.push((small(take(bytes)?)?, small(take(bytes)?)?));
                }
            }
            plies.push(Ply { place: small(word >> 2)?, sample });
        }
        Some(Played { plies, end: Label::of_code(take(bytes)?)? })
    }
}

fn small(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

fn number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Played {
        let sample =
            |label, visits: &[(u32, u32)]| Some(Sample { label, visits: visits.to_vec(), searched: Vec::new() });
        let searched = [(0, 0, 0.25), (0, 7, 1.0), (1, 300, 0.0)].map(|(parent, place, points)| Searched {
            parent,
            place,
            points,
        });
        let of_search = Sample { searched: searched.to_vec(), ..Sample::default() };
        Played {
            plies: vec![
                Ply { place: 0, sample: None },
                Ply { place: 1_000_000, sample: sample(None, &[(0, 1), (300, u32::MAX)]) },
                Ply { place: 5, sample: sample(Some(Label::Draw), &[]) },
                Ply { place: 127, sample: sample(Some(Label::Loss), &[(1, 2)]) },
                Ply { place: 2, sample: Some(of_search) },
            ],
            end: Label::Win,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        let second = Played { plies: Vec::new(), end: Label::Draw };
        game().write(&mut bytes);
        second.write(&mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(Played::read(&mut rest), Some(game()));
        assert_eq!(Played::read(&mut rest), Some(second));
        assert_eq!(Played::read(&mut rest), None);
        // Nothing that is cut short is a game.
        let mut whole = Vec::new();
        game().write(&mut whole);
        for length in 0..whole.len() {
            assert_eq!(Played::read(&mut &whole[..length]), None, "{length}");
        }
        assert_eq!(Played::read(&mut [0xff; 11].as_slice()), None);
    }
}
