//! What a search found: an evolution's champion or a tuning's winner. `?individual=12:3` shows another individual.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::{Markup, html};
use record::facts::Kind;

use super::{Made, Tab, Wrong, find, given, of_run, page, run::have};
use crate::{
    html::{Message, message},
    site::{
        Site,
        analyses::{Have, Wanted, version_of},
        asked::Asked,
        frame::Part,
        source::Run,
    },
};

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let wanted = individual(&asked);
    let have = match (find(&site, &key), &wanted) {
        (Ok(run), Ok(None)) => have(&site, &run).await,
        (Ok(run), Ok(Some((generation, individual)))) if evolves(&run) => {
            let wanted = Wanted::Individual(run.directory.clone(), *generation, *individual);
            // Whether there is such a one is known only then.
            Some(site.analyses.get_soon(&wanted, &version_of(&run), given::PATIENCE).await)
        }
        _ => None,
    };
    page(site, asked, move |site, asked| match wanted? {
        None => make(site, asked, &key, have),
        Some(wanted) => one(site, asked, &key, wanted, have),
    })
    .await
}

/// The individual that is asked for, if it is not the champion: its generation, and its index in it.
fn individual(asked: &Asked) -> Result<Option<(u32, u32)>, Wrong> {
    let Some(text) = asked.query.get("individual") else { return Ok(None) };
    let read = || {
        let (generation, individual) = text.split_once(':')?;
        Some((generation.parse().ok()?, individual.parse().ok()?))
    };
    let why = || Wrong::Asked("`individual` must be a generation and an index in it, as in `12:3`.".to_owned());
    read().map(Some).ok_or_else(why)
}

/// Whether it is an evolution, which has individuals.
pub(super) fn evolves(run: &Run) -> bool {
    run.fact("kind") == Some(Kind::Coevolution.name())
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
        Some(Have::Working) => wait(),
        Some(Have::Failed(why)) => message(Message::Note, &why),
        Some(Have::Ready(made) | Have::Old(made)) => made.champion.clone().unwrap_or_else(none),
    };
    let mut page = of_run(&run, asked, Tab::Champion, word(&run), &html! {});
    page.parts.push(Part { name: "champion", body });
    page.again = waits.then_some(3);
    Ok(page)
}

fn wait() -> Markup {
    html! {
        p.message data-again="1000" role="status" { strong { "Wait: " } "it is being drawn." }
    }
}

/// Any individual of a stored generation, shown as the champion is.
fn one(site: &Site, asked: &Asked, key: &str, (generation, individual): (u32, u32), have: Option<Have>) -> Made {
    let run = find(site, key)?;
    let waits = matches!(have, Some(Have::Working));
    let body = match have {
        None => return Err(Wrong::NotFound("Only an evolution has individuals.".to_owned())),
        Some(Have::Working) => wait(),
        Some(Have::Failed(why)) => return Err(Wrong::NotFound(format!("There is no such individual: {why}."))),
        Some(Have::Ready(made) | Have::Old(made)) => made.champion.clone().unwrap_or_default(),
    };
    let heading = format!("Individual {individual} of generation {generation}");
    let mut page = of_run(&run, asked, Tab::Champion, &heading, &html! {});
    let champion = (word(&run).to_owned(), Some(asked.links.run(&run.key, "/champion")));
    page.crumbs.insert(page.crumbs.len() - 1, champion);
    page.parts.push(Part { name: "champion", body });
    page.again = waits.then_some(3);
    Ok(page)
}
