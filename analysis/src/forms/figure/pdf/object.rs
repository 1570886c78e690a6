//! Objects of PDF and the file that holds them (PDF Reference, chapter 3).

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

/// The objects of a file, numbered from 1.
pub(super) struct Objects {
    bytes: Vec<u8>,
    /// Where each object begins; 0 of one that is still to come.
    offsets: Vec<usize>,
}

impl Objects {
    /// A file without objects. Its second line says to programs that copy files that this is no text.
    pub(super) fn new() -> Self {
        Objects { bytes: b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n".to_vec(), offsets: Vec::new() }
    }

    /// A number for an object that is put later.
    pub(super) fn reserve(&mut self) -> usize {
        self.offsets.push(0);
        self.offsets.len()
    }

    /// Puts the object of a reserved number.
    pub(super) fn put(&mut self, object: usize, body: &str) {
        self.put_bytes(object, body.as_bytes());
    }

    /// Adds an object; gives its number.
    pub(super) fn add(&mut self, body: &str) -> usize {
        let object = self.reserve();
        self.put(object, body);
        object
    }

    /// Adds a compressed stream with these entries in its dictionary; gives its number.
    pub(super) fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        let packed = packed.write_all(data).and_then(|()| packed.finish()).expect("memory takes every byte");
        let mut body = format!("<< {entries}/Filter /FlateDecode /Length {} >>\nstream\n", packed.len()).into_bytes();
        body.extend(packed);
        body.extend(b"\nendstream");
        let object = self.reserve();
        self.put_bytes(object, &body);
        object
    }

    fn put_bytes(&mut self, object: usize, body: &[u8]) {
        self.offsets[object - 1] = self.bytes.len();
        self.bytes.extend(format!("{object} 0 obj\n").bytes());
        self.bytes.extend(body);
        self.bytes.extend(b"\nendobj\n");
    }

    /// The file, with the table of where objects begin.
    pub(super) fn finish(mut self, catalog: usize, info: usize) -> Vec<u8> {
        let table = self.bytes.len();
        let size = self.offsets.len() + 1;
        let places: String = self.offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
        let end = format!(
            "xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n<< /Size {size} /Root {catalog} 0 R /Info {info} 0 R >>\n\
             startxref\n{table}\n%%EOF\n"
        );
        self.bytes.extend(end.bytes());
        self.bytes
    }
}

/// A number with up to four digits after the point; exponents are not allowed.
pub(super) fn number(value: f32) -> String {
    let text = format!("{value:.4}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

/// A text of any letters, as UTF-16.
pub(super) fn text(text: &str) -> String {
    format!("<FEFF{}>", utf16(text))
}

/// UTF-16 in hexadecimal digits.
pub(super) fn utf16(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("{unit:04X}")).collect()
}
