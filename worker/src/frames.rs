//! Messages on the socket between a worker and an executor process: each follows its length in four bytes.

use std::io::{self, Read};

use prost::Message;

/// Bytes of the length before a message.
const HEAD: usize = 4;
/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// The bytes that came are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes on the socket are not a message")]
pub(crate) struct Garbled;

/// Appends an encoded message to `out`.
pub(crate) fn append(message: &impl Message, out: &mut Vec<u8>) {
    let length = message.encoded_len();
    out.reserve(HEAD + length);
    // A plan is at most MAX_PLAN_BYTES, its artifacts a few of those.
    out.extend_from_slice(&u32::try_from(length).expect("a message is shorter than 4 GiB").to_le_bytes());
    message.encode_raw(out);
}

/// Received bytes, to be decoded into messages.
pub(crate) struct Incoming {
    chunk: Box<[u8]>,
    bytes: Vec<u8>,
    /// How many of `bytes` are decoded.
    taken: usize,
    longest: usize,
}

impl Incoming {
    /// No bytes yet; a message may have up to `longest`.
    pub(crate) fn new(longest: usize) -> Self {
        Incoming { chunk: vec![0; CHUNK].into_boxed_slice(), bytes: Vec::new(), taken: 0, longest }
    }

    /// Reads once; returns the number of bytes, 0 at the end.
    pub(crate) fn read(&mut self, from: &mut impl Read) -> io::Result<usize> {
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        }
        let count = from.read(&mut self.chunk)?;
        self.bytes.extend_from_slice(&self.chunk[..count]);
        Ok(count)
    }

    /// The next complete message, if there is one.
    pub(crate) fn next<M: Message + Default>(&mut self) -> Result<Option<M>, Garbled> {
        let waiting = &self.bytes[self.taken..];
        let Some((head, rest)) = waiting.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > self.longest {
            return Err(Garbled);
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = M::decode(body).map_err(|_| Garbled)?;
        self.taken += HEAD + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use redqueen_wire::{Range, RunTrials};

    use super::*;

    fn message(start: u64) -> RunTrials {
        RunTrials { key: 7, trials: Some(Range { start, end: start + 1 }) }
    }

    /// A reader that returns one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1);
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn messages_are_complete_however_the_bytes_arrive() {
        let mut bytes = Vec::new();
        (0..3).for_each(|start| append(&message(start), &mut bytes));
        let mut incoming = Incoming::new(64);
        let (mut drops, mut found) = (Drops(&bytes), Vec::new());
        while incoming.read(&mut drops).expect("reads") > 0 {
            found.extend(incoming.next::<RunTrials>().expect("whole"));
        }
        assert_eq!(found, (0..3).map(message).collect::<Vec<_>>());
        assert_eq!(incoming.next::<RunTrials>(), Ok(None));
    }

    #[test]
    fn bytes_that_are_too_long_or_not_a_message_are_refused() {
        let refused = |bytes: &[u8]| {
            let mut incoming = Incoming::new(64);
            incoming.read(&mut &*bytes).expect("reads");
            incoming.next::<RunTrials>()
        };
        assert_eq!(refused(&[65, 0, 0, 0]), Err(Garbled));
        assert_eq!(refused(&[1, 0, 0, 0, 0xff]), Err(Garbled));
        assert_eq!(refused(&[64, 0, 0, 0]), Ok(None));
    }
}
