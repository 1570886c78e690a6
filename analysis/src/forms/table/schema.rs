//! The columns of every table, as docs/tables.md has them: debug builds, and so all tests, hold each table against it.

use super::{Column, Table};

const DOCUMENT: &str = include_str!("../../../../docs/tables.md");

/// Holds a table against its entry.
///
/// # Panics
/// If it has none, or other columns.
pub(crate) fn check(table: &Table) {
    let keys: Vec<String> = table.columns.iter().flat_map(Column::keys).collect();
    let written = columns(&table.kind).unwrap_or_else(|| {
        panic!("docs/tables.md has no entry `{}`; its columns are {}", table.kind, keys.join(", "));
    });
    assert!(agree(&written, &keys), "docs/tables.md and `{}` differ: {}", table.kind, keys.join(", "));
}

/// The columns of a kind of tables: the line after the heading that names it and begins with four spaces. A name in
/// capitals stands for the columns of something that an experiment names, however many, and `a|b` for one of two names.
fn columns(kind: &str) -> Option<Vec<&'static str>> {
    let name = format!("`{kind}`");
    let mut lines = DOCUMENT.lines().skip_while(|line| !(line.starts_with("### ") && line.contains(&name)));
    lines.next()?;
    let line = lines.take_while(|line| !line.starts_with('#')).find(|line| line.starts_with("    "))?;
    Some(line.split(',').map(str::trim).collect())
}

fn agree(written: &[&str], keys: &[String]) -> bool {
    match written.split_first() {
        None => keys.is_empty(),
        Some((first, rest)) if first.chars().all(|c| c.is_ascii_uppercase()) => {
            (0..=keys.len()).any(|taken| agree(rest, &keys[taken..]))
        }
        Some((first, rest)) => {
            keys.split_first().is_some_and(|(key, keys)| first.split('|').any(|name| name == key) && agree(rest, keys))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_and_compared() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let pairs = columns("pairs").expect("an entry");
        assert!(agree(&pairs, &keys(&pairs)) && !agree(&pairs, &keys(&pairs[1..])) && columns("pair").is_none());
        let written = ["run", "OUTCOMES", "end"];
        for between in [&[][..], &["a"], &["a", "b"]] {
            assert!(agree(&written, &keys(&[&["run"], between, &["end"]].concat())));
        }
        assert!(agree(&["by|problem"], &keys(&["problem"])) && !agree(&["by|problem"], &keys(&["group"])));
        assert!(!agree(&written, &keys(&["run", "a"])));
    }
}
