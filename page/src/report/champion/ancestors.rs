//! The ancestors of an individual as a drawing: itself on the left, a column a generation, older ones to the right.

use std::collections::BTreeMap;

use experiments::lineage::{Ancestor, Evolution};

use super::escaped;
use crate::html::visible;

/// Most generations of a drawing, which can be read on a turned sheet of paper.
const COLUMNS_MAX: usize = 9;
/// Most individuals of a drawing, and of a generation in it. More are a tangle, and a page has room for so many elements.
const NODES_MAX: usize = 200;
const ROWS_MAX: usize = 48;
/// Height of a row and of a box, room beside and between, width of a letter, about; pixels.
const ROW: usize = 28;
const BOX: usize = 24;
const HEAD: usize = 26;
const MARGIN: usize = 8;
const ROOM: usize = 12;
const TURN: usize = 44;
const LETTER: usize = 7;

/// Ancestors by generation, the individual itself first. Within a generation they stand in the order in which their
/// children name them, so that the line of parents is the first row.
pub(super) struct Ancestors {
    columns: Vec<Vec<Ancestor>>,
}

/// A column with its place.
struct Column<'a> {
    members: &'a [Ancestor],
    left: usize,
    /// Width of its boxes, and of what made their individuals behind them.
    boxes: usize,
    labels: usize,
}

impl Ancestors {
    /// Those of an individual, as far back as a drawing reaches.
    pub(super) fn of(individual: &Ancestor, evolution: &Evolution) -> Self {
        let mut columns = vec![vec![individual.clone()]];
        let mut count = 1;
        while columns.len() < COLUMNS_MAX {
            let next = parents(&columns[columns.len() - 1], evolution);
            count += next.len();
            if next.is_empty() || next.len() > ROWS_MAX || count > NODES_MAX {
                break;
            }
            columns.push(next);
        }
        Ancestors { columns }
    }

    /// The one in the line of parents whose own ancestors are not in the drawing, if any are not.
    pub(super) fn oldest(&self) -> Option<&Ancestor> {
        self.columns.last()?.first().filter(|oldest| oldest.generation > 0)
    }

    /// What a drawing of them is called.
    pub(super) fn title(&self) -> String {
        let Ancestor { generation, individual, .. } = &self.columns[0][0];
        format!("Ancestors of individual {individual} of generation {generation}")
    }

    /// What is in it, for people who do not see it.
    pub(super) fn about(&self) -> String {
        let counted = |number: usize, one| crate::html::count(number as u64, one);
        let count = self.columns.iter().map(Vec::len).sum::<usize>() - 1;
        let (all, back) = (counted(count, "ancestor"), counted(self.columns.len() - 1, "generation"));
        format!("{all} in {back}. The table below lists the line of parents back to the first generation.")
    }

    /// The drawing. With `links` each individual leads to its own page.
    pub(super) fn svg(&self, links: bool) -> String {
        let columns = self.placed();
        let rows = self.columns.iter().map(Vec::len).max().unwrap_or(0);
        let height = HEAD + rows * ROW + MARGIN;
        let end = columns.last().map_or(MARGIN, |last| last.left + last.boxes + last.labels + TURN);
        let older = self.oldest().map(|oldest| older(oldest.generation));
        let width = end + older.as_ref().map_or(0, |text| text.len() * LETTER) + MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" class=\"ancestors\">{}",
            edges(&columns)
        );
        for column in &columns {
            svg.push_str(&format!(
                "<text class=\"head\" x=\"{}\" y=\"16\">generation {}</text>",
                column.left, column.members[0].generation
            ));
            for (row, member) in column.members.iter().enumerate() {
                svg.push_str(&node(column, row, member, links));
            }
        }
        if let Some(text) = older {
            svg.push_str(&format!("<text class=\"head\" x=\"{end}\" y=\"{}\">{text}</text>", middle(0) + 4));
        }
        svg + "</svg>"
    }

    fn placed(&self) -> Vec<Column<'_>> {
        let mut left = MARGIN;
        let mut columns = Vec::with_capacity(self.columns.len());
        for members in &self.columns {
            let widest = |text: fn(&Ancestor) -> String| {
                members.iter().map(|member| text(member).chars().count()).max().unwrap_or(0) * LETTER
            };
            let boxes = ROOM + widest(|member| member.individual.to_string());
            let labels = ROOM + widest(made);
            columns.push(Column { members, left, boxes, labels });
            // The generation stands above.
            left += (boxes + labels + TURN).max(LETTER * 16);
        }
        columns
    }
}

/// Parents of a generation, in the order in which it names them.
fn parents(column: &[Ancestor], evolution: &Evolution) -> Vec<Ancestor> {
    let mut found: Vec<Ancestor> = Vec::new();
    for child in column {
        let Some(before) = child.generation.checked_sub(1) else { continue };
        for &parent in &child.parents {
            if found.iter().all(|known| known.individual != parent) {
                found.extend(evolution.ancestor(before, parent));
            }
        }
    }
    found
}

/// What stands where a drawing ends.
fn older(generation: u32) -> String {
    match generation {
        1 => "older: generation 0".to_owned(),
        generation => format!("older: generations 0 to {}", generation - 1),
    }
}

fn made(member: &Ancestor) -> String {
    visible(&member.made)
}

fn middle(row: usize) -> usize {
    HEAD + row * ROW + ROW / 2
}

/// Lines from children to their parents: whole to whom they were copied from, broken to whom they were crossed with. The
/// line of parents is thicker.
fn edges(columns: &[Column<'_>]) -> String {
    let (mut line, mut copied, mut crossed) = (String::new(), String::new(), String::new());
    for (place, column) in columns.iter().enumerate() {
        let next = columns.get(place + 1);
        let rows: BTreeMap<u32, usize> =
            next.iter().flat_map(|next| next.members).map(|member| member.individual).zip(0..).collect();
        for (row, child) in column.members.iter().enumerate() {
            if child.parents.is_empty() {
                continue;
            }
            // What made it stands above the first part, which all of its lines share.
            let (begin, turn) = (column.left + column.boxes, column.left + column.boxes + column.labels);
            let y = middle(row);
            let path = if row == 0 { &mut line } else { &mut copied };
            path.push_str(&format!("M{begin} {y}H{turn}"));
            for (parent, &individual) in child.parents.iter().enumerate() {
                let Some((next, &to)) = next.zip(rows.get(&individual)) else { continue };
                let path = match (parent, row) {
                    (0, 0) => &mut line,
                    (0, _) => &mut copied,
                    _ => &mut crossed,
                };
                let (half, end, to) = (turn.midpoint(next.left), next.left, middle(to));
                path.push_str(&format!("M{turn} {y}C{half} {y} {half} {to} {end} {to}"));
            }
        }
    }
    [("crossed", crossed), ("copied", copied), ("line", line)]
        .into_iter()
        .filter(|(_, path)| !path.is_empty())
        .map(|(class, path)| format!("<path class=\"{class}\" d=\"{path}\"/>"))
        .collect()
}

fn node(column: &Column<'_>, row: usize, member: &Ancestor, links: bool) -> String {
    let Ancestor { generation, individual, fitness, .. } = member;
    let points = fitness.map_or_else(String::new, |points| format!(", {points} points"));
    let (open, close) = if links {
        (format!("<a href=\"?individual={generation}:{individual}\">"), "</a>")
    } else {
        ("<g>".to_owned(), "</g>")
    };
    let (left, wide, y) = (column.left, column.boxes, middle(row));
    format!(
        "{open}<title>Individual {individual} of generation {generation}{points}</title>\
         <rect x=\"{left}\" y=\"{}\" width=\"{wide}\" height=\"{BOX}\" rx=\"3\"/>\
         <text class=\"number\" x=\"{}\" y=\"{}\">{individual}</text>\
         <text x=\"{}\" y=\"{}\">{}</text>{close}",
        y - BOX / 2,
        left + wide / 2,
        y + 4,
        left + wide + ROOM / 2,
        y - 3,
        escaped(&made(member))
    )
}

#[cfg(test)]
mod tests {
    use experiments::{Population, lineage::Generation};
    use serde_json::json;

    use super::*;

    /// Generations of individuals, each by its parents.
    fn evolution(generations: &[&[&[u32]]]) -> Evolution {
        Evolution::new(generations.iter().zip(0..).map(|(individuals, generation)| {
            let individual = |parents: &&[u32]| {
                let made = if parents.len() > 1 { "one-way" } else { "copy" };
                json!({ "tree": "Zero", "parents": parents, "made": [made] })
            };
            let individuals: Vec<_> = individuals.iter().map(individual).collect();
            let text = json!({ "format": 1, "game": "reversi", "generation": generation, "individuals": individuals });
            let population = Population::parse(text.to_string().as_bytes()).expect("a population");
            Generation { population, fitness: None, games: 4 }
        }))
    }

    fn ancestors(evolution: &Evolution, generation: u32, individual: u32) -> Ancestors {
        Ancestors::of(&evolution.ancestor(generation, individual).expect("it is there"), evolution)
    }

    fn places(ancestors: &Ancestors) -> Vec<Vec<u32>> {
        ancestors.columns.iter().map(|column| column.iter().map(|member| member.individual).collect()).collect()
    }

    #[test]
    fn the_line_of_parents_is_the_first_row_and_nobody_stands_twice() {
        let evolution = evolution(&[&[&[], &[], &[]], &[&[2, 1], &[0], &[1]], &[&[0], &[0, 2], &[1]]]);
        let found = ancestors(&evolution, 2, 1);
        assert_eq!(places(&found), [vec![1], vec![0, 2], vec![2, 1]]);
        assert!(found.oldest().is_none(), "all of them are there");
        assert_eq!(found.about().split('.').next(), Some("4 ancestors in 2 generations"));
        let svg = found.svg(true);
        for (class, lines) in [("line", 2), ("copied", 1), ("crossed", 2)] {
            let path = svg.split(&format!("class=\"{class}\" d=\"")).nth(1).expect("a path").split('"').next();
            assert_eq!(path.map(|path| path.matches('C').count()), Some(lines), "{class}: {svg}");
        }
        assert_eq!(svg.matches("<a href=\"?individual=1:2\">").count(), 1, "{svg}");
        assert!(!found.svg(false).contains("href"));
    }

    /// Individual `i` of a population has the parents `wide · i` and `wide · i + 1`: before it there are 1, 2, 3, 4, … or 1, 2,
    /// 4, 8, … ancestors, and all of the population at most.
    #[test]
    fn a_drawing_ends_before_it_has_too_many() {
        let sizes = |wide: u32, all: u32| {
            let row: Vec<Vec<u32>> = (0..all).map(|index| vec![wide * index % all, (wide * index + 1) % all]).collect();
            let row: Vec<&[u32]> = row.iter().map(Vec::as_slice).collect();
            let found = ancestors(&evolution(&[&row[..]; 30]), 29, 0);
            let oldest = found.oldest().map(|oldest| (oldest.generation, oldest.individual));
            assert_eq!(oldest, Some((30 - found.columns.len() as u32, 0)));
            assert!(
                found.svg(false).contains(&format!(">older: generations 0 to {}</text>", 29 - found.columns.len()))
            );
            places(&found).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1, 60), [1, 2, 3, 4, 5, 6, 7, 8, 9], "as many generations as there may be");
        assert_eq!(sizes(2, 60), [1, 2, 4, 8, 16, 32], "60 are too many for a generation");
        assert_eq!(sizes(2, 47), [1, 2, 4, 8, 16, 32, 47, 47], "204 are too many in all");
    }

    #[test]
    fn what_made_it_is_text() {
        let mut hostile = evolution(&[&[&[]]]).ancestor(0, 0).expect("it is there");
        hostile.made = "</text><b>\u{202e}".to_owned();
        let svg = Ancestors::of(&hostile, &Evolution::default()).svg(false);
        assert!(svg.contains("&lt;/text&gt;&lt;b&gt;\\u{202e}</text>"), "{svg}");
    }
}
