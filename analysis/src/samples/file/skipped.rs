//! Rows that were left out because they lack a value.

const WITHOUT: &str = " without a value ";
const LEFT_OUT: &str = " left out: ";

/// How many rows were left out, each by the first column that it lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    columns: Vec<(String, u64)>,
}

impl Skipped {
    /// Counts rows without a value in `column`.
    pub(super) fn add(&mut self, column: &str, rows: u64) {
        match self.columns.iter_mut().find(|(name, _)| name == column) {
            Some((_, count)) => *count += rows,
            None => self.columns.push((column.to_owned(), rows)),
        }
    }

    /// All of them.
    pub fn rows(&self) -> u64 {
        self.columns.iter().map(|(_, rows)| rows).sum()
    }

    /// A sentence for people, if there are any.
    pub fn note(&self) -> Option<String> {
        let rows = self.rows();
        let by: Vec<String> = self.columns.iter().map(|(column, rows)| format!("{rows} without `{column}`")).collect();
        let (rows, were) = if rows == 1 { ("1 row".to_owned(), "was") } else { (format!("{rows} rows"), "were") };
        (self.rows() > 0).then(|| format!("{rows}{WITHOUT}{were}{LEFT_OUT}{}.", by.join(", ")))
    }

    /// Whether a table's note is one of these. A format without notes must say it elsewhere: it changes what the
    /// figures are of.
    pub fn is_note(note: &str) -> bool {
        note.contains(WITHOUT) && note.contains(LEFT_OUT)
    }
}
