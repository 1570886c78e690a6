//! Options of Dodgem in specs.

use spec::{Default, Entry, Kind, Param, Spec};

use super::{Dodgem, PLIES_MAX, SIZES};
use crate::listed::{CHECKED, Listed, plies};

impl Listed for Dodgem {
    const ENTRY: Entry = Entry {
        name: "dodgem",
        doc: "Dodgem; a player who cannot move at its own turn wins",
        params: &[&[
            Param {
                name: "size",
                kind: Kind::Int(*SIZES.start() as i64, *SIZES.end() as i64),
                default: Default::Int(5),
                doc: "rows, and columns, of the board",
            },
            Param {
                name: "plies-max",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(200),
                doc: "plies after which a game is a draw",
            },
            Param {
                name: "playout-plies",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(100),
                doc: "plies after which a playout counts as a draw",
            },
        ]],
        one_of: &[],
    };

    fn start(spec: &Spec) -> Self {
        let size = spec.int("size").and_then(|size| u8::try_from(size).ok()).expect(CHECKED);
        Dodgem::new(size, plies(spec, "plies-max"), plies(spec, "playout-plies"))
    }
}
