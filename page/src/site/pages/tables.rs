//! One table, a page of rows at a time.

use std::sync::Arc;

use analysis::Table;
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::html;

use super::{Tab, Wrong, answer, given, of_run};
use crate::{
    html::{table, thousands},
    site::{Site, asked::Asked, frame, links::encoded},
};

/// Cells of a page.
const CELLS: usize = 2_000;

pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((key, name)): Path<(String, String)>,
) -> Response {
    given::wait_for(&site, &key).await;
    answer(site, asked, move |site, asked| {
        let run = super::find(site, &key)?;
        let made = given::report(&site.analyses, &run)?;
        let tables = &made.report.tables;
        if let Some((stem, end)) = name.rsplit_once('.') {
            let file = tables.iter().find(|table| table.name == stem);
            if let Some(table) = file
                && let Some(response) = given::table_as(asked, table, end)?
            {
                return Ok(response);
            }
        }
        let whole = tables.iter().find(|table| table.name == name);
        let whole = whole.ok_or_else(|| Wrong::NotFound("There is no such table.".to_owned()))?;
        let from: usize = asked.query.number("from").map_err(Wrong::Asked)?.unwrap_or(0);
        let page = of_run(&run, asked, Tab::Results, &format!("Table {name}"), &rows(asked, &run.key, whole, from));
        Ok(frame::answer(asked, &super::around(site, asked), StatusCode::OK, &page))
    })
    .await
}

/// Rows of a table from one on.
fn rows(asked: &Asked, key: &str, whole: &Table, from: usize) -> maud::Markup {
    let length = (CELLS / whole.columns.len().max(1)).max(1);
    let count = whole.rows.len();
    let from = from.min(count.saturating_sub(1)) / length * length;
    let to = (from + length).min(count);
    let link = |from: usize| asked.links.run(key, &format!("/tables/{}?from={from}", encoded(&whole.name)));
    let shown = Table { rows: whole.rows[from..to].to_vec(), ..whole.clone() };
    html! {
        @if count > length {
            nav.pages aria-label="Rows" {
                @if from > 0 { a rel="prev" href=(link(from - length)) { "← rows before" } }
                span { "rows " (thousands(from as u64 + 1)) " to " (thousands(to as u64)) " of " (thousands(count as u64)) }
                @if to < count { a rel="next" href=(link(to)) { "rows behind →" } }
            }
        }
        (table(&shown))
        (given::forms(whole, &asked.links.run(key, &format!("/tables/{}", encoded(&whole.name)))))
    }
}
