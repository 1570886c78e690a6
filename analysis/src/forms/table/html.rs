//! Tables as HTML, complete without a script and without styles of their own.

use super::{Cell, Table, text::on_one_line};

/// Tables of more columns than this want a page of their own that is turned.
const NARROW: usize = 9;

/// A table under its title in a region that scrolls, with notes below.
pub(super) fn render(table: &Table) -> String {
    let seen: Vec<usize> = table.seen().collect();
    let numbers: Vec<bool> = seen.iter().map(|&c| table.is_of_numbers(c)).collect();
    let class = |place: usize| if numbers[place] { " class=\"n\"" } else { "" };
    let title = escape(&table.title);
    let wide = if seen.len() > NARROW { " wide" } else { "" };
    let mut html = format!(
        "<div class=\"table{wide}\"><div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{title}\">\
         <table data-name=\"{}\"><caption>{title}</caption><thead><tr>",
        escape(&table.name)
    );
    for (place, &c) in seen.iter().enumerate() {
        // A head without words is none.
        let head = escape(&table.columns[c].head);
        let (open, close) = if head.is_empty() { ("td", "td") } else { ("th scope=\"col\"", "th") };
        html.push_str(&format!("<{open}{}>{head}</{close}>", class(place)));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (place, &c) in seen.iter().enumerate() {
            // The first column names the row where it has words.
            let (open, close) = if place == 0 && !numbers[0] { ("th scope=\"row\"", "th") } else { ("td", "td") };
            html.push_str(&format!("<{open}{}>{}</{close}>", class(place), cell(&row[c])));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>");
    let notes: Vec<&String> = table.notes.iter().collect();
    let dashes = table.dashes();
    if !notes.is_empty() || dashes.is_some() {
        let paragraphs = notes.into_iter().chain(dashes.as_ref()).map(|note| format!("<p>{}</p>", prose(note)));
        html.push_str(&format!("<div class=\"notes\">{}</div>", paragraphs.collect::<String>()));
    }
    html + "</div>\n"
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Without(reason) => format!("<span title=\"{}\">–</span>", escape(&reason.to_string())),
        Cell::Text(text) => escape(text),
        number => escape(&number.shown()),
    }
}

/// A note: what stands between two backticks is code.
fn prose(note: &str) -> String {
    let parts: Vec<String> = note.split('`').map(escape).collect();
    // A backtick without a partner is one.
    let (paired, rest) =
        if parts.len() % 2 == 1 { (&parts[..], None) } else { (&parts[..parts.len() - 1], parts.last()) };
    let mut html: String = paired
        .iter()
        .enumerate()
        .map(|(place, part)| if place % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() })
        .collect();
    if let Some(rest) = rest {
        html.push_str(&format!("`{rest}"));
    }
    html
}

/// Text that means itself between tags and in an attribute. Lines stay apart; characters that move or hide what stands
/// around them are shown by their number.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in on_one_line(text, " / ").chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Reason;

    #[test]
    fn a_table_says_what_its_cells_are() {
        let heads = [("who", "who"), ("share", "share"), ("share_95", "95 %"), ("p", "p"), ("p_holm", "p (Holm)")];
        let mut table = Table::new("t", "A & B", &heads).optional(&["p_holm"]);
        let few = Reason::TooFew { needed: 2, found: 1 };
        table.push(vec![
            Cell::text("<b>\"x\"\u{202e}"),
            Cell::real(0.25, 2),
            Cell::interval(Some((0.1, 0.4)), 1),
            Cell::probability(Err(few)),
            Cell::Missing,
        ]);
        table.notes.push("a < b".to_owned());
        assert_eq!(
            render(&table),
            "<div class=\"table\"><div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"A &amp; B\">\
             <table data-name=\"t\"><caption>A &amp; B</caption><thead><tr><th scope=\"col\">who</th>\
             <th scope=\"col\" class=\"n\">share</th><th scope=\"col\" class=\"n\">95 %</th>\
             <th scope=\"col\" class=\"n\">p</th></tr></thead><tbody>\n\
             <tr><th scope=\"row\">&lt;b&gt;&quot;x&quot;\\u{202e}</th><td class=\"n\">0.25</td>\
             <td class=\"n\">0.1 to 0.4</td>\
             <td class=\"n\"><span title=\"too few values (2 needed, 1 found)\">–</span></td></tr>\n\
             </tbody></table></div>\
             <div class=\"notes\"><p>a &lt; b</p><p>–: too few values (2 needed, 1 found).</p></div></div>\n"
        );
    }

    #[test]
    fn code_stands_between_backticks() {
        assert_eq!(prose("see `a<b>` and `c`."), "see <code>a&lt;b&gt;</code> and <code>c</code>.");
        assert_eq!([prose("a`b"), prose("`a` b`c"), prose("")], ["a`b", "<code>a</code> b`c", ""]);
    }

    #[test]
    fn a_column_of_numbers_names_no_row() {
        let mut table = Table::new("t", "t", &[("round", "round")]);
        table.push(vec![Cell::Count(3)]);
        assert!(render(&table).contains("<tr><td class=\"n\">3</td></tr>"));
    }
}
