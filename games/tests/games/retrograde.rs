//! Retrograde analysis: exact values of all positions that a start leads to. For games of alternating turns without
//! chance in which positions can recur: what neither side can force is a draw.

use std::collections::{BTreeMap, VecDeque};

use games::{Game, Moves as _};

/// The result of perfect play for the side to move, and the plies until then: the winner hurries, the loser delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The side to move wins.
    Win(u32),
    /// The side to move loses.
    Loss(u32),
    /// Neither can force a win.
    Draw,
}

/// The values of all positions, by the caller's key.
pub(crate) struct Solved {
    indices: BTreeMap<u64, usize>,
    values: Vec<Value>,
}

impl Solved {
    /// Value of the position with this key; `None` if the start does not lead to it.
    pub(crate) fn value(&self, key: u64) -> Option<Value> {
        self.indices.get(&key).map(|&index| self.values[index])
    }

    /// Values of all positions, the start's first.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}

/// Solves the game from `start`. Positions of equal `key` are taken for the same; `ended` values a position without
/// moves for the side whose turn it would be.
pub(crate) fn solve<G: Game>(start: G, key: impl Fn(&G) -> u64, ended: impl Fn(&G) -> Value) -> Solved {
    let mut indices = BTreeMap::from([(key(&start), 0)]);
    let mut positions = vec![start];
    // For each position: the positions that lead to it, the moves not yet known to lose, its value.
    let mut befores: Vec<Vec<u32>> = vec![Vec::new()];
    let (mut open, mut values) = (Vec::new(), Vec::new());
    let mut settled = VecDeque::new();
    let mut index = 0;
    while index < positions.len() {
        let moves = positions[index].moves();
        open.push(moves.len());
        values.push(if moves.is_empty() { ended(&positions[index]) } else { Value::Draw });
        if moves.is_empty() {
            settled.push_back(index);
        }
        for i in 0..moves.len() {
            let mut after = positions[index].clone();
            after.play(moves.get(i));
            let next = *indices.entry(key(&after)).or_insert(positions.len());
            if next == positions.len() {
                positions.push(after);
                befores.push(Vec::new());
            }
            befores[next].push(index as u32);
        }
        index += 1;
    }
    // Positions settle in the order of their plies, so the first move found to win is the fastest and the last one
    // found to lose the slowest.
    while let Some(index) = settled.pop_front() {
        for &before in &befores[index] {
            let before = before as usize;
            if values[before] != Value::Draw {
                continue;
            }
            match values[index] {
                Value::Loss(plies) => values[before] = Value::Win(plies + 1),
                Value::Win(plies) => {
                    open[before] -= 1;
                    if open[before] > 0 {
                        continue;
                    }
                    values[before] = Value::Loss(plies + 1);
                }
                Value::Draw => continue,
            }
            settled.push_back(before);
        }
    }
    Solved { indices, values }
}
