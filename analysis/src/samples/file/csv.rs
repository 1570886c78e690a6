//! Text with a separator (RFC 4180): commas, tabs where the file is called `.tsv`, or what is asked for; the first line
//! names the columns.

use std::{
    cell::Cell,
    io::{self, Read},
    path::Path,
    rc::Rc,
};

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::{
    Columns, Place, Reading, Rows, Scan, Sink,
    folder::{Part, has_tabs},
    place,
    reading::{MISSING, Number},
    separators,
    source::{Packing, Text},
    texts::Texts,
};
use crate::Error;

/// Rows given on at a time.
const BATCH: usize = 16_384;
/// Bytes of a row, and a quote that is never closed makes all that follows one.
const ROW: u64 = 64 << 20;
/// Bytes read at a time.
const BUFFER: usize = 64 << 10;

/// A column of names that is asked for.
struct Column<'a> {
    name: &'a str,
    place: Place,
}

/// Gives every row to `scan`.
pub(super) fn scan(part: &Part, text: Text, scan: &mut Scan<'_, impl Sink>) -> Result<(), Error> {
    let Columns { value, group, by, block } = scan.columns;
    let mut table = Table::open(part, text, scan.reading)?;
    let value_place = table.place(value, scan.columns)?;
    let column = |name| Ok::<_, Error>(Column { name, place: table.place(name, scan.columns)? });
    let columns =
        [Some(column(group)?), by.as_deref().map(column).transpose()?, block.as_deref().map(column).transpose()?];
    let mut values = Vec::with_capacity(BATCH);
    let mut numbers: [Vec<u32>; 3] = Default::default();
    let mut record = ByteRecord::new();
    loop {
        let more = table.next(&mut record)?;
        if more {
            match table.row(&record, value, &value_place, &columns)? {
                Ok((value, texts)) => {
                    values.push(value);
                    let names = &mut scan.names;
                    let names = [&mut names.groups, &mut names.by, &mut names.blocks];
                    for (((column, text), names), numbers) in columns.iter().zip(texts).zip(names).zip(&mut numbers) {
                        if let (Some(column), Some(text)) = (column, text) {
                            numbers.push(table.number(&record, column, text, names)?);
                        }
                    }
                }
                Err(column) => scan.skipped.add(column, 1),
            }
        }
        if values.len() == BATCH || !more {
            let [groups, by, blocks] = &numbers;
            scan.take(&Rows { values: &values, groups, by, blocks });
            values.clear();
            numbers.iter_mut().for_each(Vec::clear);
        }
        if !more {
            return Ok(());
        }
    }
}

/// A text under way.
struct Table<'a> {
    part: &'a Part,
    reading: &'a Reading,
    reader: Reader<Limited>,
    progress: Rc<Progress>,
    packed: Option<Packing>,
    separator: u8,
    start: Vec<u8>,
    heads: ByteRecord,
}

/// A row: its value and its names, or the column that it lacks.
type Row<'r> = Result<(f64, [Option<&'r str>; 3]), &'r str>;

impl<'a> Table<'a> {
    fn open(part: &'a Part, text: Text, reading: &'a Reading) -> Result<Self, Error> {
        let separator = reading.separator.unwrap_or(if has_tabs(&part.path) { b'\t' } else { b',' });
        let progress = Rc::new(Progress::default());
        let Text { reader, start, packed } = text;
        let source = Limited { reader, progress: Rc::clone(&progress) };
        // Rows of another length are told here, with the line that they are on.
        let mut builder = ReaderBuilder::new();
        let reader =
            builder.delimiter(separator).flexible(true).has_headers(false).buffer_capacity(BUFFER).from_reader(source);
        let heads = ByteRecord::new();
        let mut table = Table { part, reading, reader, progress, packed, separator, start, heads };
        let mut heads = ByteRecord::new();
        table.read(&mut heads)?;
        table.heads = heads;
        Ok(table)
    }

    fn path(&self) -> &'a Path {
        &self.part.path
    }

    fn place(&self, column: &str, columns: &Columns) -> Result<Place, Error> {
        let heads: Vec<String> = self.heads.iter().map(|head| String::from_utf8_lossy(head).into_owned()).collect();
        let names: Vec<&str> = heads.iter().map(String::as_str).collect();
        let unknown = |known| {
            let advice = separators::advice(&self.start, self.separator, columns);
            let path = self.path().to_owned();
            match self.heads.iter().position(|head| std::str::from_utf8(head).is_err()) {
                Some(place) if advice.is_none() => self.not_utf_8(1, &format!("the name of column {}", place + 1)),
                _ => Error::UnknownColumn { path, column: column.to_owned(), known, advice },
            }
        };
        place(self.part, &names, column).map_err(|error| match error {
            Error::UnknownColumn { known, .. } => unknown(known),
            error => error,
        })
    }

    /// The next row, if there is one.
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool, Error> {
        let more = self.read(record)?;
        if more && record.len() != self.heads.len() {
            let (line, fields, columns) = (self.line(record), record.len(), self.heads.len());
            let reason = format!("line {line} has {} and the first line names {columns} columns", counted(fields));
            let advice = if record.iter().any(|field| field.contains(&b'\n')) {
                "look for a quote (`\"`) that is not closed"
            } else if fields > columns {
                "put fields that hold the separator (a decimal comma, too) in quotes, or name another with --separator"
            } else {
                "write every field of the row; the file may be cut short there"
            };
            return Err(Error::table(self.path(), reason, advice));
        }
        Ok(more)
    }

    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Error> {
        self.progress.row.set(0);
        self.reader.read_byte_record(record).map_err(|error| {
            let line = self.reader.position().line();
            match (error.into_kind(), self.packed) {
                (csv::ErrorKind::Io(error), _) if error.kind() == io::ErrorKind::FileTooLarge => {
                    let reason = format!("a row before line {line} has more than {} MB", ROW >> 20);
                    Error::table(self.path(), reason, "look for a quote (`\"`) that is not closed")
                }
                (csv::ErrorKind::Io(error), Some(packing)) => packing.fault(self.path(), &error),
                (csv::ErrorKind::Io(error), None) => Error::io(self.path(), error),
                (kind, _) => Error::table(self.path(), format!("line {line}: {kind:?}"), "correct the line"),
            }
        })
    }

    /// What a row says, borrowed from it.
    fn row<'r>(
        &self,
        record: &'r ByteRecord,
        value: &'r str,
        value_place: &'r Place,
        columns: &'r [Option<Column<'_>>; 3],
    ) -> Result<Row<'r>, Error> {
        let text = match value_place {
            Place::Column(place) => std::str::from_utf8(&record[*place]),
            Place::Fixed(text) => Ok(text.as_deref().unwrap_or_default()),
        };
        let plain = text.ok().and_then(|text| text.parse::<f64>().ok()).filter(|number| !number.is_nan());
        let number = match plain {
            Some(number) => number,
            None => match text.map(|text| self.reading.number(text)) {
                Ok(Number::Is(number)) => number,
                Ok(Number::Missing) if self.reading.skips() => return Ok(Err(value)),
                Ok(_) => {
                    let text = text.unwrap_or_default();
                    return Err(self.bad_cell(record, value, text, "a number", self.reading.advice(text)));
                }
                Err(_) => return Err(self.not_utf_8(self.line(record), &format!("column `{value}`"))),
            },
        };
        let mut texts = [None; 3];
        for (text, column) in texts.iter_mut().zip(columns) {
            let Some(Column { name, place, .. }) = column else { continue };
            let field = match place {
                Place::Column(place) => std::str::from_utf8(&record[*place]),
                Place::Fixed(text) => Ok(text.as_deref().unwrap_or_default()),
            };
            let field = field.map_err(|_| self.not_utf_8(self.line(record), &format!("column `{name}`")))?;
            if self.reading.is_nameless(field) {
                if self.reading.skips() {
                    return Ok(Err(name));
                }
                return Err(self.bad_cell(record, name, field, "a name", MISSING.to_owned()));
            }
            *text = Some(field);
        }
        Ok(Ok((number, texts)))
    }

    /// The number of a row's name.
    fn number(&self, record: &ByteRecord, column: &Column<'_>, text: &str, names: &mut Texts) -> Result<u32, Error> {
        let known = names.len();
        let number = names.number(text);
        // Only a name that is new can be a fault that was not told before.
        if names.len() > known && text.contains('\0') {
            let advice = "the file is damaged or no text: write it again";
            return Err(self.bad_cell(record, column.name, text, "a name", advice.to_owned()));
        }
        Ok(number)
    }

    /// The line that a row begins on. The reader's own count takes empty lines before a row for its beginning, and
    /// counts a line that ends with CR LF only when the next one is read.
    fn line(&self, record: &ByteRecord) -> u64 {
        let after = self.reader.position();
        let inside: usize = record.iter().map(|field| field.iter().filter(|byte| **byte == b'\n').count()).sum();
        let first = self.start.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let first = first.map(|place| (self.start[place], self.start.get(place + 1)));
        match first {
            // Old Macs: the reader counts no lines, so rows stand for them.
            Some((b'\r', next)) if next != Some(&b'\n') => after.record(),
            Some((b'\r', _)) => after.line() - inside as u64,
            _ => {
                let at_end = after.byte() == self.progress.bytes.get();
                // The last row may end without a line's end, or inside a quote that is not closed.
                let open = record.iter().next_back().is_some_and(|field| field.ends_with(b"\n"));
                let ended = !at_end || (self.progress.last.get() == b'\n' && !open);
                after.line() - inside as u64 - u64::from(ended)
            }
        }
    }

    fn bad_cell(&self, record: &ByteRecord, column: &str, found: &str, wanted: &'static str, advice: String) -> Error {
        Error::BadCell {
            path: self.path().to_owned(),
            place: format!("line {}", self.line(record)).into(),
            column: column.to_owned(),
            found: found.to_owned(),
            wanted,
            advice: advice.into(),
        }
    }

    fn not_utf_8(&self, line: u64, what: &str) -> Error {
        let advice = "convert it, if it is Latin-1 as Western Windows writes it: `iconv -f WINDOWS-1252 -t UTF-8 FILE > utf8.csv`";
        Error::table(self.path(), format!("line {line}: {what} is not UTF-8"), advice)
    }
}

fn counted(fields: usize) -> String {
    if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") }
}

/// How far a text is read.
#[derive(Default)]
struct Progress {
    /// Bytes since the last row.
    row: Cell<u64>,
    bytes: Cell<u64>,
    last: Cell<u8>,
}

/// A reader that fails in a row without end, which would otherwise take all memory.
struct Limited {
    reader: Box<dyn Read>,
    progress: Rc<Progress>,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.reader.read(buffer)?;
        let Progress { row, bytes, last } = &*self.progress;
        row.set(row.get() + size as u64);
        bytes.set(bytes.get() + size as u64);
        if let Some(byte) = buffer[..size].last() {
            last.set(*byte);
        }
        if row.get() > ROW { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(size) }
    }
}
