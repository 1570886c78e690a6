//! Dots and Boxes written from the rules, slowly: edges and boxes are lists, and nothing is shared with the game.

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slow {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// By edge number, whether it is drawn.
    pub(crate) drawn: Vec<bool>,
    /// By box, row by row, its owner.
    pub(crate) owners: Vec<Option<usize>>,
    pub(crate) mover: usize,
}

impl Slow {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let edges = (rows + 1) * columns + rows * (columns + 1);
        Slow { rows, columns, drawn: vec![false; edges], owners: vec![None; rows * columns], mover: 0 }
    }

    /// A position with these free edges, in which the mover owns what is complete.
    pub(crate) fn with_free(rows: usize, columns: usize, free: &[usize]) -> Self {
        let mut slow = Slow::new(rows, columns);
        for edge in 0..slow.drawn.len() {
            slow.drawn[edge] = !free.contains(&edge);
        }
        for place in 0..slow.owners.len() {
            slow.owners[place] = slow.sides(place).iter().all(|&side| slow.drawn[side]).then_some(0);
        }
        slow
    }

    /// Numbers of the edges of a box.
    pub(crate) fn sides(&self, place: usize) -> [usize; 4] {
        let (row, column) = (place / self.columns, place % self.columns);
        let top = row * self.columns + column;
        let left = (self.rows + 1) * self.columns + row * (self.columns + 1) + column;
        [top, top + self.columns, left, left + 1]
    }

    pub(crate) fn free(&self) -> Vec<usize> {
        (0..self.drawn.len()).filter(|&edge| !self.drawn[edge]).collect()
    }

    /// Draws an edge; gives the boxes that it completes.
    pub(crate) fn play(&mut self, edge: usize) -> usize {
        assert!(!self.drawn[edge], "edge {edge} is drawn already");
        self.drawn[edge] = true;
        let mut completed = 0;
        for place in 0..self.owners.len() {
            if self.owners[place].is_none() && self.sides(place).iter().all(|&side| self.drawn[side]) {
                self.owners[place] = Some(self.mover);
                completed += 1;
            }
        }
        if completed == 0 {
            self.mover = 1 - self.mover;
        }
        completed
    }

    pub(crate) fn completed(&self) -> [usize; 2] {
        [0, 1].map(|seat| self.owners.iter().filter(|&&owner| owner == Some(seat)).count())
    }

    /// The position as text, line by line from the top.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let edge = |number: usize, drawn: char| if self.drawn[number] { drawn } else { '.' };
        for row in 0..=self.rows {
            for column in 0..self.columns {
                text.push(edge(row * self.columns + column, '-'));
            }
            if row == self.rows {
                break;
            }
            text.push('/');
            for column in 0..=self.columns {
                text.push(edge((self.rows + 1) * self.columns + row * (self.columns + 1) + column, '|'));
                if column < self.columns {
                    text.push(self.owners[row * self.columns + column].map_or('.', |owner| ['A', 'B'][owner]));
                }
            }
            text.push('/');
        }
        format!("{text} {}", ['A', 'B'][self.mover])
    }
}
