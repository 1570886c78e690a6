//! Drawings of `analysis` as parts of a document.

use analysis::Figure;
use maud::{Markup, PreEscaped, html};

use super::{document::png_address, visible};

/// A drawing of more marks than this is a picture of pixels: it would be larger, and slower to show, as SVG.
const MARKS_MAX: usize = 3_000;
/// Letters of a caption.
const CAPTION_MAX: usize = 200;

/// A figure with its caption, on a card. `prefix` as of [`drawing()`].
pub(crate) fn figure(of: &Figure, prefix: &str) -> Markup {
    let title = visible(&of.title);
    let caption = if title.chars().count() > CAPTION_MAX {
        title.chars().take(CAPTION_MAX - 1).chain(['…']).collect()
    } else {
        title.clone()
    };
    let pixels = if marks(&of.svg) > MARKS_MAX { of.to_png().ok() } else { None };
    html! {
        figure id={ "figure-" (of.name) } {
            @if let Some(png) = pixels {
                div.card { img src=(png_address(&png)) alt=(title); }
            } @else {
                // It can be scrolled on a phone, so it can be reached by keyboard.
                div.card role="group" tabindex="0" aria-label=(title) { (drawing(&of.svg, prefix, [&title, "The tables have its numbers."], Holds::Marks)) }
            }
            figcaption { strong { (of.name) } ". " (caption) }
        }
    }
}

/// What a drawing has for people who do not see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Marks, which mean something together: it is heard as one picture.
    Marks,
    /// Links, each of which is heard.
    Links,
}

/// The element of a drawing that other drawings on its page do not disturb: `prefix`, a word that no other drawing of
/// the page has, begins every id in it. `title` is what people hear who do not see it, `about` says more. It shrinks with
/// the page.
///
/// `svg` is one element, made by our own code: it is the only text that is not escaped, beside tables.
pub(crate) fn drawing(svg: &str, prefix: &str, [title, about]: [&str; 2], holds: Holds) -> Markup {
    let (head, body) = svg.split_once('>').unwrap_or((svg, ""));
    let size = |name: &str| attribute(head, name).and_then(|text| text.parse::<f64>().ok());
    let view = match (attribute(head, "viewBox"), size("width"), size("height")) {
        (None, Some(width), Some(height)) => format!(" viewBox=\"0 0 {width} {height}\""),
        _ => String::new(),
    };
    let words = html! {
        title id={ (prefix) "-title" } { (title) }
        desc id={ (prefix) "-desc" } { (about) }
    };
    let role = match holds {
        Holds::Marks => "img",
        Holds::Links => "group",
    };
    PreEscaped(format!(
        "{}{view} role=\"{role}\" aria-labelledby=\"{prefix}-title {prefix}-desc\">{}{}",
        with_ids(head, prefix),
        words.into_string(),
        with_ids(&shorter_paths(body), prefix)
    ))
}

/// How many marks a drawing has: elements that are drawn.
fn marks(svg: &str) -> usize {
    ["<circle", "<line", "<path", "<polygon", "<polyline", "<rect", "<text"]
        .iter()
        .map(|mark| svg.matches(mark).count())
        .sum()
}

/// The drawing with the paths of its lines written shorter: numbers to a tenth of a pixel, each point from the one
/// before. Points are rounded before they are subtracted, so that no error adds up. Paths with curves stay as they are.
fn shorter_paths(svg: &str) -> String {
    const BEGIN: &str = "<path d=\"";
    let mut parts = svg.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once('"').unwrap_or((part, ""));
        text.push_str(BEGIN);
        text.push_str(&shorter(path).unwrap_or_else(|| path.to_owned()));
        text.push('"');
        text.push_str(rest);
    }
    text
}

/// A path of the commands M, L and Z; `None` of others.
fn shorter(path: &str) -> Option<String> {
    let mut text = String::new();
    // In tenths of a pixel.
    let (mut at, mut begin) = ((0, 0), (0, 0));
    let mut words = path.split([' ', ',']).filter(|word| !word.is_empty());
    while let Some(command) = words.next() {
        if command == "Z" {
            text.push('z');
            at = begin;
            continue;
        }
        let mut tenths = || Some((words.next()?.parse::<f64>().ok()? * 10.0).round() as i64);
        let to = (tenths()?, tenths()?);
        let step = (to.0 - at.0, to.1 - at.1);
        match command {
            "M" => {
                text.push_str(&format!("M{}{}", number(to.0), second(to.1)));
                begin = to;
            }
            "L" if step == (0, 0) => {}
            "L" if step.1 == 0 => text.push_str(&format!("h{}", number(step.0))),
            "L" if step.0 == 0 => text.push_str(&format!("v{}", number(step.1))),
            "L" => text.push_str(&format!("l{}{}", number(step.0), second(step.1))),
            _ => return None,
        }
        at = to;
    }
    Some(text)
}

/// Tenths as a number, in as few letters as SVG allows: `-.5`, `12`.
fn number(tenths: i64) -> String {
    let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
    match (size / 10, size % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, tenth) => format!("{sign}.{tenth}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// A number behind another: a minus sign is a separator, too.
fn second(tenths: i64) -> String {
    if tenths < 0 { number(tenths) } else { format!(" {}", number(tenths)) }
}

/// The value of an attribute of an opened element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let begin = element.find(&format!(" {name}=\""))? + name.len() + 3;
    element[begin..].split('"').next()
}

/// The text with `prefix` before every id and every reference to one. Only tags are changed, which texts between them
/// cannot look like, since they are escaped.
fn with_ids(svg: &str, prefix: &str) -> String {
    let mut text = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(begin) = rest.find('<') {
        let end = rest[begin..].find('>').map_or(rest.len(), |end| begin + end);
        text.push_str(&rest[..begin]);
        text.push_str(
            &rest[begin..end]
                .replace(" id=\"", &format!(" id=\"{prefix}-"))
                .replace("url(#", &format!("url(#{prefix}-"))
                .replace("href=\"#", &format!("href=\"#{prefix}-")),
        );
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_one_drawing() {
        let svg = "<svg xmlns=\"x\" width=\"20\" height=\"10.5\"><defs><clipPath id=\"clip-0\"/></defs>\
                   <g clip-path=\"url(#clip-0)\"><text x=\"1\">url(#clip-0) id=</text></g></svg>";
        assert_eq!(
            drawing(svg, "f1", ["a < b", "two lines"], Holds::Marks).into_string(),
            "<svg xmlns=\"x\" width=\"20\" height=\"10.5\" viewBox=\"0 0 20 10.5\" role=\"img\" \
             aria-labelledby=\"f1-title f1-desc\"><title id=\"f1-title\">a &lt; b</title><desc id=\"f1-desc\">two \
             lines</desc><defs><clipPath id=\"f1-clip-0\"/></defs><g clip-path=\"url(#f1-clip-0)\">\
             <text x=\"1\">url(#clip-0) id=</text></g></svg>"
        );
    }

    #[test]
    fn paths_are_shorter_and_the_same() {
        let path = "M 76.33 141.84 L 76.98 141.53 L 76.98 139.95000000000002 L 70 139.95 L 70.04 139.96 L 69.5 139 Z M 1 2 L 0.5 1.5";
        assert_eq!(shorter(path).as_deref(), Some("M76.3 141.8l.7-.3v-1.5h-7l-.5-1zM1 2l-.5-.5"));
        assert_eq!(shorter("M 1 2 C 1 2 3 4 5 6"), None);
        let svg = "<g><path d=\"M 1 2 L 3 2\" stroke=\"a\"/><path d=\"M 0 0 A 1 1\"/></g>";
        assert_eq!(shorter_paths(svg), "<g><path d=\"M1 2h2\" stroke=\"a\"/><path d=\"M 0 0 A 1 1\"/></g>");
    }

    #[test]
    fn marks_are_counted() {
        assert_eq!(marks("<svg><g><circle /><rect /></g><path d=\"\" /><text>rect</text></svg>"), 4);
    }
}
