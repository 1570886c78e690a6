//! The document around the sections: head, content policy, contents, script.

use maud::{DOCTYPE, Markup, html};

use super::Section;
use crate::html::{inline_script, inline_style, json_island, source_hash, visible};

/// How a report looks: as all pages, and what is its own.
const STYLE: &str = concat!(include_str!("../../assets/base.css"), include_str!("../../assets/report.css"));
/// Sorts, filters and copies tables; a report is complete without it.
const SCRIPT: &str = include_str!("../../assets/report.js");

/// The whole document. `data` is what programs read in it.
pub(super) fn document(title: &str, sections: &[Section], data: &serde_json::Value) -> String {
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        source_hash(STYLE),
        source_hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("redqueen ", env!("CARGO_PKG_VERSION")));
                title { (visible(title)) }
                (inline_style(STYLE))
            }
            body {
                header.top {
                    h1 { (visible(title)) }
                    (contents(sections))
                }
                main {
                    @for Section { id, heading, content } in sections {
                        section id=(id) {
                            h2 { (heading) }
                            (content)
                        }
                    }
                }
                footer { "Made by redqueen " (env!("CARGO_PKG_VERSION")) " from the directory of the run." }
                (json_island("data", data))
                (inline_script(SCRIPT))
            }
        }
    };
    page.into_string()
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul.contents {
                @for Section { id, heading, .. } in sections {
                    li { a href={ "#" (id) } { (heading) } }
                }
            }
        }
    }
}
