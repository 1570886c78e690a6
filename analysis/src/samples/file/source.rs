//! What a path holds: a table as text or Parquet, packed or not, in a file, a pipe or standard input.
//!
//! Everything is opened and read once, from its beginning; only Parquet is read from its end, and what cannot go back
//! is first written to a temporary file that has no name.

use std::{
    fs::File,
    io::{self, Cursor, Read, Seek as _},
    path::Path,
};

use flate2::read::MultiGzDecoder;

use crate::Error;

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";
/// Bytes that are looked at before a table is read.
const START: u64 = 64 << 10;
/// Bytes in which a table of text has no NUL.
const TEXT: usize = 512;

/// What there is to read.
pub(super) enum Content {
    Parquet(File),
    Text(Text),
}

/// A table as text.
pub(super) struct Text {
    /// The whole file.
    pub(super) reader: Box<dyn Read>,
    /// How it begins.
    pub(super) start: Vec<u8>,
    /// How it is packed.
    pub(super) packed: Option<Packing>,
}

/// A way to pack a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// What to say of a fault in it.
    pub(super) fn fault(self, path: &Path, error: &io::Error) -> Error {
        let name = match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        };
        let reason = format!("its {name} content is cut short or damaged: {error}");
        Error::table(path, reason, "copy or pack the file again")
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// Opens a file, a pipe or standard input (`-`).
pub(super) fn open(path: &Path) -> Result<Content, Error> {
    if is_standard_input(path) {
        return stream(path, Box::new(io::stdin().lock()), None);
    }
    let unusable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory => {
            Error::table(path, format!("it cannot be opened: {error}"), "name a file that you may read")
        }
        _ => Error::io(path, error),
    };
    let mut file = File::open(path).map_err(unusable)?;
    if file.metadata().is_ok_and(|of| of.is_file()) {
        let start = beginning(&mut file).map_err(unusable)?;
        file.rewind().map_err(|error| Error::io(path, error))?;
        if start.starts_with(b"PAR1") {
            return Ok(Content::Parquet(file));
        }
    }
    stream(path, Box::new(file), None)
}

/// What a stream holds, unpacked.
fn stream(path: &Path, mut reader: Box<dyn Read>, packed: Option<Packing>) -> Result<Content, Error> {
    let fault = |error: io::Error| match packed {
        Some(packing) => packing.fault(path, &error),
        None => Error::io(path, error),
    };
    let start = beginning(&mut reader).map_err(fault)?;
    let whole = Cursor::new(start.clone()).chain(reader);
    match Kind::of(&start) {
        Kind::Gzip if packed.is_none() => stream(path, Box::new(MultiGzDecoder::new(whole)), Some(Packing::Gzip)),
        Kind::Zstd if packed.is_none() => {
            let reader = zstd::Decoder::new(whole).map_err(|error| Packing::Zstd.fault(path, &error))?;
            stream(path, Box::new(reader), Some(Packing::Zstd))
        }
        Kind::Parquet => held(path, whole, packed).map(Content::Parquet),
        Kind::Text => Ok(Content::Text(Text { reader: Box::new(whole), start, packed })),
        Kind::Gzip | Kind::Zstd => Err(Error::table(path, "it is packed twice", "unpack it once")),
        Kind::Other(what, advice) => Err(Error::table(path, what, advice)),
    }
}

/// A temporary file of a stream, which the system removes when it is closed.
fn held(path: &Path, mut whole: impl Read, packed: Option<Packing>) -> Result<File, Error> {
    let place = std::env::temp_dir();
    let mut file = tempfile::tempfile_in(&place).map_err(|error| Error::io(&place, error))?;
    let mut part = vec![0; 1 << 20];
    loop {
        let size = match (whole.read(&mut part), packed) {
            (Ok(0), _) => break,
            (Ok(size), _) => size,
            (Err(error), _) if error.kind() == io::ErrorKind::Interrupted => continue,
            (Err(error), Some(packing)) => return Err(packing.fault(path, &error)),
            (Err(error), None) => return Err(Error::io(path, error)),
        };
        io::Write::write_all(&mut file, &part[..size]).map_err(|error| Error::io(&place, error))?;
    }
    file.rewind().map_err(|error| Error::io(&place, error))?;
    Ok(file)
}

fn beginning(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(START).read_to_end(&mut start)?;
    Ok(start)
}

/// What bytes are, by how they begin.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Text,
    Parquet,
    Gzip,
    Zstd,
    /// What it is, and what to do about it.
    Other(String, String),
}

/// Beginnings of files that people take for tables, what they are, and how to make a table of them.
const OTHERS: [(&[u8], &str, &str); 13] = [
    (b"PARE", "it is encrypted Parquet", "write it without encryption"),
    (b"PK\x03\x04", "it is a zip archive or a spreadsheet", "save the sheet as CSV, or unpack the archive"),
    (b"\xd0\xcf\x11\xe0", "it is a spreadsheet", "save the sheet as CSV"),
    (b"BZh", "it is packed with bzip2", "pipe it in: `bzip2 -dc FILE | redqueen test - …`"),
    (b"\xfd7zXZ\0", "it is packed with xz", "pipe it in: `xz -dc FILE | redqueen test - …`"),
    (b"\x04\x22\x4d\x18", "it is packed with lz4", "pipe it in: `lz4 -dc FILE | redqueen test - …`"),
    (
        b"SQLite format 3\0",
        "it is an SQLite database",
        "write the table as CSV: `sqlite3 -header -csv FILE 'select …'`",
    ),
    (b"ARROW1", "it is an Arrow or Feather file", "write it as Parquet or CSV"),
    (b"ORC", "it is an ORC file", "write it as Parquet or CSV"),
    (b"\x89HDF", "it is an HDF5 file", "write the table as Parquet or CSV"),
    (b"\x93NUMPY", "it is a NumPy array", "write it as CSV with a line of column names"),
    (b"{\"", "it is JSON", "write it as CSV or Parquet"),
    (b"[{", "it is JSON", "write it as CSV or Parquet"),
];

impl Kind {
    fn of(start: &[u8]) -> Self {
        let other = |what: &str, advice: &str| Kind::Other(what.to_owned(), advice.to_owned());
        if start.starts_with(b"PAR1") {
            return Kind::Parquet;
        }
        if start.starts_with(&[0x1f, 0x8b]) {
            return Kind::Gzip;
        }
        if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            return Kind::Zstd;
        }
        if start.is_empty() {
            return other("it is empty", "the first line of a table names its columns");
        }
        if let Some(encoding) = utf_16(start) {
            let advice = format!("convert it: `iconv -f {encoding} -t UTF-8 FILE > utf8.csv`");
            return Kind::Other(format!("it is {encoding} text, not UTF-8"), advice);
        }
        // `ORC` may begin a column's name; so texts are those without NUL.
        let is_text = !start.iter().take(TEXT).any(|byte| *byte == 0);
        match OTHERS.iter().find(|(magic, ..)| start.starts_with(magic)) {
            Some((b"ORC" | b"BZh" | b"ARROW1", ..)) if is_text => Kind::Text,
            Some((_, what, advice)) => other(what, advice),
            None if is_text => Kind::Text,
            None => other("it has NUL bytes, so it is not text", "give CSV or Parquet"),
        }
    }
}

/// The name of the encoding if bytes are text of two bytes a character: by their mark, or by every other byte being 0.
fn utf_16(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Some("UTF-16");
    }
    let seen = &start[..start.len().min(TEXT)];
    let zeros = |odd: usize| seen.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let most = |odd: usize| seen.len() > 4 && zeros(odd) * 4 > seen.len() && zeros(1 - odd) * 16 < seen.len();
    if most(1) {
        Some("UTF-16LE")
    } else if most(0) {
        Some("UTF-16BE")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_content() {
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let named = |start: &[u8]| match Kind::of(start) {
            Kind::Other(what, _) => what,
            kind => format!("{kind:?}"),
        };
        for (start, says) in [
            (b"agent,score\na,1\n".to_vec(), "Text"),
            (b"ORCs,score\na,1\n".to_vec(), "Text"),
            (b"PAR1".to_vec(), "Parquet"),
            (vec![0x1f, 0x8b, 8, 0], "Gzip"),
            (b"".to_vec(), "empty"),
            (utf_16("agent,score\na,1\n"), "UTF-16LE text"),
            ([vec![0xff, 0xfe], utf_16("agent,score\n")].concat(), "UTF-16 text"),
            ("agent,score\n".encode_utf16().flat_map(u16::to_be_bytes).collect(), "UTF-16BE"),
            (b"PK\x03\x04".to_vec(), "spreadsheet"),
            (b"SQLite format 3\0".to_vec(), "SQLite"),
            (b"\xfd7zXZ\0\0".to_vec(), "xz"),
            (b"agent\0\x01\x02".to_vec(), "NUL"),
        ] {
            assert!(named(&start).contains(says), "{says}: {}", named(&start));
        }
    }
}
