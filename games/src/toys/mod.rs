//! Small games whose truth is known, for tests of games, players and experiments.
//!
//! The module exists under the feature `toys` only, which tests turn on through their dev-dependencies. Specs may then
//! name [`Race`]; lists of the registry never show it.

mod race;
mod tree;
mod wide;
mod wild;

pub use race::Race;
pub use tree::TreeGame;
pub use wide::Wide;
pub use wild::Wild;

use crate::Moves;

/// Moves as a list.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveList<M>(pub Vec<M>);

impl<M: Copy + std::fmt::Debug + Send> Moves<M> for MoveList<M> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> M {
        self.0[index]
    }

    fn take(&mut self, index: usize) -> M {
        self.0.remove(index)
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<M>()
    }
}

/// Numbers between dots as text; `start` if there is none.
fn history_text<N: ToString>(history: &[N]) -> String {
    if history.is_empty() {
        return "start".to_owned();
    }
    history.iter().map(N::to_string).collect::<Vec<_>>().join(".")
}

/// Reads what [`history_text`] writes; `None` if `text` has another form.
fn parse_history<N: std::str::FromStr>(text: &str) -> Option<Vec<N>> {
    if text == "start" {
        return Some(Vec::new());
    }
    text.split('.').map(|number| number.parse().ok()).collect()
}
