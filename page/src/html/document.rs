//! What a document carries inside: styles, scripts, data for programs, and what its content policy says of them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use maud::{Markup, PreEscaped};
use ring::digest::{SHA256, digest};

/// The source of a content policy that allows a script or a style of exactly these bytes: `'sha256-…'`.
pub(crate) fn source_hash(inline: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, inline.as_bytes())))
}

/// A style of our own files inside a document.
pub(crate) fn inline_style(css: &'static str) -> Markup {
    debug_assert!(!css.contains("</"), "a style ends where its element does");
    PreEscaped(format!("<style>{css}</style>"))
}

/// A script of our own files inside a document.
pub(crate) fn inline_script(script: &'static str) -> Markup {
    debug_assert!(!script.contains("</"), "a script ends where its element does");
    PreEscaped(format!("<script>{script}</script>"))
}

/// Facts for programs, which no browser runs. In strings `<` is `\u003c`, so that nothing in them ends the element, and
/// what turns or hides text is written in the same way.
pub(crate) fn json_island(id: &str, data: &serde_json::Value) -> Markup {
    PreEscaped(format!("<script type=\"application/json\" id=\"{id}\">{}</script>", escaped(data)))
}

fn escaped(data: &serde_json::Value) -> String {
    let mut text = String::new();
    // Outside of strings compact JSON has none of these.
    for c in data.to_string().chars() {
        if c == '<' || analysis::is_unseen(c) {
            let mut units = [0; 2];
            text.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            text.push(c);
        }
    }
    text
}

/// A picture in PNG as the address of an image.
pub(crate) fn png_address(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
    #[test]
    fn a_source_is_its_hash() {
        assert_eq!(source_hash("alert(1)"), "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let data = json!({ "</script><b>": "<!-- <script>\u{202e}" });
        let island = json_island("d", &data).into_string();
        assert_eq!(
            island,
            "<script type=\"application/json\" id=\"d\">{\"\\u003c/script>\\u003cb>\":\"\\u003c!-- \\u003cscript>\\u202e\"}</script>"
        );
        let inside = island.split_once('>').and_then(|(_, rest)| rest.strip_suffix("</script>")).expect("an element");
        assert_eq!(serde_json::from_str::<serde_json::Value>(inside).expect("JSON"), data);
    }
}
