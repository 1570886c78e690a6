//! Options of Dots and Boxes in specs.

use spec::{Default, Entry, Fault, Kind, Param, Spec};

use super::{DotsAndBoxes, GAME, SIDES, starts::STARTS};
use crate::{
    Game as _,
    listed::{CHECKED, Listed},
};

/// The name of the start with no edge drawn.
const EMPTY: &str = "empty";

const fn side(name: &'static str, doc: &'static str) -> Param {
    Param { name, kind: Kind::Int(*SIDES.start() as i64, *SIDES.end() as i64), default: Default::Int(5), doc }
}

impl Listed for DotsAndBoxes {
    const ENTRY: Entry = Entry {
        name: GAME,
        doc: "Dots and Boxes; who completes a box owns it and moves again",
        params: &[&[
            side("rows", "rows of boxes"),
            side("columns", "columns of boxes"),
            Param {
                name: "start",
                kind: Kind::Text("empty, S1, S2, S3, or a position as text"),
                default: Default::Text(EMPTY),
                doc: "where games begin: empty: no edge is drawn; S1, S2, S3: positions of 5x5 boxes with 20 free edges, the \
                      first two lost and the third won for the first player; or the lines of a board and who moves, as \
                      `redqueen show` takes them",
            },
        ]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let text = spec.text("start").expect(CHECKED);
        if text == EMPTY {
            return Ok(());
        }
        let position = empty(spec).parse_position(named(text));
        let position =
            position.map_err(|error| Fault::Conflict { key: "start".to_owned(), reason: error.to_string() })?;
        if position.free_edges() == 0 {
            let reason = "the game is over at the start".to_owned();
            return Err(Fault::Conflict { key: "start".to_owned(), reason });
        }
        Ok(())
    }

    fn start(spec: &Spec) -> Self {
        let (empty, text) = (empty(spec), spec.text("start").expect(CHECKED));
        if text == EMPTY { empty } else { empty.parse_position(named(text)).expect(CHECKED) }
    }
}

/// The empty board of a spec's size.
fn empty(spec: &Spec) -> DotsAndBoxes {
    let side = |key| spec.int(key).and_then(|side| u8::try_from(side).ok()).expect(CHECKED);
    DotsAndBoxes::new(side("rows"), side("columns"))
}

/// The position of a name, or the text itself.
fn named(text: &str) -> &str {
    STARTS.iter().find(|(name, _)| *name == text).map_or(text, |(_, position)| position)
}
