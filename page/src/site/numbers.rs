//! Numbers of a run that change while one looks: a page has them under keys, and the stream tells their new texts.

use maud::{Markup, html};

use super::{source::Run, words};
use crate::html::{span, thousands};

/// A number: its key, and its text.
pub(crate) type Number = (String, String);

/// Texts of a run's numbers by the last word of their keys.
pub(crate) fn numbers(run: &Run) -> Vec<(&'static str, String)> {
    let (done, all) = run.progress();
    let mut numbers = vec![
        ("percent", words::percent(done, all)),
        ("stored", thousands(run.stored)),
        ("done", thousands(done)),
        ("bar-stored", width(done, all)),
    ];
    if let Some(live) = &run.live {
        let left = |left: Option<f64>| left.map_or_else(|| "–".to_owned(), span);
        numbers.extend([
            ("rate", words::rate(live.rate)),
            ("left", left(live.left.map(|[stage, _]| stage))),
            ("left-all", left(live.left.map(|[_, all]| all))),
            ("leased", thousands(live.leased)),
            ("bar-leased", width(done + live.leased, all)),
            ("workers", words::count(live.workers.into(), "worker")),
            ("threads", words::count(live.threads.into(), "thread")),
        ]);
    }
    numbers
}

/// All of them, by whole keys.
pub(crate) fn keyed(run: &Run) -> Vec<Number> {
    numbers(run).into_iter().map(|(name, text)| (format!("{}.{name}", run.key), text)).collect()
}

/// A number of a run under its key.
pub(crate) fn number(run: &Run, name: &'static str) -> Markup {
    let text =
        numbers(run).into_iter().find(|(known, _)| *known == name).map_or_else(|| "–".to_owned(), |(_, text)| text);
    html! { span data-key={ (run.key) "." (name) } { (text) } }
}

/// How far a run is, as a bar. What it says is said in words beside it.
pub(crate) fn bar(run: &Run) -> Markup {
    let numbers = numbers(run);
    let width = |name: &str| numbers.iter().find(|(known, _)| *known == name).map_or("0", |(_, text)| text.as_str());
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.leased height="6" width=(width("bar-leased")) data-key={ (run.key) ".bar-leased" } data-attribute="width" {}
            rect.stored height="6" width=(width("bar-stored")) data-key={ (run.key) ".bar-stored" } data-attribute="width" {}
        }
    }
}

/// A part of a whole as the width of a bar of 100.
fn width(part: u64, of: u64) -> String {
    if of == 0 { "0".to_owned() } else { format!("{:.1}", 100.0 * part.min(of) as f64 / of as f64) }
}
