//! Tables as LaTeX: a `tabular` in a `table`, or a `longtable` over pages, with the rules of the booktabs package.

use super::{Cell, Table, text::on_one_line};

/// Rows that a page holds beside title, heads and notes.
const PAGE: usize = 35;

/// What shows a character that pdfTeX has no letter for: XeTeX and LuaTeX show it, if the font does, pdfTeX its number.
const CHARACTER: &str =
    "\\providecommand{\\rquchar}[2]{\\ifdefined\\directlua #2\\else\\ifdefined\\XeTeXrevision #2\\else U+#1\\fi\\fi}\n";

pub(super) fn render(table: &Table) -> String {
    let long = table.rows.len() > PAGE;
    let body = if long { pages(table) } else { page(table) };
    let packages = if long { "booktabs,longtable" } else { "booktabs" };
    let character = if body.contains("\\rquchar{") { CHARACTER } else { "" };
    format!("% \\usepackage{{{packages}}}\n{character}{body}")
}

fn page(table: &Table) -> String {
    let Parts { spec, head, rows, .. } = Parts::of(table, "    ");
    let mut text =
        format!("\\begin{{table}}\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{spec}}}\n", escape(&table.title));
    text.push_str(&format!("    \\toprule\n{head}    \\midrule\n{rows}    \\bottomrule\n  \\end{{tabular}}\n"));
    for note in notes(table) {
        text.push_str(&format!("  \\par\\footnotesize {note}\n"));
    }
    text + "\\end{table}\n"
}

fn pages(table: &Table) -> String {
    let Parts { columns, spec, head, rows } = Parts::of(table, "  ");
    let mut text = format!("\\begin{{longtable}}{{{spec}}}\n  \\caption{{{}}}\\\\\n", escape(&table.title));
    text.push_str(&format!("  \\toprule\n{head}  \\midrule\n  \\endfirsthead\n"));
    text.push_str(&format!("  \\toprule\n{head}  \\midrule\n  \\endhead\n"));
    text.push_str(&format!("  \\midrule\n  \\multicolumn{{{columns}}}{{r}}{{(continued)}} \\\\\n  \\endfoot\n"));
    text.push_str(&format!("  \\bottomrule\n  \\endlastfoot\n{rows}\\end{{longtable}}\n"));
    for note in notes(table) {
        text.push_str(&format!("{{\\footnotesize\\noindent {note}\\par}}\n"));
    }
    text
}

/// What both kinds of table are made of.
struct Parts {
    columns: usize,
    spec: String,
    head: String,
    rows: String,
}

impl Parts {
    fn of(table: &Table, indent: &str) -> Self {
        let seen: Vec<usize> = table.seen().collect();
        let spec = seen.iter().map(|&c| if table.is_of_numbers(c) { 'r' } else { 'l' }).collect();
        let head = line(indent, &seen.iter().map(|&c| escape(&table.columns[c].head)).collect::<Vec<_>>());
        let rows = table.rows.iter().map(|row| line(indent, &seen.iter().map(|&c| cell(&row[c])).collect::<Vec<_>>()));
        Parts { columns: seen.len(), spec, head, rows: rows.collect() }
    }
}

/// A row. What it begins with must not be taken for an argument of the `\\` or of the rule before it.
fn line(indent: &str, cells: &[String]) -> String {
    let guard = if cells.first().is_some_and(|cell| cell.starts_with(['[', '*', '('])) { "{}" } else { "" };
    format!("{indent}{guard}{} \\\\\n", cells.join(" & "))
}

fn notes(table: &Table) -> impl Iterator<Item = String> {
    table.notes.iter().cloned().chain(table.dashes()).map(|note| escape(&note))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => escape(text),
        number => number.shown().split(' ').map(powered).collect::<Vec<_>>().join(" "),
    }
}

/// A word of a number's cell, its power of ten written as one: `3.1e-21` is 3.1 times ten to the power -21.
fn powered(word: &str) -> String {
    match word.split_once('e') {
        Some((number, power)) if power.parse::<i32>().is_ok() => format!("${number} \\cdot 10^{{{power}}}$"),
        _ => escape(word),
    }
}

/// Text that means itself.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    let mut before = ' ';
    for c in on_one_line(text, " ").chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            // What pdfTeX joins to another character: -- to a dash, << and >> to quotes, ?` to a turned mark.
            '-' | '\'' | ',' if c == before => escaped.extend(['{', '}', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '`' => escaped.push_str("\\textasciigrave{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("''"),
            c => match symbol(c) {
                Some(symbol) => escaped.push_str(symbol),
                None if is_known(c) => escaped.push(c),
                None => escaped.push_str(&format!("\\rquchar{{{:04X}}}{{{c}}}", u32::from(c))),
            },
        }
        before = c;
    }
    escaped
}

/// Characters whose sign stands in mathematics, or under another name.
fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '<' => "$<$",
        '>' => "$>$",
        '–' => "--",
        '—' => "---",
        '±' => "$\\pm$",
        '−' => "$-$",
        '×' => "$\\times$",
        '·' => "$\\cdot$",
        '²' => "$^2$",
        '³' => "$^3$",
        '¹' => "$^1$",
        '°' => "$^\\circ$",
        '¬' => "$\\neg$",
        'µ' | 'μ' => "$\\mu$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≠' => "$\\neq$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        '→' => "$\\to$",
        '←' => "$\\leftarrow$",
        '√' => "$\\surd$",
        'Σ' | '∑' => "$\\Sigma$",
        'Δ' | '∆' => "$\\Delta$",
        'Γ' => "$\\Gamma$",
        'Θ' => "$\\Theta$",
        'Λ' => "$\\Lambda$",
        'Π' => "$\\Pi$",
        'Φ' => "$\\Phi$",
        'Ψ' => "$\\Psi$",
        'Ω' => "$\\Omega$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'ε' => "$\\varepsilon$",
        'ζ' => "$\\zeta$",
        'η' => "$\\eta$",
        'θ' => "$\\theta$",
        'κ' => "$\\kappa$",
        'λ' => "$\\lambda$",
        'ν' => "$\\nu$",
        'ξ' => "$\\xi$",
        'π' => "$\\pi$",
        'ρ' => "$\\rho$",
        'σ' => "$\\sigma$",
        'τ' => "$\\tau$",
        'φ' => "$\\varphi$",
        'χ' => "$\\chi$",
        'ψ' => "$\\psi$",
        'ω' => "$\\omega$",
        _ => return None,
    })
}

/// Characters that pdfTeX reads in UTF-8 and has in its own fonts, without a package: ASCII and the Latin letters made of
/// those and an accent.
fn is_known(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{a0}' | '¡' | '§' | '©' | '®' | '¿'..='Ï' | 'Ñ'..='Ö' | 'Ø'..='Ý' | 'ß'..='ï' | 'ñ'..='ö' | 'ø'..='ý'
        | 'ÿ'..='ă' | 'Ć'..='ď' | 'Ē'..='ė' | 'Ě'..='ĥ' | 'Ĩ'..='ĭ' | 'İ'..='ķ' | 'Ĺ'..='ľ' | 'Ł'..='ň' | 'Ō'..='ť' | 'Ũ'..='ű'
        | 'Ŵ'..='ž' | '‘' | '’' | '“' | '”' | '…')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was an error of pdfTeX or printed something else before it was escaped.
    #[test]
    fn text_means_itself() {
        let rows = [
            ("50 % of a_b & $c #1 {x}", "50 \\% of a\\_b \\& \\$c \\#1 \\{x\\}"),
            ("a~b^c\\d", "a\\textasciitilde{}b\\textasciicircum{}c\\textbackslash{}d"),
            ("a|b`c\"d\"", "a\\textbar{}b\\textasciigrave{}c''d''"),
            ("--width ,, ''", "-{}-width ,{}, '{}'"),
            ("x < y > z", "x $<$ y $>$ z"),
            ("naïve Łódź ε² ± 3 µs –", "naïve Łódź $\\varepsilon$$^2$ $\\pm$ 3 $\\mu$s --"),
            ("中", "\\rquchar{4E2D}{中}"),
            ("a\nb\u{7f}", "a b\\textbackslash{}u\\{7f\\}"),
        ];
        for (text, wanted) in rows {
            assert_eq!(escape(text), wanted);
        }
    }

    #[test]
    fn a_row_is_no_argument_of_the_one_before() {
        for (first, wanted) in [("[64, 64]", "{}[64"), ("*", "{}*"), ("(a)", "{}(a)"), ("a", "a"), ("", " &")] {
            let text = line("", &[escape(first), escape("[1]")]);
            assert!(text.starts_with(wanted) && text.ends_with("& [1] \\\\\n"), "{text}");
        }
    }

    #[test]
    fn powers_are_powers() {
        let words = ["3.100e-21", "1e308", "0.5", "to", "–", "<"];
        let wanted = ["$3.100 \\cdot 10^{-21}$", "$1 \\cdot 10^{308}$", "0.5", "to", "--", "$<$"];
        assert_eq!(words.map(powered), wanted);
    }

    #[test]
    fn a_table_longer_than_a_page_goes_over_pages() {
        let mut table = Table::new("t", "many", &[("a", "a"), ("b", "b")]);
        (0..PAGE as u64).for_each(|i| table.push(vec![Cell::text("x"), Cell::Count(i)]));
        assert!(render(&table).contains("\\begin{tabular}{lr}"));
        table.push(vec![Cell::text("[x"), Cell::Count(7)]);
        table.notes.push("50 %".to_owned());
        let text = render(&table);
        assert!(text.starts_with("% \\usepackage{booktabs,longtable}\n\\begin{longtable}{lr}\n"), "{text}");
        assert!(text.contains("  \\endhead\n") && text.contains("\\multicolumn{2}{r}"), "{text}");
        assert!(text.contains("  {}[x & 7 \\\\\n\\end{longtable}\n{\\footnotesize\\noindent 50 \\%\\par}\n"), "{text}");
        assert!(!text.contains("tabular") && text.matches("  a & b \\\\\n").count() == 2, "{text}");
    }
}
