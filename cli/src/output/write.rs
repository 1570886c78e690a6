//! Writing all of a text to a file descriptor of any kind.

use std::{io, os::fd::AsFd};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};

/// Writes everything. A descriptor that does not block, as some parents leave a pipe to their children, is waited for,
/// so that no result is written by half.
pub(super) fn write_all(to: impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&to, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&to, PollFlags::OUT)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
