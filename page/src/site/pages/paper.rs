//! A run beside its paper.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::{Markup, html};

use super::{Made, Tab, find, of_run, page, run::PATIENCE};
use crate::{
    html::{Message, message, visible},
    report::paper_cells,
    site::{
        Site,
        analyses::{Have, Wanted, version_of},
        asked::Asked,
        source::Run,
    },
};

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let have = match find(&site, &key) {
        Ok(run) if is_due(&run) => {
            let wanted = Wanted::Paper(run.directory.clone());
            Some(site.analyses.get_soon(&wanted, &version_of(&run), PATIENCE).await)
        }
        _ => None,
    };
    page(site, asked, move |site, asked| make(site, asked, &key, have)).await
}

/// Whether there is something to compare.
fn is_due(run: &Run) -> bool {
    run.fact("paper").is_some() && run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0)
}

fn make(site: &Site, asked: &Asked, key: &str, have: Option<Have>) -> Made {
    let run = find(site, key)?;
    let waits = matches!(have, Some(Have::Working));
    let body = match have {
        None if run.fact("paper").is_none() => message(Message::Note, "The experiment names no paper."),
        None => message(Message::Note, "No stage is closed yet, so there is nothing to compare."),
        Some(Have::Working) => html! {
            p.message data-again="1000" role="status" { strong { "Wait: " } "the comparison is being made." }
        },
        Some(Have::Failed(why)) => message(Message::Note, &why),
        Some(Have::Ready(made) | Have::Old(made)) => beside(&made.report, run.fact("paper")),
    };
    let mut page = of_run(&run, asked, Tab::Paper, "Beside the paper", &html! {});
    page.parts.push(crate::site::frame::Part { name: "paper", body });
    page.again = waits.then_some(3);
    Ok(page)
}

fn beside(report: &analysis::Report, key: Option<&str>) -> Markup {
    html! {
        p {
            "Each figure of the paper beside ours, with the interval of ours. Inside means that the paper's figure lies in it; \
             of figures that are right, one in twenty lies outside by chance."
        }
        (paper_cells(report, key))
        @for reason in &report.left_out { p.soft { (visible(reason)) "." } }
    }
}
