//! The terminal of a bar: what is drawn goes through [`stderr`], so that one that was closed or stopped holds up
//! nothing, and nothing that draws can fail.

use std::{
    fmt::Write as _,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use indicatif::TermLike;

use crate::output::stderr;

/// Columns and rows where the terminal does not say.
const USUAL: (u16, u16) = (80, 24);

/// A terminal on stderr.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// Drawn since the last flush.
    drawn: Mutex<String>,
}

impl Screen {
    fn drawn(&self) -> MutexGuard<'_, String> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // Writing to memory.
        let _ = self.drawn().write_fmt(text);
        Ok(())
    }

    /// Moves the cursor: control sequences of ECMA-48 move by one where they say none.
    fn go(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.draw(format_args!("\u{1b}[{count}{direction}")) }
    }

    fn size() -> (u16, u16) {
        match rustix::termios::tcgetwinsize(rustix::stdio::stderr()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => USUAL,
        }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        Self::size().0
    }

    fn height(&self) -> u16 {
        Self::size().1
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.go(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.go(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.go(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.go(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.draw(format_args!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.draw(format_args!("{text}"))
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draw(format_args!("\r\u{1b}[2K"))
    }

    fn flush(&self) -> io::Result<()> {
        stderr::say_as_is(std::mem::take(&mut *self.drawn()));
        Ok(())
    }
}
