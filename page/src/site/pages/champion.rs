//! What a search found: an evolution's champion or a tuning's winner.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::html;
use record::facts::Kind;

use super::{Made, Tab, find, of_run, page, run::have};
use crate::{
    html::{Message, message},
    site::{Site, analyses::Have, asked::Asked, frame::Part, source::Run},
};

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let have = match find(&site, &key) {
        Ok(run) => have(&site, &run).await,
        Err(_) => None,
    };
    page(site, asked, move |site, asked| make(site, asked, &key, have)).await
}

/// Whether runs of its kind find something.
pub(super) fn has(run: &Run) -> bool {
    [Kind::Coevolution, Kind::Tuning].iter().any(|kind| run.fact("kind") == Some(kind.name()))
}

/// What it is called.
pub(super) fn word(run: &Run) -> &'static str {
    if run.fact("kind") == Some(Kind::Tuning.name()) { "Winner" } else { "Champion" }
}

fn make(site: &Site, asked: &Asked, key: &str, have: Option<Have>) -> Made {
    let run = find(site, key)?;
    let waits = matches!(have, Some(Have::Working));
    let none = || message(Message::Note, "There is none yet: no generation is closed, or the run is of another kind.");
    let body = match have {
        None => none(),
        Some(Have::Working) => html! {
            p.message data-again="1000" role="status" { strong { "Wait: " } "it is being drawn." }
        },
        Some(Have::Failed(why)) => message(Message::Note, &why),
        Some(Have::Ready(made) | Have::Old(made)) => made.champion.clone().unwrap_or_else(none),
    };
    let mut page = of_run(&run, asked, Tab::Champion, word(&run), &html! {});
    page.parts.push(Part { name: "champion", body });
    page.again = waits.then_some(3);
    Ok(page)
}
