//! Text files that people write, and the reason where one cannot be read as text.

use std::{fs::File, io::Read as _, path::Path};

/// Longest file taken, in bytes: a device or a pipe may never end.
const LONGEST: u64 = 64 << 20;

/// Reads a file of UTF-8.
///
/// # Errors
/// Why it is none, in words that stand behind its name.
pub fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("is longer than {} MiB", LONGEST >> 20));
    }
    of(bytes)
}

fn of(bytes: Vec<u8>) -> Result<String, String> {
    // As Windows' editors and PowerShell's `>` write it; without a mark, every other byte of plain text is zero.
    let zeros = |from: usize| bytes.len() > 3 && bytes.iter().skip(from).step_by(2).take(64).all(|&byte| byte == 0);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || zeros(0) || zeros(1) {
        return Err("is UTF-16: save it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let byte = error.as_bytes()[at];
        format!("is no UTF-8: line {line} has the byte 0x{byte:02x}; save it as UTF-8 (`iconv -f LATIN1 -t UTF-8`)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_apart() {
        let utf16 = |text: &str, mark: &[u8], order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.iter().copied().chain(text.encode_utf16().flat_map(order)).collect()
        };
        for bytes in [
            utf16("format = 1", b"\xff\xfe", u16::to_le_bytes),
            utf16("format = 1", b"\xfe\xff", u16::to_be_bytes),
            utf16("format = 1", b"", u16::to_le_bytes),
            utf16("format = 1", b"", u16::to_be_bytes),
            utf16("title = \"é\"", b"\xff\xfe", u16::to_le_bytes),
        ] {
            assert!(of(bytes).expect_err("no UTF-8").starts_with("is UTF-16"));
        }
        let latin = of(b"format = 1\ntitle = \"caf\xe9\"\n".to_vec()).expect_err("no UTF-8");
        assert!(latin.starts_with("is no UTF-8: line 2 has the byte 0xe9"), "{latin}");
        for text in ["", "a", "format = 1\ntitle = \"é\"\n", "\u{feff}format = 1\n"] {
            assert_eq!(of(text.into()).as_deref(), Ok(text));
        }
    }
}
