//! Tables as Markdown, aligned for a terminal.

use super::{Table, text::on_one_line};

/// A table of pipes under a title, with notes below.
pub(super) fn render(table: &Table) -> String {
    let shown: Vec<usize> = table.seen().collect();
    let heads: Vec<String> = shown.iter().map(|&c| escape(&table.columns[c].head)).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| shown.iter().map(|&c| escape(&row[c].shown())).collect()).collect();
    let width = |c: usize| {
        let cells = rows.iter().map(|row| row[c].chars().count());
        cells.chain([heads[c].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let right: Vec<bool> = shown.iter().map(|&c| table.is_of_numbers(c)).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(c, cell)| {
            let space = " ".repeat(widths[c] - cell.chars().count());
            if right[c] { format!("{space}{cell}") } else { format!("{cell}{space}") }
        });
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = (0..heads.len())
        .map(|c| if right[c] { format!("{}:", "-".repeat(widths[c] - 1)) } else { "-".repeat(widths[c]) })
        .collect();
    let mut text = format!("### {}\n\n{}{}", on_one_line(&table.title, " "), line(&heads), line(&rule));
    for row in &rows {
        text.push_str(&line(row));
    }
    for note in table.notes.iter().chain(table.dashes().as_ref()) {
        text.push_str(&format!("\n{}\n", on_one_line(note, " ")));
    }
    text
}

/// A cell's text: on one line, and no bar in it ends the cell. A backslash before a bar would take the one that escapes
/// it.
fn escape(text: &str) -> String {
    let text = on_one_line(text, "<br>");
    let mut escaped = String::with_capacity(text.len());
    let mut backslashes = 0;
    for c in text.chars() {
        if c == '|' {
            escaped.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn a_cell_ends_where_it_should() {
        let rows = [("a|b", "a\\|b"), ("a\\|b", "a\\\\\\|b"), ("a\\b", "a\\b"), ("a\nb", "a<br>b"), ("||", "\\|\\|")];
        for (text, wanted) in rows {
            assert_eq!(escape(text), wanted);
        }
    }
}
