//! Options of Checkers in specs.

use spec::{Default, Entry, Fault, Kind, Param, Spec, Value};

use super::{Checkers, PLIES_MAX, Rules};
use crate::listed::{CHECKED, Listed, plies};

impl Listed for Checkers {
    const ENTRY: Entry = Entry {
        name: "checkers",
        doc: "Checkers under the rules of a student project or of its program, or English draughts",
        params: &[&[
            Param {
                name: "rules",
                kind: Kind::Choice(&Rules::NAMES),
                default: Default::Text(Rules::NAMES[0]),
                doc: "project: captures are free; code: the same with the faults of the project's program; english: they are \
                      compulsory",
            },
            Param {
                name: "draw-plies",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::None,
                doc: "plies without progress after which a game is a draw: project: without a capture, if only kings are left; \
                      else of kings without a capture; 20, or 80 in english, if not given",
            },
            Param {
                name: "plies-max",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(400),
                doc: "plies after which a game is a draw",
            },
            Param {
                name: "playout-plies",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(400),
                doc: "plies after which a playout counts as a draw",
            },
            Param {
                name: "blocked",
                kind: Kind::Choice(&["loses", "passes"]),
                default: Default::Text("loses"),
                doc: "what a side with pieces and no move does: loses, or passes as in the project's program",
            },
            Param {
                name: "kings",
                kind: Kind::Choice(&["counted", "arrivals"]),
                default: Default::Text("counted"),
                doc: "kings that an evaluation counts: those on the board, or arrivals of pieces at the first and last row, which \
                      never shrink, as in the project's program",
            },
        ]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        if spec.get("draw-plies").is_none() {
            spec.set("draw-plies", Value::Int(rules(spec).draw_plies().into()));
        }
        Ok(())
    }

    fn start(spec: &Spec) -> Self {
        let mut start = Checkers::new(
            rules(spec),
            plies(spec, "plies-max"),
            plies(spec, "playout-plies"),
            plies(spec, "draw-plies"),
        );
        if spec.text("blocked") == Some("passes") {
            start = start.passing();
        }
        if spec.text("kings") == Some("arrivals") {
            start = start.counting_arrivals();
        }
        start
    }
}

fn rules(spec: &Spec) -> Rules {
    spec.text("rules").and_then(Rules::named).expect(CHECKED)
}
