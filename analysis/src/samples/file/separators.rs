//! Which separator a text has whose columns are not found.

use super::Columns;

/// Separators that people use, with what to write for them.
const KNOWN: [(u8, &str); 5] = [(b',', "','"), (b';', "';'"), (b'\t', "tab"), (b'|', "'|'"), (b' ', "' '")];

/// What to do if another separator than the one in use finds every column that is asked for.
pub(super) fn advice(start: &[u8], used: u8, columns: &Columns) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let mut lines = text.trim_start_matches('\u{feff}').split(['\n', '\r']).filter(|line| !line.is_empty());
    let (heads, row) = (lines.next()?, lines.next());
    if let Some(separator) = heads.trim().strip_prefix("sep=") {
        return Some(format!("leave out the first line (`sep={separator}`), and give `--separator '{separator}'`"));
    }
    let wanted = [Some(&columns.value), Some(&columns.group), columns.by.as_ref(), columns.block.as_ref()];
    let finds = |separator: u8| {
        let heads = fields(heads, separator);
        heads.len() > 1 && wanted.iter().flatten().all(|column| heads.contains(&column.as_str()))
    };
    let (separator, written) = KNOWN.into_iter().find(|(separator, _)| *separator != used && finds(*separator))?;
    let value = fields(heads, separator).iter().position(|head| *head == columns.value)?;
    let first = row.and_then(|row| fields(row, separator).get(value).copied().map(str::to_owned));
    let comma = |number: &String| number.contains(',') && number.replace(',', ".").parse::<f64>().is_ok();
    let decimal =
        if first.as_ref().is_some_and(comma) { " --decimal ,`, because its numbers have commas" } else { "`" };
    Some(format!("its columns are separated otherwise: give `--separator {written}{decimal}"))
}

/// The fields of a line, roughly: quotes around whole fields are taken off.
fn fields(line: &str, separator: u8) -> Vec<&str> {
    line.split(char::from(separator)).map(|field| field.trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_that_finds_all_columns_is_named() {
        let columns = Columns { value: "score".into(), group: "agent".into(), by: None, block: None };
        for (start, used, wanted) in [
            ("agent;score\na;1,5\n", b',', Some("--separator ';' --decimal ,`")),
            ("agent;score\na;1.5\n", b',', Some("--separator ';'`")),
            ("\u{feff}\"agent\";\"score\"\r\n\"a\";1\r\n", b',', Some("--separator ';'`")),
            ("agent\tscore\na\t1\n", b',', Some("--separator tab`")),
            ("agent|score\n", b',', Some("--separator '|'`")),
            ("agent,score\na,1\n", b';', Some("--separator ','`")),
            ("agent,score\na,1\n", b'\t', Some("--separator ','`")),
            ("sep=;\nagent;score\n", b',', Some("leave out the first line")),
            ("agent;points\na;1\n", b',', None),
            ("agent,points\na,1\n", b',', None),
        ] {
            let found = advice(start.as_bytes(), used, &columns);
            assert_eq!(found.is_some(), wanted.is_some(), "{start}: {found:?}");
            assert!(found.unwrap_or_default().contains(wanted.unwrap_or_default()), "{start}");
        }
    }
}
