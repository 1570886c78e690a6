//! What the winner of a tuning is worth: its share of the points on fresh games beside what the search said, and beside the
//! defaults'.

use record::facts::Seat;

use crate::{
    Cell, Table,
    kinds::tuning::{DEFAULTS, Facts, Final, Taken, share_interval},
    statistics::{Reason, adjust, contrast::Contrast},
};

/// Opponents taken together.
const ALL: &str = "all opponents";

/// A row of what the search said, one for the opponents together where there are several, one an opponent, and the
/// winner against the defaults.
pub(crate) fn retest(facts: &Facts, end: &Final) -> Table {
    let mut table = Table::new(
        "retest",
        format!("{}: the winner on fresh games (shares of the points)", facts.header.experiment),
        &[
            ("games_of", "games of"),
            ("opponent", "opponent"),
            ("winner_games", "games"),
            ("winner", "winner"),
            ("winner_95", "95 %"),
            ("defaults_games", "games"),
            ("defaults", "defaults"),
            ("defaults_95", "95 %"),
            ("difference", "winner − defaults"),
            ("difference_95", "95 %"),
            ("t", "t"),
            ("df", "df"),
            ("p", "p"),
            ("p_holm", "p (Holm)"),
        ],
    );
    let opponents = end.opponents();
    table.push(searched(end, if opponents.len() == 1 { opponents[0] } else { ALL }));
    let rows = rows(end, &opponents);
    // Rows without a test take no part in the adjustment.
    let p: Vec<_> = rows.iter().map(|row| row.lead.map(|lead| lead.p)).collect();
    let holm = adjust::known(&p, adjust::holm);
    for (Row { opponent, winner, defaults, lead }, holm) in rows.into_iter().zip(holm) {
        let mut row = vec![Cell::text("final stage"), Cell::text(opponent)];
        row.extend(cells(Some(winner)));
        row.extend(cells(Some(defaults)));
        row.extend([
            Cell::real(lead.map(|lead| lead.value), 4),
            Cell::interval(lead.map(|lead| lead.ci95), 4),
            Cell::real(lead.map(|lead| lead.t), 2),
            Cell::real(lead.map(|lead| lead.df), 1),
            Cell::probability(lead.map(|lead| lead.p)),
            Cell::probability(holm),
        ]);
        table.push(row);
    }
    table.notes.push(bias(facts, end));
    table.notes.push(
        "Observations are units, the two games with the same luck and swapped seats. Shares of the final stage have \
         Wilson's interval for as many games as the spread over units is worth, means over opponents Student's over units, that \
         of the search Wilson's over games. The difference is \
         Welch's t of the winner's units against the defaults', against the defaults themselves Student's t; over all \
         opponents each counts alike (degrees of freedom by Satterthwaite). p is two-sided; Holm adjusts for the rows of the \
         table."
            .to_owned(),
    );
    table
}

/// A row of the final stage.
struct Row<'a> {
    opponent: &'a str,
    winner: Taken,
    defaults: Taken,
    /// The winner's share minus the defaults'.
    lead: Result<Contrast, Reason>,
}

fn rows<'a>(end: &Final, opponents: &[&'a str]) -> Vec<Row<'a>> {
    let row = |opponent, [winner, defaults]: [Taken; 2], lead| Row { opponent, winner, defaults, lead };
    let mut rows = Vec::new();
    if opponents.len() > 1 {
        rows.extend(end.mean_taken().map(|taken| row(ALL, taken, end.mean_lead())));
    }
    let against = |opponent: &&'a str| Some(row(opponent, end.taken(opponent)?, end.lead(opponent)));
    rows.extend(opponents.iter().filter_map(against));
    let met = end.head_to_head();
    rows.extend(met.map(|winner| row(DEFAULTS, [winner, winner.turned()], end.head_to_head_lead())));
    rows
}

/// What the search said of the winner; the defaults took no part in it.
fn searched(end: &Final, opponent: &str) -> Vec<Cell> {
    let winner = &end.winner;
    let mut row = vec![Cell::text("search"), Cell::text(opponent)];
    let share = winner.share().map(|share| Taken { games: winner.games, share, interval: share_interval(winner) });
    row.extend(cells(share));
    row.extend(vec![Cell::Missing; 9]);
    row
}

fn cells(of: Option<Taken>) -> [Cell; 3] {
    [
        of.map_or(Cell::Missing, |taken| Cell::Count(taken.games)),
        Cell::real(of.map(|taken| taken.share), 4),
        Cell::interval(of.and_then(|taken| taken.interval), 4),
    ]
}

/// Why the search's figure is not the winner's strength, in plain words.
fn bias(facts: &Facts, end: &Final) -> String {
    let name = &end.winner.name;
    let mut note = format!(
        "The winner is {name}. The search chose it for its points, so they flatter it: of many candidates the one that looks \
         best is partly the one that was lucky. What it is worth is what it takes in the final stage, whose games chose \
         no candidate."
    );
    if let (Some(before), Some([winner, _])) = (end.winner.share(), end.mean_taken()) {
        note.push_str(&format!(
            " It took {before:.4} of the points in the search, and takes {:.4} here.",
            winner.share
        ));
    }
    if let Some(seat @ (Seat::First | Seat::Second)) = facts.seat {
        note.push_str(&format!(
            " In the search candidates sat {} in every game, here on both sides: the two figures differ by that, too.",
            seat.name()
        ));
    }
    note
}
