//! Faults for people (source snippets) and for programs (JSON).

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde_json::json;

use super::{Fault, Faults, Location};

impl Faults {
    /// The faults with the lines they are on, `width` characters wide: drawn and coloured with `color`
    /// (a terminal), plain ASCII without. Ends with a newline.
    #[must_use]
    pub fn render(&self, color: bool, width: usize) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
        let handler =
            GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false).without_syntax_highlighting();
        let source = NamedSource::new(plain(&self.file), showable(&self.source));
        let mut text = String::new();
        for fault in &self.faults {
            let report = Report { fault, source: &source };
            handler.render_report(&mut text, &report).expect("writing to a String does not fail");
            text.truncate(text.trim_end().len());
            text.push_str("\n\n");
        }
        let plural = if self.faults.len() == 1 { "" } else { "s" };
        text.push_str(&format!("{} fault{plural} in {}\n", self.faults.len(), plain(&self.file)));
        text
    }

    /// The facts that [`Faults::render`] shows: `{"file", "faults": [{"code", "message", "key", "line",
    /// "column", "argument", "hint"}]}`; what a fault does not have is null.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let faults: Vec<_> = self
            .faults
            .iter()
            .map(|fault| {
                let (line, column, argument) = match &fault.location {
                    Location::File { line, column, .. } => (Some(line), Some(column), None),
                    Location::Argument(argument) => (None, None, Some(argument)),
                };
                json!({
                    "code": fault.kind.code(),
                    "message": fault.kind.to_string(),
                    "key": fault.key,
                    "line": line,
                    "column": column,
                    "argument": argument,
                    "hint": fault.hint,
                })
            })
            .collect();
        json!({ "file": self.file, "faults": faults })
    }
}

/// Whether a terminal would obey a character rather than show it.
fn is_command(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// A text of the file with what a terminal would obey written out.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_command(c) { plain.extend(c.escape_unicode()) } else { plain.push(c) }
    }
    plain
}

/// The file with marks in the place of what a terminal would obey; every byte stays where it is.
fn showable(source: &str) -> String {
    let mark = |c: char| if c.len_utf8() == 1 { '?' } else { '\u{bf}' };
    source.chars().map(|c| if is_command(c) && c != '\r' { mark(c) } else { c }).collect()
}

/// A fault as miette wants it.
#[derive(Debug)]
struct Report<'a> {
    fault: &'a Fault,
    source: &'a NamedSource<String>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Location::Argument(argument) = &self.fault.location {
            write!(f, "in `{}`: ", plain(argument))?;
        }
        if !self.fault.key.is_empty() {
            write!(f, "{}: ", plain(&self.fault.key))?;
        }
        f.write_str(&plain(&self.fault.kind.to_string()))
    }
}

impl std::error::Error for Report<'_> {}

impl Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault.hint.as_ref().map(|hint| Box::new(hint) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self.fault.location {
            Location::File { .. } => Some(self.source),
            Location::Argument(_) => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match &self.fault.location {
            Location::File { span, .. } => Some(Box::new(std::iter::once(LabeledSpan::underline(span.clone())))),
            Location::Argument(_) => None,
        }
    }
}
