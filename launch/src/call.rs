//! Commands of batch systems, as values: what to run, and what came of it.

use std::borrow::Cow;

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The program and its arguments; never empty.
    pub argv: Vec<String>,
    /// What it reads from its standard input; nothing if `None`.
    pub stdin: Option<String>,
    /// Whether it keeps the variables of a job around the launcher, and so belongs to that job.
    pub belongs: bool,
}

impl Call {
    /// A command that reads nothing.
    pub fn new<W: Into<String>>(argv: impl IntoIterator<Item = W>) -> Call {
        Call { argv: argv.into_iter().map(Into::into).collect(), stdin: None, belongs: false }
    }

    /// The same command reading `text`.
    #[must_use]
    pub fn reading(self, text: impl Into<String>) -> Call {
        Call { stdin: Some(text.into()), ..self }
    }

    /// The same command as a part of the job around the launcher, if there is one.
    #[must_use]
    pub fn belonging(self) -> Call {
        Call { belongs: true, ..self }
    }

    /// The same command under `prefix`, such as `ssh login1`, which passes one line to a shell; unchanged if `prefix`
    /// is empty. The shell may speak another language, so the line says `LC_ALL=C`.
    ///
    /// # Errors
    /// A word holds a NUL character.
    pub fn via(&self, prefix: &[String]) -> Result<Call, NulInWord> {
        if prefix.is_empty() {
            return Ok(self.clone());
        }
        let line = format!("env LC_ALL=C {}", line(&self.argv)?);
        Ok(Call {
            argv: prefix.iter().cloned().chain([line]).collect(),
            stdin: self.stdin.clone(),
            belongs: self.belongs,
        })
    }
}

/// A word that no command line can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` holds a NUL character, which no command line can")]
pub struct NulInWord(pub String);

/// `word` as a POSIX shell has to read it. Every word of every script and command line goes through here.
///
/// # Errors
/// It holds a NUL character.
pub fn quote(word: &str) -> Result<Cow<'_, str>, NulInWord> {
    shlex::try_quote(word).map_err(|_| NulInWord(word.replace('\0', "\\0")))
}

/// Words as one line of a POSIX shell.
///
/// # Errors
/// One holds a NUL character.
pub fn line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Result<String, NulInWord> {
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&quote(word.as_ref())?);
    }
    Ok(line)
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its exit code: [`NOT_FOUND`] if its program does not exist, here or where a shell ran it. `None` if it was ended
    /// by a signal, ran out of time, printed without end or could not be started now: whether it did what it was asked
    /// to is unknown.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained of, or why it could not be started.
    pub stderr: String,
}

/// The exit code of a program that exists but may not be run, as shells give it.
pub const NOT_EXECUTABLE: i32 = 126;
/// The exit code of a program that does not exist, as shells give it.
pub const NOT_FOUND: i32 = 127;

impl Output {
    /// What it complained of, or else what it printed; in short.
    pub fn words(&self) -> String {
        const LONGEST: usize = 400;
        let text = if self.stderr.trim().is_empty() { self.stdout.trim() } else { self.stderr.trim() };
        match (text, self.code) {
            ("", Some(code)) => format!("exit code {code} without a word"),
            ("", None) => "no answer".into(),
            // The cause stands last, after warnings.
            (text, _) => match text.char_indices().rev().nth(LONGEST) {
                Some((start, _)) => format!("…{}", &text[start..]),
                None => text.into(),
            },
        }
    }
}
