//! A pair of a grid: what each table says of it, and its games.

use std::sync::Arc;

use analysis::{Cell, Table};
use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::html;

use super::{Made, Tab, Wrong, given, of_run, page};
use crate::{
    html::table,
    site::{Site, asked::Asked},
};

pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((key, pair)): Path<(String, String)>,
) -> Response {
    given::wait_for(&site, &key).await;
    page(site, asked, move |site, asked| make(site, asked, &key, &pair)).await
}

fn make(site: &Site, asked: &Asked, key: &str, pair: &str) -> Made {
    let unknown = || Wrong::NotFound("There is no such pair.".to_owned());
    let run = super::find(site, key)?;
    let place: usize = pair.parse().map_err(|_| unknown())?;
    let made = given::report(&site.analyses, &run)?;
    let pairs = made.report.tables.iter().find(|table| table.kind == "pairs").ok_or_else(unknown)?;
    let players = players(pairs).ok_or_else(unknown)?;
    let names = pairs.rows.get(place).and_then(|row| Some([text(row, players[0])?, text(row, players[1])?]));
    let [a, b] = names.ok_or_else(unknown)?;
    let about: Vec<Table> = made
        .report
        .tables
        .iter()
        .filter_map(|table| {
            let places = self::players(table)?;
            let is_its = |row: &&Vec<Cell>| text(row, places[0]) == Some(a) && text(row, places[1]) == Some(b);
            let rows: Vec<Vec<Cell>> = table.rows.iter().filter(is_its).cloned().collect();
            (!rows.is_empty()).then(|| Table { rows, ..table.clone() })
        })
        .collect();
    // The grid is the last stage of shape `match`, whose trials are in the order of the pairs.
    let stage = run.outline.as_ref().ok().and_then(|outline| {
        outline.stages.iter().rev().find(|stage| stage.shape == record::columns::MATCH && stage.closed_at.is_some())
    });
    let body = html! {
        p { a href=(asked.links.run(&run.key, "")) { "← all pairs" } }
        @if let Some(stage) = stage {
            p {
                a href=(asked.links.run(&run.key, &format!("/trials?stage={}&pair={place}", stage.index))) { "The games of the pair" }
            }
        }
        @for part in &about { (table(part)) }
    };
    let mut page = of_run(&run, asked, Tab::Results, &format!("{a} v {b}"), &body);
    page.title = format!("{a} v {b} – {}", run.name());
    Ok(page)
}

/// Where a table has the two players of a pair.
fn players(table: &Table) -> Option<[usize; 2]> {
    let place = |key: &str| table.columns.iter().position(|column| column.key == key);
    Some([place("player")?, place("opponent")?])
}

fn text(row: &[Cell], place: usize) -> Option<&str> {
    match row.get(place) {
        Some(Cell::Text(text)) => Some(text),
        _ => None,
    }
}
