//! Reflections and rotations of boards.

use super::{DotsAndBoxes, Move, board::Edges, board::Size};

/// A way to turn or reflect a board: its transposition, then its rows from bottom to top, then its columns from right to left, each
/// if wanted. A square has eight, a rectangle the four without transposition, which exchanges rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// Exchanges rows and columns.
    pub transposed: bool,
    /// Reverses the order of rows.
    pub rows: bool,
    /// Reverses the order of columns.
    pub columns: bool,
}

impl Symmetry {
    /// All eight; the first changes nothing, and the first four keep the sizes of rectangles.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry { transposed: false, rows: false, columns: false }; 8];
        let mut index = 0;
        while index < 8 {
            all[index] = Symmetry { transposed: index & 4 != 0, rows: index & 2 != 0, columns: index & 1 != 0 };
            index += 1;
        }
        all
    };

    /// Where the edge of a board of `size` goes.
    fn edge(self, size: Size, edge: Move) -> Move {
        let (mut row, mut column, mut is_vertical) = (edge.row(), edge.column(), edge.is_vertical());
        let mut size = size;
        if self.transposed {
            (row, column, is_vertical) = (column, row, !is_vertical);
            size = Size { rows: size.columns, columns: size.rows };
        }
        if self.rows {
            row = u32::from(size.rows) - u32::from(is_vertical) - row;
        }
        if self.columns {
            column = u32::from(size.columns) - u32::from(!is_vertical) - column;
        }
        let place = 8 * row + column;
        if is_vertical { Move::vertical(place) } else { Move::horizontal(place) }
    }

    /// Where a set of boxes goes.
    pub(super) fn boxes(self, size: Size, boxes: u64) -> u64 {
        let (boxes, size) = self.transpose(size, boxes);
        self.reverse(boxes, size.rows, size.columns)
    }

    /// Where a set of edges goes.
    pub(super) fn edges(self, size: Size, edges: Edges) -> Edges {
        let ((horizontal, vertical), size) = if self.transposed {
            (
                (transposed(edges.vertical), transposed(edges.horizontal)),
                Size { rows: size.columns, columns: size.rows },
            )
        } else {
            ((edges.horizontal, edges.vertical), size)
        };
        Edges {
            horizontal: self.reverse(horizontal, size.rows + 1, size.columns),
            vertical: self.reverse(vertical, size.rows, size.columns + 1),
        }
    }

    fn transpose(self, size: Size, set: u64) -> (u64, Size) {
        if self.transposed { (transposed(set), Size { rows: size.columns, columns: size.rows }) } else { (set, size) }
    }

    /// A set in so many rows and columns with their order reversed where wanted.
    fn reverse(self, mut set: u64, rows: u8, columns: u8) -> u64 {
        if self.rows {
            set = set.swap_bytes() >> (8 * (8 - u32::from(rows)));
        }
        if self.columns {
            // Reversing all bits reverses the bytes as well.
            set = set.reverse_bits().swap_bytes() >> (8 - u32::from(columns));
        }
        set
    }
}

/// The transposition of 8 rows of 8 bits, by exchanging ever larger blocks (Warren, Hacker's Delight, section 7-3).
fn transposed(mut set: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let exchanged = (set ^ (set >> shift)) & mask;
        set ^= exchanged ^ (exchanged << shift);
    }
    set
}

impl DotsAndBoxes {
    /// The symmetries under which the board keeps its size: eight of a square, else four; the first changes nothing.
    pub fn symmetries(&self) -> &'static [Symmetry] {
        if self.size.rows == self.size.columns { &Symmetry::ALL } else { &Symmetry::ALL[..4] }
    }

    /// The position on a turned or reflected board.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Self {
        let size =
            if symmetry.transposed { Size { rows: self.size.columns, columns: self.size.rows } } else { self.size };
        DotsAndBoxes {
            free: symmetry.edges(self.size, self.free),
            boxes: self.boxes.map(|boxes| symmetry.boxes(self.size, boxes)),
            size,
            seat: self.seat,
        }
    }

    /// Where an edge of this board is on the turned or reflected one.
    pub fn turned_edge(&self, symmetry: Symmetry, edge: Move) -> Move {
        symmetry.edge(self.size, edge)
    }
}
