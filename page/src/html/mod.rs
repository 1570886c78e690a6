//! Pieces of HTML that reports and pages share.

use maud::{Markup, PreEscaped};

/// A drawing of `analysis`, which is SVG, as a part of a page. It is the only text that is not escaped.
#[expect(dead_code, reason = "the first page uses it")]
pub(crate) fn drawing(figure: &analysis::Figure) -> Markup {
    PreEscaped(figure.svg.clone())
}
