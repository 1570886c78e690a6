//! Reversi in specs: it has no options.

use spec::{Entry, Spec};

use super::Reversi;
use crate::listed::Listed;

impl Listed for Reversi {
    const ENTRY: Entry = Entry {
        name: "reversi",
        doc: "Reversi on 8x8; a forced pass is a ply, a draw half a point",
        params: &[],
        one_of: &[],
    };

    fn start(_: &Spec) -> Self {
        Reversi::new()
    }
}
