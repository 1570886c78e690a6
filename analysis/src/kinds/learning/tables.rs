//! The tables of a learning.

use super::Learning;
use crate::{Cell, Table, kinds::grid::PairGames};

/// A row a round.
pub(crate) fn rounds(learning: &Learning) -> Table {
    let facts = &learning.facts;
    let mut table = Table::new(
        "rounds",
        format!("{}: learning of {} by round", facts.header.experiment, facts.game.game),
        &[
            ("round", "round"),
            ("games", "games"),
            ("positions", "positions"),
            ("plies", "plies a game"),
            ("first_share", "first seat's share"),
            ("solved", "solved ends"),
            ("trained_on", "trained on"),
            ("loss", "loss"),
            ("held_out_loss", "held out"),
            ("right", "right"),
            ("share", "v the old net"),
            ("share_95", "95 %"),
            ("accepted", "accepted"),
            ("games_hours", "hours of games"),
            ("training_hours", "of training"),
        ],
    )
    .of_kind("learning-rounds")
    .measured(&["games_hours", "training_hours"]);
    for round in &learning.rounds {
        let (play, net) = (&round.play, round.first());
        let last = net.and_then(|net| net.epochs.last());
        let mean = |sum: f64| (play.games > 0).then(|| sum / play.games as f64);
        let old = round.against(record::facts::OLD);
        let accepted = round.gate.as_ref().map(|gate| Cell::text(if gate.accepted { "yes" } else { "no" }));
        table.push(vec![
            Cell::Count(round.number.into()),
            Cell::Count(play.games),
            Cell::Count(play.positions),
            Cell::real(mean(play.plies as f64), 1),
            Cell::real(mean(play.first_points), 3),
            Cell::Count(play.solved),
            net.map_or(Cell::Missing, |net| Cell::Count(net.positions)),
            Cell::real(last.map(|epoch| epoch.loss), 4),
            Cell::real(last.and_then(|epoch| epoch.held_out), 4),
            Cell::real(last.and_then(|epoch| epoch.right), 3),
            Cell::real(old.map(PairGames::share), 3),
            Cell::interval(old.and_then(PairGames::share_interval), 3),
            accepted.unwrap_or(Cell::Missing),
            Cell::real(round.hours, 4),
            Cell::real(round.training_hours, 4),
        ]);
    }
    table.notes.push(
        "Loss and hits are of the first net, which plays, in the last pass through its positions. right: positions held out whose \
         winner it knew. The share is the new net's against the one that played so far."
            .to_owned(),
    );
    table
}

/// A row a round and opponent of its gate.
pub(crate) fn strength(learning: &Learning) -> Option<Table> {
    let mut table = Table::new(
        "strength",
        format!("{}: the new net of each round against others", learning.facts.header.experiment),
        &[
            ("round", "round"),
            ("opponent", "opponent"),
            ("games", "games"),
            ("share", "share"),
            ("share_95", "95 %"),
            ("margin", "margin"),
        ],
    )
    .of_kind("learning-strength");
    for (round, gate) in learning.rounds.iter().filter_map(|round| Some((round, round.gate.as_ref()?))) {
        for pair in &gate.grid.pairs {
            table.push(vec![
                Cell::Count(round.number.into()),
                Cell::text(&pair.b),
                Cell::Count(pair.games),
                Cell::real(pair.share(), 3),
                Cell::interval(pair.share_interval(), 3),
                Cell::real(pair.margin().mean(), 2),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A row a round and net.
pub(crate) fn nets(learning: &Learning) -> Option<Table> {
    let mut table = Table::new(
        "nets",
        format!("{}: the nets of each round after their training", learning.facts.header.experiment),
        &[
            ("round", "round"),
            ("net", "net"),
            ("positions", "positions"),
            ("epochs", "epochs"),
            ("loss", "loss"),
            ("held_out_loss", "held out"),
            ("right", "right"),
            ("tested", "tested"),
            ("tested_right", "right"),
            ("sure", "sure"),
            ("sure_right", "of these right"),
        ],
    )
    .of_kind("learning-nets");
    for (round, net) in learning.rounds.iter().flat_map(|round| round.nets.iter().map(move |net| (round, net))) {
        let last = net.epochs.last();
        let sum = |of: fn(&record::folds::Tested) -> u64| net.tested.iter().map(of).sum::<u64>();
        let (tested, sure) = (sum(|tested| tested.positions), sum(|tested| tested.sure));
        table.push(vec![
            Cell::Count(round.number.into()),
            Cell::text(&net.name),
            Cell::Count(net.positions),
            Cell::Count(net.epochs.len() as u64),
            Cell::real(last.map(|epoch| epoch.loss), 4),
            Cell::real(last.and_then(|epoch| epoch.held_out), 4),
            Cell::real(last.and_then(|epoch| epoch.right), 3),
            Cell::Count(tested),
            Cell::real(share(sum(|tested| tested.right), tested), 3),
            Cell::real(share(sure, tested), 4),
            Cell::real(share(sum(|tested| tested.sure_right), sure), 3),
        ]);
    }
    for net in &learning.facts.nets {
        table.notes.push(format!("{}: {}", net.name, net.architecture));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A row a net and distance from the end: the last round's on the test positions.
pub(crate) fn tested(learning: &Learning) -> Option<Table> {
    let round = learning.rounds.iter().rfind(|round| !round.nets.is_empty())?;
    let mut table = Table::new(
        "tested",
        format!(
            "{}: nets of round {} on positions with exact values, by the distance from the end",
            learning.facts.header.experiment, round.number
        ),
        &[
            ("net", "net"),
            ("distance", "distance"),
            ("positions", "positions"),
            ("right", "right"),
            ("sure", "sure"),
            ("sure_right", "of these right"),
        ],
    )
    .of_kind("learning-tested");
    for (net, tested) in round.nets.iter().flat_map(|net| net.tested.iter().map(move |tested| (net, tested))) {
        table.push(vec![
            Cell::text(&net.name),
            Cell::Count(tested.distance.into()),
            Cell::Count(tested.positions),
            Cell::real(share(tested.right, tested.positions), 3),
            Cell::real(share(tested.sure, tested.positions), 4),
            Cell::real(share(tested.sure_right, tested.sure), 3),
        ]);
    }
    table.notes.push(
        "right: the winner, which is exact, was the one that the net named; drawn positions are not among them. sure: an output \
         of at least 0.9."
            .to_owned(),
    );
    if let Some(test) = &learning.test {
        table.notes.push(format!("The positions are {} of {} games.", test.positions, test.games));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// `part` of `whole`; `None` of nothing.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
