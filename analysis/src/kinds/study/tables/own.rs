//! What the game itself counts, by agent.

use crate::{
    Cell, Table,
    kinds::{own::head, study::Study},
};

/// A row a problem and agent: the numbers that the game declares.
pub(crate) fn own(study: &Study) -> Table {
    let heads: Vec<(&str, String)> = study.own.numbers.iter().map(|name| (name.as_str(), head(name))).collect();
    let mut columns = vec![("problem", "problem"), ("agent", "agent"), ("runs", "runs")];
    columns.extend(heads.iter().map(|(name, head)| (*name, head.as_str())));
    let title = format!("{}: what the game counts", study.meta.header.experiment);
    let names: Vec<&str> = heads.iter().map(|(name, _)| *name).collect();
    let mut table = Table::new("own", title, &columns).of_kind("study-own").spreads(&names);
    if names.is_empty() {
        return table;
    }
    for arm in &study.arms {
        let mut row = vec![Cell::text(&arm.problem), Cell::text(&arm.agent), Cell::Count(arm.runs.len() as u64)];
        row.extend((0..names.len()).map(|place| arm.own.number(place)));
        table.push(row);
    }
    table.notes.push("Mean ± sample deviation over runs.".to_owned());
    table
}

/// A row a problem, agent and turn: the lists that the game declares.
pub(crate) fn own_by_turn(study: &Study) -> Table {
    let heads: Vec<(&str, String)> = study.own.lists.iter().map(|name| (name.as_str(), head(name))).collect();
    let mut columns = vec![("problem", "problem"), ("agent", "agent"), ("turn", "turn")];
    columns.extend(heads.iter().map(|(name, head)| (*name, head.as_str())));
    let title = format!("{}: what the game counts, turn by turn", study.meta.header.experiment);
    let names: Vec<&str> = heads.iter().map(|(name, _)| *name).collect();
    let mut table = Table::new("own-by-turn", title, &columns).of_kind("study-own-by-turn").spreads(&names);
    for arm in &study.arms {
        for turn in 0..arm.own.turns_max() {
            let mut row = vec![Cell::text(&arm.problem), Cell::text(&arm.agent), Cell::Count(turn as u64 + 1)];
            row.extend((0..names.len()).map(|place| arm.own.turn(place, turn)));
            table.push(row);
        }
    }
    table.notes.push("Mean ± sample deviation over the runs that have such a turn.".to_owned());
    table
}
