//! A figure as PDF, which LaTeX takes: lines and areas as they are in the SVG, texts as text in the shipped font, of which
//! the glyphs that are used are embedded.
//!
//! This writes what our own drawings have, from the tree that usvg makes of them: paths, texts, clip paths, opacities. A
//! crate for it, krilla-svg 0.8, was tried: 36 crates more, among them a second usvg (0.47) with an engine of its own for texts,
//! three minutes more of a core to build, and 4.3 million bytes more of program.
//! PDF is version 1.4 (the "PDF Reference, third edition", Adobe 2001), and the page is no transparency group of its own: TeX takes
//! several on a page without a warning. There is no date in the file, so that a figure drawn again has the same bytes.

mod content;
mod font;
mod object;
#[cfg(test)]
mod tests;

use resvg::usvg;

use content::Content;
use font::Subset;
use object::{Objects, number, text};

/// Points of PDF, 72 an inch, for a pixel of SVG, 96 an inch.
const POINTS: f32 = 0.75;
/// Name of the font on the page.
const FONT: &str = "F";

/// The drawing as a document of one page. `Err` names a part of the drawing that is not written.
pub(super) fn render(tree: &usvg::Tree, title: &str, font: &[u8]) -> Result<Vec<u8>, String> {
    let size = tree.size();
    let mut content = Content::new(size.height());
    content.group(tree.root())?;
    let Content { operators, opacities, glyphs, .. } = content;

    let mut objects = Objects::new();
    let pages = objects.reserve();
    let page = objects.reserve();
    let catalog = objects.add(&format!("<< /Type /Catalog /Pages {pages} 0 R >>"));
    let info = objects.add(&format!("<< /Title {} /Producer (redqueen) >>", text(title)));
    let operators = objects.stream("", operators.as_bytes());
    let states = opacities.iter().map(|(name, value)| format!("/{name} << /ca {value} /CA {value} >> "));
    let mut resources = format!("/ExtGState << {}>>", states.collect::<String>());
    if !glyphs.is_empty() {
        let font = Subset::of(font, &glyphs).write(&mut objects);
        resources.push_str(&format!(" /Font << /{FONT} {font} 0 R >>"));
    }
    let [width, height] = [size.width(), size.height()].map(|pixels| number(pixels * POINTS));
    objects.put(
        page,
        &format!(
            "<< /Type /Page /Parent {pages} 0 R /MediaBox [0 0 {width} {height}] /Contents {operators} 0 R \
             /Resources << {resources} >> >>"
        ),
    );
    objects.put(pages, &format!("<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>"));
    Ok(objects.finish(catalog, info))
}
