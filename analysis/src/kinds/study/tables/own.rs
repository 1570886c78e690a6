//! What the game itself counts, by agent.

use crate::{
    Cell, Table,
    kinds::{own, study::Study},
};

/// A row a problem and agent: the numbers that the game declares.
pub(crate) fn own(study: &Study) -> Table {
    let (numbers, title) = (&study.own.numbers, format!("{}: what the game counts", study.meta.header.experiment));
    let heads = [("problem", "problem"), ("agent", "agent"), ("runs", "runs")];
    let mut table = own::table("own", "study-own", title, &heads, numbers.iter().map(String::as_str));
    // A game without numbers of its own has no row.
    for arm in study.arms.iter().filter(|_| !numbers.is_empty()) {
        let mut row = vec![Cell::text(&arm.problem), Cell::text(&arm.agent), Cell::Count(arm.runs.len() as u64)];
        row.extend((0..numbers.len()).map(|place| arm.own.number(place)));
        table.push(row);
    }
    table.notes.push("Mean ± sample deviation over runs.".to_owned());
    table
}

/// A row a problem, agent and turn: the lists that the game declares.
pub(crate) fn own_by_turn(study: &Study) -> Table {
    let (lists, title) =
        (&study.own.lists, format!("{}: what the game counts, turn by turn", study.meta.header.experiment));
    let heads = [("problem", "problem"), ("agent", "agent"), ("turn", "turn")];
    let mut table = own::table("own-by-turn", "study-own-by-turn", title, &heads, lists.iter().map(String::as_str));
    for arm in &study.arms {
        for turn in 0..arm.own.turns_max() {
            let mut row = vec![Cell::text(&arm.problem), Cell::text(&arm.agent), Cell::Count(turn as u64 + 1)];
            row.extend((0..lists.len()).map(|place| arm.own.turn(place, turn)));
            table.push(row);
        }
    }
    table.notes.push("Mean ± sample deviation over the runs that have such a turn.".to_owned());
    table
}
