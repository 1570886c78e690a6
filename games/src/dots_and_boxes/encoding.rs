//! Positions of Dots and Boxes for networks.

use super::DotsAndBoxes;
use crate::encoding::{Encoding, View};

/// Encodings, by their place in [`all`].
const PAPER: usize = 0;
const PAPER_TO_MOVE: usize = 1;
const PAPER_MOVER: usize = 2;
const MOVER: usize = 3;

/// Numbers of edges and boxes in the paper (Cotarelo et al. 2021, section 3.1), in its codes 0 to 5.
mod code {
    pub(super) const FREE_EDGE: f32 = 0.0;
    pub(super) const DRAWN_EDGE: f32 = 0.25;
    pub(super) const OWN_BOX: f32 = 0.5;
    pub(super) const OTHER_BOX: f32 = 0.75;
    pub(super) const OPEN_BOX: f32 = 1.0;
}

/// Counts of free sides that `mover-sides` tells apart.
const SIDES: usize = 4;

/// All encodings.
pub(super) fn all(position: &DotsAndBoxes) -> Vec<Encoding> {
    let (edges, boxes) = (position.edges() as usize, boxes(position));
    let encoding = |name, doc, inputs, limit, view| Encoding { name, doc, inputs, limit, view };
    vec![
        encoding(
            "paper",
            "edges by number, 0.25 drawn and 0 free, then boxes row by row: 0.5 the first player's, 0.75 the second's, 1 open",
            edges + boxes,
            1,
            View::First,
        ),
        encoding("paper-to-move", "as `paper`, then 1 if the first player moves", edges + boxes + 1, 1, View::First),
        encoding(
            "paper-mover",
            "as `paper`, with 0.5 for boxes of the player to move and 0.75 for the other's",
            edges + boxes,
            1,
            View::Mover,
        ),
        encoding(
            "mover",
            "edges by number, 1 drawn and 0 free; boxes of the player to move, then the other's, 1 or 0 row by row; a quarter of \
             the difference of their numbers",
            edges + 2 * boxes + 1,
            13,
            View::Mover,
        ),
        encoding(
            "mover-sides",
            "as `mover`, then for each box row by row whether it has 1, 2, 3 and 4 free sides",
            edges + (2 + SIDES) * boxes + 1,
            13,
            View::Mover,
        ),
    ]
}

fn boxes(position: &DotsAndBoxes) -> usize {
    usize::from(position.rows()) * usize::from(position.columns())
}

/// Writes a number for each bit of `rows` rows of `columns`, eight bits a row; gives the inputs behind them.
#[inline(always)]
fn put(rows: u8, columns: u8, inputs: &mut [f32], number: impl Fn(u32) -> f32) -> &mut [f32] {
    let (rows, columns) = (usize::from(rows), usize::from(columns));
    let (here, rest) = inputs.split_at_mut(rows * columns);
    for (row, inputs) in here.chunks_exact_mut(columns).enumerate() {
        for (column, input) in inputs.iter_mut().enumerate() {
            *input = number(8 * row as u32 + column as u32);
        }
    }
    rest
}

/// Writes a position into the inputs of an encoding.
pub(super) fn encode(position: &DotsAndBoxes, encoding: usize, inputs: &mut [f32]) {
    let (rows, columns) = (position.rows(), position.columns());
    let is_paper = encoding < MOVER;
    let drawn = if is_paper { code::DRAWN_EDGE } else { 1.0 };
    let edge = |free: u64| move |bit: u32| if free >> bit & 1 == 1 { code::FREE_EDGE } else { drawn };
    let inputs = put(rows + 1, columns, inputs, edge(position.free.horizontal));
    let inputs = put(rows, columns + 1, inputs, edge(position.free.vertical));
    let seat = if encoding == PAPER || encoding == PAPER_TO_MOVE { 0 } else { position.seat() };
    let (own, other) = (position.boxes[seat], position.boxes[1 - seat]);
    if is_paper {
        debug_assert!(encoding <= PAPER_MOVER);
        let owner = |bit: u32| match (own >> bit & 1, other >> bit & 1) {
            (1, _) => code::OWN_BOX,
            (_, 1) => code::OTHER_BOX,
            _ => code::OPEN_BOX,
        };
        let inputs = put(rows, columns, inputs, owner);
        if encoding == PAPER_TO_MOVE {
            inputs[0] = if position.seat() == 0 { 1.0 } else { 0.0 };
        }
        return;
    }
    let owned = |of: u64| move |bit: u32| (of >> bit & 1) as u8 as f32;
    let inputs = put(rows, columns, inputs, owned(own));
    let inputs = put(rows, columns, inputs, owned(other));
    let difference = own.count_ones() as i32 - other.count_ones() as i32;
    inputs[0] = 0.25 * difference as f32;
    if encoding > MOVER {
        let (horizontal, vertical) = (position.free.horizontal, position.free.vertical);
        let boxes = boxes(position);
        for (place, sides) in inputs[1..].chunks_exact_mut(SIDES).take(boxes).enumerate() {
            let columns = usize::from(columns);
            let bit = 8 * (place / columns) + place % columns;
            let free = (horizontal >> bit & 1)
                + (horizontal >> (bit + 8) & 1)
                + (vertical >> bit & 1)
                + (vertical >> (bit + 1) & 1);
            for (count, side) in (1..).zip(sides) {
                *side = if free == count { 1.0 } else { 0.0 };
            }
        }
    }
}
