//! A match grid as a heat map: a table whose cells are coloured by the share of the points.

use analysis::{Cell, Table, statistics::interval::wilson};
use coordinator::observe::Tallies;
use maud::{Markup, html};
use record::{
    Stage,
    columns::PLAYERS,
    facts::{PairFacts, Pairs, Rule},
};

use crate::html::{Message, message, visible};

/// Most players on a side; larger grids have a picture and the table of pairs.
const SIDE: usize = 32;
/// Of intervals.
const CONFIDENCE: f64 = 0.95;
/// Classes of colour, from blue (0) to orange (1).
const CLASSES: f64 = 10.0;

/// How firm the numbers are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firm {
    /// The stage is closed.
    Closed,
    /// It is open.
    Provisional,
}

/// What is shown of a pair.
#[derive(Clone, Debug, PartialEq)]
struct Square {
    share: f64,
    interval: Option<(f64, f64)>,
    games: u64,
    /// Its place among the pairs.
    pair: usize,
}

impl Square {
    /// The same pair from the other side.
    fn turned(&self) -> Self {
        let interval = self.interval.map(|(low, high)| (1.0 - high, 1.0 - low));
        Square { share: 1.0 - self.share, interval, ..self.clone() }
    }

    /// A mark where the interval leaves equal strength out, so that colour is not the only sign.
    fn mark(&self) -> &'static str {
        match self.interval {
            Some((low, _)) if low > 0.5 => " ▲",
            Some((_, high)) if high < 0.5 => " ▼",
            _ => "",
        }
    }

    fn class(&self) -> String {
        format!("h{}", (self.share.clamp(0.0, 1.0) * CLASSES).round())
    }

    /// Share, interval and games, a line each. A share at an end of the scale is bounded on one side.
    fn text(&self) -> String {
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let interval = match self.interval {
            Some((_, high)) if self.share <= 0.0 => format!("≤ {}", percent(high)),
            Some((low, _)) if self.share >= 1.0 => format!("≥ {}", percent(low)),
            Some((low, high)) => format!("{}–{}", percent(low), percent(high)),
            None => "–".to_owned(),
        };
        format!("{:.1}{}\n{interval}\nn {}", 100.0 * self.share, self.mark(), crate::html::thousands(self.games))
    }
}

/// The heat map of a table of pairs. `link` says where more is of the pair at a place.
pub(crate) fn heat(pairs: &Table, link: impl Fn(usize) -> String, firm: Firm) -> Markup {
    let Some(grid) = Grid::of(pairs) else { return html! {} };
    if grid.rows.len() > SIDE || grid.columns.len() > SIDE {
        return html! {
            p.soft {
                "The grid has more than " (SIDE) " players on a side: see its figure, and the table of pairs."
            }
        };
    }
    html! {
        @if firm == Firm::Provisional {
            (message(Message::Warning,
                "These numbers are provisional: the stage is open. Do not end it because they look good: ended at such a moment, a run says too much."))
        }
        div.table {
            div.scroll role="group" tabindex="0" aria-label="Who beats whom" {
                table.heat {
                    caption { "Share of the points, %" }
                    thead {
                        tr {
                            td {}
                            @for name in &grid.columns { th scope="col" { (visible(name)) } }
                        }
                    }
                    tbody {
                        @for (row, name) in grid.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (visible(name)) }
                                @for column in 0..grid.columns.len() {
                                    @match &grid.squares[row * grid.columns.len() + column] {
                                        Some(square) => {
                                            td.(square.class()) {
                                                a href=(link(square.pair)) { (square.text()) }
                                            }
                                        }
                                        None => td.none {},
                                    }
                                }
                            }
                        }
                    }
                }
            }
            div.notes {
                p {
                    "What the player of the row took from the player of the column. ▲ and ▼: the 95 % interval leaves 50 out, above or below. The second line is that interval, n the games. \
                     Blue is below 50, orange above."
                }
            }
        }
    }
}

/// A table of pairs with the results of an open stage's games and Wilson's intervals. Pairs without a game are not in
/// it; the second list has the index of the pair of each row.
pub(crate) fn so_far(tallies: &Tallies) -> Option<(Table, Vec<usize>)> {
    let facts: PairFacts = tallies.stage.facts().ok()?;
    let heads =
        [("player", "player"), ("opponent", "opponent"), ("games", "games"), ("share", "share"), ("wilson_95", "95 %")];
    let mut table = Table::new("pairs", "Pairs so far", &heads);
    let mut indices = Vec::new();
    for (index, tally) in tallies.pairs.iter().enumerate() {
        let games = u64::from(tally.games());
        let Some([a, b]) = names(&tallies.stage, &facts.pairs, index).filter(|_| games > 0) else { continue };
        let interval = wilson(tally.points(), games, CONFIDENCE);
        table.rows.push(vec![
            Cell::text(a),
            Cell::text(b),
            Cell::Count(games),
            Cell::real(tally.points() / games as f64, 4),
            Cell::interval(interval, 4),
        ]);
        indices.push(index);
    }
    (!indices.is_empty()).then_some((table, indices))
}

/// Who meets in the pair of that index.
fn names(stage: &Stage, pairs: &Pairs, index: usize) -> Option<[String; 2]> {
    match pairs {
        Pairs::Listed { pairs } => pairs.get(index).cloned(),
        Pairs::Rule { pairing: Rule::Gauntlet { champions, against } } => {
            let row = index.checked_div(against.len())?;
            Some([champions.get(row)?.clone(), against[index % against.len()].clone()])
        }
        Pairs::Rule { pairing: Rule::RoundRobin } => {
            let players = stage.labels.get(PLAYERS)?;
            let (mut first, mut rest) = (0, index);
            // Everyone meets everyone behind him.
            while rest >= players.len().checked_sub(first + 1)?.max(1) {
                rest -= players.len() - first - 1;
                first += 1;
            }
            Some([players.get(first)?.clone(), players.get(first + 1 + rest)?.clone()])
        }
    }
}

/// Players by rows and columns, and what is known of each meeting.
struct Grid {
    rows: Vec<String>,
    columns: Vec<String>,
    /// By row and column.
    squares: Vec<Option<Square>>,
}

impl Grid {
    fn of(pairs: &Table) -> Option<Self> {
        let place = |key: &str| pairs.columns.iter().position(|column| column.key == key);
        let (player, opponent, games, share) = (place("player")?, place("opponent")?, place("games")?, place("share")?);
        let intervals = [place("units_95"), place("wilson_95")];
        let text = |cell: &Cell| if let Cell::Text(text) = cell { text.clone() } else { String::new() };
        let mut met = Vec::new();
        for (pair, row) in pairs.rows.iter().enumerate() {
            let (Cell::Real(share, _), Cell::Count(games)) = (&row[share], &row[games]) else { continue };
            let interval = intervals.into_iter().flatten().find_map(|place| match row[place] {
                Cell::Interval(low, high, _) => Some((low, high)),
                _ => None,
            });
            let square = Square { share: *share, interval, games: *games, pair };
            met.push((text(&row[player]), text(&row[opponent]), square));
        }
        let (mut rows, mut columns): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (a, b, _) in &met {
            if !rows.contains(a) {
                rows.push(a.clone());
            }
            if !columns.contains(b) {
                columns.push(b.clone());
            }
        }
        // Where players stand on both sides, everyone gets a row and a column.
        let both = rows.iter().any(|name| columns.contains(name));
        if both {
            let more: Vec<String> = columns.iter().filter(|name| !rows.contains(name)).cloned().collect();
            rows.extend(more);
            columns.clone_from(&rows);
        }
        let mut squares = vec![None; rows.len() * columns.len()];
        let width = columns.len();
        for (a, b, square) in met {
            let at = |names: &[String], name: &String| names.iter().position(|known| known == name);
            if let (true, Some(row), Some(column)) = (both, at(&rows, &b), at(&columns, &a)) {
                squares[row * width + column].get_or_insert_with(|| square.turned());
            }
            if let (Some(row), Some(column)) = (at(&rows, &a), at(&columns, &b)) {
                squares[row * width + column] = Some(square);
            }
        }
        (!rows.is_empty()).then_some(Grid { rows, columns, squares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Met<'a> = (&'a str, &'a str, f64, Option<(f64, f64)>);

    fn pairs(rows: &[Met<'_>]) -> Table {
        let heads =
            [("player", ""), ("opponent", ""), ("games", ""), ("share", ""), ("wilson_95", ""), ("units_95", "")];
        let mut table = Table::new("pairs", "", &heads);
        for (a, b, share, interval) in rows {
            let interval = Cell::interval(*interval, 2);
            let cells =
                [Cell::text(*a), Cell::text(*b), Cell::Count(1_200), Cell::real(*share, 4), interval, Cell::Missing];
            table.rows.push(cells.to_vec());
        }
        table
    }

    #[test]
    fn a_pair_is_seen_from_both_sides() {
        let table =
            pairs(&[("a", "b", 0.75, Some((0.7, 0.8))), ("a", "c", 0.5, None), ("b", "c", 1.0, Some((0.9, 1.0)))]);
        let grid = Grid::of(&table).expect("a grid");
        assert_eq!(grid.rows, ["a", "b", "c"]);
        assert_eq!(grid.columns, grid.rows);
        let text = |row: usize, column: usize| grid.squares[row * 3 + column].as_ref().map(Square::text);
        assert_eq!(text(0, 1).as_deref(), Some("75.0 ▲\n70–80\nn 1,200"));
        assert_eq!(text(1, 0).as_deref(), Some("25.0 ▼\n20–30\nn 1,200"));
        assert_eq!(text(0, 2).as_deref(), Some("50.0\n–\nn 1,200"));
        assert_eq!(text(1, 2).as_deref(), Some("100.0 ▲\n≥ 90\nn 1,200"));
        assert_eq!(text(2, 1).as_deref(), Some("0.0 ▼\n≤ 10\nn 1,200"));
        assert_eq!(text(1, 1), None);
    }

    #[test]
    fn pairs_of_a_rule_have_their_names() {
        let mut stage: Stage = serde_json::from_value(serde_json::json!({
            "index": 0, "name": "grid", "trials": 1, "shape": { "name": "match", "columns": [] }, "labels": {}, "meta": {},
        }))
        .expect("a stage");
        stage.labels.insert(PLAYERS.to_owned(), ["a", "b", "c", "d"].map(str::to_owned).to_vec());
        let all = Pairs::Rule { pairing: Rule::RoundRobin };
        let found: Vec<String> =
            (0..6).filter_map(|index| names(&stage, &all, index)).map(|pair| pair.concat()).collect();
        // docs/run-directory.md: (0, 1), (0, 2), …, (1, 2), ….
        assert_eq!(found, ["ab", "ac", "ad", "bc", "bd", "cd"]);
        assert_eq!(names(&stage, &all, 6), None);
        let (champions, against) = (vec!["x".to_owned(), "y".to_owned()], vec!["a".to_owned(), "b".to_owned()]);
        let gauntlet = Pairs::Rule { pairing: Rule::Gauntlet { champions, against } };
        let found: Vec<String> =
            (0..5).filter_map(|index| names(&stage, &gauntlet, index)).map(|pair| pair.concat()).collect();
        assert_eq!(found, ["xa", "xb", "ya", "yb"]);
    }

    #[test]
    fn a_gauntlet_has_its_champions_in_rows() {
        let grid = Grid::of(&pairs(&[("x", "a", 0.1, None), ("x", "b", 0.9, None)])).expect("a grid");
        assert_eq!((grid.rows.len(), grid.columns.len()), (1, 2));
        assert_eq!(grid.squares[0].as_ref().map(Square::class).as_deref(), Some("h1"));
    }
}
