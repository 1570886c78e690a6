//! The resolved experiment, the papers that methods are of, licences.

use maud::{Markup, html};

use super::{
    gathered::Gathered,
    references::{self, Reference},
};
use crate::html::visible;

/// All of it.
pub(super) fn section(gathered: &Gathered) -> Markup {
    let cited = references::cited(gathered);
    let bibtex: Vec<String> = cited.iter().map(Reference::bibtex).collect();
    html! {
        @if let Some((text, _)) = &gathered.resolved {
            h3 { "The resolved experiment" }
            p { "The file as given, with every default filled in. Results depend on nothing else." }
            pre tabindex="0" { (visible(text)) }
        }
        @if !cited.is_empty() {
            h3 { "References" }
            ul { @for reference in &cited { li { (reference.text()) } } }
            details {
                summary { "As BibTeX" }
                pre.wrapped { (bibtex.join("\n")) }
            }
        }
        h3 { "Licences" }
        p {
            "redqueen is available under the MIT licence or the Apache licence 2.0. Text in the figures is set in DejaVu Sans \
             (Bitstream Vera licence) where it was drawn as pixels; no font is part of this document."
        }
    }
}
