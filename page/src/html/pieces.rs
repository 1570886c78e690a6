//! Tables, pairs of names and values, messages.

use analysis::Table;
use maud::{Markup, PreEscaped, html};

use super::visible;

/// A table of `analysis`, which escapes its own text.
pub(crate) fn table(table: &Table) -> Markup {
    PreEscaped(table.to_html())
}

/// A formula of `gp`, which writes MathML, in a line of its own.
pub(crate) fn formula(of: &gp::Expression, digits: usize) -> Markup {
    PreEscaped(format!("<math display=\"block\">{}</math>", of.to_mathml(digits)))
}

/// Names and their values, in order.
pub(crate) fn facts<'a>(facts: impl IntoIterator<Item = (&'a str, Markup)>) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in facts {
                dt { (name) }
                dd { (value) }
            }
        }
    }
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// Something to know.
    Note,
    /// Figures mean less than they seem to.
    Warning,
    /// Something is wrong.
    Alarm,
}

/// A message that begins with what it is, so that its colour says nothing alone.
pub(crate) fn message(meant: Message, text: &str) -> Markup {
    let (class, word) = match meant {
        Message::Note => ("message", "Note:"),
        Message::Warning => ("message warn", "Warning:"),
        Message::Alarm => ("message bad", "Alarm:"),
    };
    html! { p class=(class) { strong { (word) } " " (visible(text)) } }
}
