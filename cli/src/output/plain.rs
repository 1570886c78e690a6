//! Text from files, arguments and the wire, made safe for a terminal and for a shell.

use std::{ffi::OsStr, fmt::Write as _, os::unix::ffi::OsStrExt as _};

use serde_json::Value;

/// Whether a terminal would obey a character instead of showing it: control characters, and marks that change the
/// direction of what follows (Unicode's Bidi_Control).
fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with every character that a terminal would obey escaped (`\u{1b}`), except line breaks and tabs.
pub(crate) fn plain(text: &str) -> String {
    escape(text, |plain, c| {
        let _ = write!(plain, "{}", c.escape_unicode());
    })
}

/// A JSON text with the same characters escaped as JSON does.
pub(crate) fn plain_json(text: &str) -> String {
    // Outside of strings JSON has none of these characters except line breaks.
    escape(text, |plain, c| {
        let _ = write!(plain, "\\u{:04x}", u32::from(c));
    })
}

fn escape(text: &str, spell: impl Fn(&mut String, char)) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => plain.push(c),
            c if is_command(c) => spell(&mut plain, c),
            c => plain.push(c),
        }
    }
    plain
}

/// A word for a shell: bare where that is safe, else in quotes; with bytes that are not UTF-8 or that a terminal would
/// obey in `$'…'`, which bash, zsh and ksh read.
pub(crate) fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(byte);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.bytes().all(|byte| safe(&byte)) => text.to_owned(),
        Some(text) if !text.contains(is_command) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let mut quoted = String::from("$'");
            for chunk in word.as_bytes().utf8_chunks() {
                for c in chunk.valid().chars() {
                    match c {
                        '\'' | '\\' => quoted.extend(['\\', c]),
                        c if is_command(c) => c.to_string().bytes().for_each(|byte| hexadecimal(&mut quoted, byte)),
                        c => quoted.push(c),
                    }
                }
                chunk.invalid().iter().for_each(|&byte| hexadecimal(&mut quoted, byte));
            }
            quoted.push('\'');
            quoted
        }
    }
}

fn hexadecimal(text: &mut String, byte: u8) {
    let _ = write!(text, "\\x{byte:02x}");
}

/// A path in JSON, whose strings are text: bytes that are not UTF-8 become U+FFFD.
pub(crate) fn path_json(path: impl AsRef<OsStr>) -> Value {
    Value::String(path.as_ref().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for (text, wanted, json) in [
            ("a title", "a title", "a title"),
            ("two\nlines\tand é", "two\nlines\tand é", "two\nlines\tand é"),
            ("red \u{1b}[31m", "red \\u{1b}[31m", "red \\u001b[31m"),
            ("bell\u{7}\r", "bell\\u{7}\\u{d}", "bell\\u0007\\u000d"),
            ("\u{9b}31m \u{7f}", "\\u{9b}31m \\u{7f}", "\\u009b31m \\u007f"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe", "\\u202etxt.exe"),
        ] {
            assert_eq!(plain(text), wanted);
            assert_eq!(plain_json(text), json);
        }
    }

    /// What bash makes of each is the word itself.
    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        let words: [&[u8]; 9] = [
            b"runs/a-1",
            b"my runs/r",
            b"it's",
            b"",
            b"$(id) `id` \"x\" !x *",
            b"lat\xe9in",
            b"tab\there\nand line",
            "é \u{1b}[31m ' \\".as_bytes(),
            b"~/x;y&z",
        ];
        for word in words {
            let text = quoted(OsStr::from_bytes(word));
            assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
            let shell = std::process::Command::new("bash").args(["-c", &format!("printf %s {text}")]).output();
            assert_eq!(shell.expect("bash runs").stdout, word, "{text}");
        }
        assert_eq!(quoted("runs/a-1"), "runs/a-1");
        assert_eq!(quoted("my runs/r"), "'my runs/r'");
    }
}
