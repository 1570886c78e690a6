//! An exact solver of small games between two that knows nothing but the trait's moves: retrograde analysis.

use std::collections::BTreeMap;

use games::{Game as _, Moves as _, Turn, dodgem::Dodgem};

/// Value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Won in so many plies if both play on best.
    Win(u32),
    /// Lost in so many.
    Loss(u32),
    /// Neither can force a win.
    Draw,
}

/// Cars and side to move: plies made do not matter without a cap.
type Key = ([u32; 2], usize);

/// Every position that can be reached from a start, solved.
pub(crate) struct Solver {
    index: BTreeMap<Key, usize>,
    outcomes: Vec<Outcome>,
}

fn key(position: &Dodgem) -> Key {
    let Turn::Player(seat) = position.mover() else { unreachable!("no chance in Dodgem") };
    (position.cars(), seat)
}

impl Solver {
    pub(crate) fn new(start: Dodgem) -> Self {
        let mut index = BTreeMap::from([(key(&start), 0)]);
        let mut positions = vec![start];
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < positions.len() {
            let position = positions[at];
            let moves = position.moves();
            open.push(moves.len());
            for i in 0..moves.len() {
                let mut after = position;
                after.play(moves.get(i));
                let next = *index.entry(key(&after)).or_insert_with(|| {
                    positions.push(after);
                    before.push(Vec::new());
                    positions.len() - 1
                });
                before[next].push(at);
            }
            at += 1;
        }
        // By plies to the end: who cannot move has won.
        let mut outcomes = vec![Outcome::Draw; positions.len()];
        let mut level: Vec<usize> = (0..positions.len()).filter(|&i| open[i] == 0).collect();
        level.iter().for_each(|&i| outcomes[i] = Outcome::Win(0));
        let mut plies = 0;
        while !level.is_empty() {
            plies += 1;
            let mut next = Vec::new();
            for solved in level {
                for &parent in &before[solved] {
                    if outcomes[parent] != Outcome::Draw {
                        continue;
                    }
                    open[parent] -= 1;
                    match outcomes[solved] {
                        Outcome::Loss(_) => outcomes[parent] = Outcome::Win(plies),
                        Outcome::Win(_) if open[parent] == 0 => outcomes[parent] = Outcome::Loss(plies),
                        _ => continue,
                    }
                    next.push(parent);
                }
            }
            level = next;
        }
        Solver { index, outcomes }
    }

    /// Of a position that can be reached.
    pub(crate) fn outcome(&self, position: &Dodgem) -> Outcome {
        self.outcomes[self.index[&key(position)]]
    }

    /// Of every position.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = Outcome> + '_ {
        self.outcomes.iter().copied()
    }
}
