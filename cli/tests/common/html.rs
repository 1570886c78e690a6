//! A strict reader of documents that our own code writes. What a browser would mend or guess is an error here: an element
//! that is not closed where it should be, an attribute without quotes, an element or attribute that no page has.

/// Elements without content.
const VOID: [&str; 5] = ["br", "img", "input", "link", "meta"];
/// Elements whose content is not markup.
const RAW: [&str; 2] = ["script", "style"];

/// An element's name and attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What a document holds.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// In the order in which they begin.
    pub(crate) elements: Vec<Element>,
    /// All text but that of scripts and styles, as a reader sees it.
    pub(crate) text: String,
    /// Content of scripts and styles, with the element.
    pub(crate) raw: Vec<(Element, String)>,
}

impl Document {
    /// How many elements of a name there are.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.elements.iter().filter(|element| element.name == name).count()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.elements.iter().map(|element| element.name.as_str()).collect()
    }
}

/// Reads a document.
///
/// # Panics
/// If it is not well formed.
pub(crate) fn read(html: &str) -> Document {
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    let (mut document, mut open): (Document, Vec<String>) = Default::default();
    while let Some(begin) = rest.find('<') {
        document.text.push_str(&unescaped(&rest[..begin]));
        rest = &rest[begin..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").expect("a comment ends").1;
            continue;
        }
        // Text next to text would run together.
        document.text.push(' ');
        let (tag, after) = rest[1..].split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "`</{name}>` closes another element");
            continue;
        }
        let (element, closed) = element(tag);
        document.elements.push(element.clone());
        let name = element.name.clone();
        if RAW.contains(&name.as_str()) {
            let (content, after) = rest.split_once(&format!("</{name}>")).expect("raw text ends");
            document.raw.push((element, content.to_owned()));
            rest = after;
        } else if !closed && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    document.text.push_str(&unescaped(rest));
    assert!(open.is_empty(), "not closed: {open:?}");
    document
}

/// A tag's inside: `a href="x"`, `path d="y"/`. Whether it closes itself is the second value.
fn element(tag: &str) -> (Element, bool) {
    let (tag, closed) = match tag.strip_suffix('/') {
        Some(tag) => (tag, true),
        None => (tag, false),
    };
    let end = tag.find(' ').unwrap_or(tag.len());
    let name = &tag[..end];
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    assert!(is_name(name), "`{tag}` is no tag");
    let mut attributes = Vec::new();
    let mut rest = tag[end..].trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (attribute, after) = rest.split_at(end);
        // One that is there or not has no value.
        let (value, after) = match after.strip_prefix("=\"") {
            Some(after) => after.split_once('"').expect("a value ends"),
            None => ("", after),
        };
        assert!(is_name(&attribute.replace(':', "-")), "`{attribute}` in <{tag}> is no name");
        assert!(!attribute.starts_with("on") && attribute != "style", "`{attribute}` in <{tag}>");
        attributes.push((attribute.to_owned(), unescaped(value)));
        rest = after.trim_start();
    }
    (Element { name: name.to_owned(), attributes }, closed)
}

/// Text as a reader sees it.
fn unescaped(text: &str) -> String {
    assert!(!text.contains('>') || !text.contains('<'), "`{text}` holds markup");
    let mut shown = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find('&') {
        shown.push_str(&rest[..begin]);
        let (entity, after) = rest[begin + 1..].split_once(';').expect("an entity ends");
        shown.push_str(match entity {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" | "#39" => "'",
            _ => panic!("`&{entity};` is no entity"),
        });
        rest = after;
    }
    shown + rest
}
