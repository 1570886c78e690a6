//! What is around every page: the bar with the sections of the site, the way to the page, and what is wrong.

use std::collections::BTreeMap;

use axum::{http::StatusCode, response::Response};
use maud::{DOCTYPE, Markup, html};

use super::{
    answer,
    asked::{Asked, Theme},
    assets::ASSETS,
    links::encoded,
    stream::Topic,
    time,
    words::State,
};
use crate::html::visible;

/// The part that every page has.
const ALARMS: &str = "alarms";

/// A section of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Runs,
    Workers,
    Events,
    Compare,
}

impl Section {
    const ALL: [(Section, &'static str, &'static str); 4] = [
        (Section::Runs, "", "Runs"),
        (Section::Workers, "workers", "Workers"),
        (Section::Events, "events", "Events"),
        (Section::Compare, "compare", "Compare"),
    ];
}

/// A page.
pub(crate) struct Page {
    /// Title; what matters most comes first, since tabs are narrow.
    pub(crate) title: String,
    /// Its section.
    pub(crate) section: Section,
    /// The way to it: words and links. The page itself comes last and has none.
    pub(crate) crumbs: Vec<(String, Option<String>)>,
    /// The state that its icon shows.
    pub(crate) icon: State,
    /// Its parts, in order. A part may be asked for alone.
    pub(crate) parts: Vec<Part>,
    /// What its stream is to tell of; `None` of a page that does not change.
    pub(crate) follows: Option<Topic>,
    /// Whether the stream says its title, too.
    pub(crate) titled: bool,
    /// Seconds after which a browser without script asks again, where the page waits for something.
    pub(crate) again: Option<u32>,
}

/// A part of a page.
pub(crate) struct Part {
    /// Its name; empty for a part that never changes alone.
    pub(crate) name: &'static str,
    pub(crate) body: Markup,
}

impl Page {
    /// A page of a section, of one part.
    pub(crate) fn new(section: Section, title: impl Into<String>, body: Markup) -> Self {
        Page {
            title: title.into(),
            section,
            crumbs: Vec::new(),
            icon: State::Finished,
            parts: vec![Part { name: "", body }],
            follows: None,
            titled: false,
            again: None,
        }
    }
}

/// What is shown on every page beside its own.
pub(crate) struct Around {
    /// Whether a coordinator gives what is shown.
    pub(crate) live: bool,
    /// What is wrong anywhere, with links.
    pub(crate) alarms: Vec<Markup>,
    /// Versions of the parts of the page that it is around.
    pub(crate) versions: BTreeMap<String, String>,
}

/// The answer that is a page, or the part of it that was asked for.
pub(crate) fn answer(asked: &Asked, around: &Around, status: StatusCode, page: &Page) -> Response {
    const HTML: &str = "text/html; charset=utf-8";
    if let Some(part) = &asked.part {
        let found = page.parts.iter().find(|known| known.name == part && !part.is_empty());
        return match found {
            Some(part) => answer::text(asked, status, HTML, section(part, around).into_string(), ""),
            None if part == ALARMS => answer::text(asked, status, HTML, alarms(around).into_string(), ""),
            None => answer::text(asked, StatusCode::NOT_FOUND, HTML, String::new(), ""),
        };
    }
    let body = body(asked, around, page);
    let document = html! {
        (DOCTYPE)
        html lang="en" data-theme=[asked.theme.attribute()] {
            (head(asked, &page.title, page.icon, page.again))
            body data-stream=[page.follows.as_ref().map(|topic| asked.links.to(&format!("stream?{}", topic.query())))]
                data-title=[page.titled.then_some("")] {
                (body)
                footer {
                    p { "As of " (time::now()) "." }
                }
            }
        }
    };
    // The time of the answer makes no other page of it.
    let essence = format!("{}{}{:?}{}", page.title, page.icon.name(), asked.theme, body.0);
    answer::text(asked, status, HTML, document.into_string(), &essence)
}

fn head(asked: &Asked, title: &str, icon: State, again: Option<u32>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            title { (visible(title)) " – redqueen" }
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            @if let Some(again) = again {
                noscript { meta http-equiv="refresh" content=(again); }
            }
            link rel="stylesheet" href=(asked.links.to(&ASSETS.style.path));
            link rel="icon" type="image/svg+xml" href=(asked.links.to(&ASSETS.icon(icon).path));
            script defer src=(asked.links.to(&ASSETS.script.path)) {}
        }
    }
}

fn body(asked: &Asked, around: &Around, page: &Page) -> Markup {
    html! {
        a.skip href="#main" { "Skip to content" }
        header.bar {
            nav aria-label="Sections" {
                a.brand href=(asked.links.to("")) { "redqueen" }
                @for (section, path, name) in Section::ALL {
                    a href=(asked.links.to(path)) aria-current=[(section == page.section).then_some("true")] { (name) }
                }
            }
            div.aside {
                span #connection.soft data-live=[around.live.then_some("")] {
                    @if around.live { "read-only" } @else { "from files" }
                }
                (themes(asked))
            }
        }
        (alarms(around))
        @if !page.crumbs.is_empty() {
            nav.crumbs aria-label="Breadcrumbs" {
                ol {
                    @for (words, link) in &page.crumbs {
                        li {
                            @match link {
                                Some(link) => a href=(link) { (visible(words)) },
                                None => span aria-current="page" { (visible(words)) },
                            }
                        }
                    }
                }
            }
        }
        main #main tabindex="-1" {
            @for part in &page.parts {
                @if part.name.is_empty() { (part.body) } @else { (section(part, around)) }
            }
        }
    }
}

fn section(part: &Part, around: &Around) -> Markup {
    html! {
        div id={ "part-" (part.name) } data-part=(part.name) data-version=[around.versions.get(part.name)] { (part.body) }
    }
}

fn alarms(around: &Around) -> Markup {
    html! {
        div.alarms id={ "part-" (ALARMS) } data-part=(ALARMS) data-version=[around.versions.get(ALARMS)] role="region"
            aria-label="Alarms" hidden[around.alarms.is_empty()] {
            @for alarm in &around.alarms {
                p { strong { "Alarm: " } (alarm) }
            }
        }
    }
}

fn themes(asked: &Asked) -> Markup {
    let back = encoded(&asked.target);
    html! {
        nav.themes aria-label="Colours" {
            @for (name, theme) in Theme::ALL {
                a href=(asked.links.to(&format!("theme/{name}?back={back}")))
                    aria-current=[(theme == asked.theme).then_some("true")] rel="nofollow" { (name) }
            }
        }
    }
}

/// The form for the view token.
pub(crate) fn sign_in(asked: &Asked, fault: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[asked.theme.attribute()] {
            (head(asked, "Sign in", State::Paused, None))
            body {
                main #main {
                    h1 { "These pages ask for a token" }
                    @if !fault.is_empty() {
                        p.message.bad role="alert" { strong { "Wrong: " } (fault) }
                    }
                    form.sign-in method="post" action=(asked.links.to("sign-in")) {
                        input type="hidden" name="back" value=(asked.query.get("back").unwrap_or(&asked.target));
                        label for="token" { "View token" }
                        input #token type="password" name="token" autocomplete="current-password" required autofocus;
                        button type="submit" { "Look" }
                    }
                    p.soft {
                        "It is what stands in the file that the coordinator or "
                        code { "redqueen view" }
                        " was started with (" code { "--view-token-file" } ")."
                    }
                }
            }
        }
    }
}
