//! A session's messages as the body of its call.
//!
//! This replaces tonic's encoder, because the bound on large answers must hold for memory, not for the queue alone.
//! That encoder (tonic 0.14) keeps the buffer of its longest message for as long as the call lasts, so every session
//! that ever requested a plan would cost one. And hyper (1.12) polls for the next message before the socket has taken
//! the last one, so a poll says nothing about what has been sent. Here each frame owns its bytes, and the permit of a
//! large answer is returned when they are dropped.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use http_body::{Body, Frame};
use prost::Message as _;
use redqueen_wire::CoordinatorMessage;
use tokio_stream::Stream as _;
use tonic::{
    Status,
    codegen::{Bytes, http::HeaderMap},
};

use super::{
    permits::Permit,
    queue::{Messages, Outgoing},
};

/// Small messages share a frame of up to this many bytes, as in tonic.
const TOGETHER: usize = 32 << 10;
/// Bytes before each message: a compression flag and the length (gRPC over HTTP/2, "Length-Prefixed-Message").
const HEADER: usize = 5;

/// The body of a session's call.
pub(crate) struct Reply {
    messages: Messages,
    end: End,
}

enum End {
    /// More messages may follow.
    Open,
    /// The status is to be sent.
    Due(Status),
    /// The status was sent.
    Sent,
}

impl Reply {
    pub(crate) fn new(messages: Messages) -> Self {
        Reply { messages, end: End::Open }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut bytes = Vec::new();
        let mut permit = None;
        while matches!(self.end, End::Open) && bytes.len() < TOGETHER && permit.is_none() {
            match Pin::new(&mut self.messages).poll_next(cx) {
                Poll::Pending => break,
                Poll::Ready(None) => self.end = End::Due(Status::ok("")),
                Poll::Ready(Some(Outgoing { message: Err(status), .. })) => self.end = End::Due(status),
                Poll::Ready(Some(Outgoing { message: Ok(message), permit: its_permit })) => {
                    append(&mut bytes, &message);
                    permit = its_permit;
                }
            }
        }
        if !bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(Held { bytes, _permit: permit })))));
        }
        match std::mem::replace(&mut self.end, End::Sent) {
            End::Open => {
                self.end = End::Open;
                Poll::Pending
            }
            End::Due(status) => Poll::Ready(Some(Ok(Frame::trailers(trailers(&status))))),
            End::Sent => Poll::Ready(None),
        }
    }
}

/// The bytes of one frame, and the permit that is returned when they are dropped.
struct Held {
    bytes: Vec<u8>,
    _permit: Option<Permit>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn append(bytes: &mut Vec<u8>, message: &CoordinatorMessage) {
    let length = message.encoded_len();
    bytes.reserve(HEADER + length);
    bytes.push(0);
    let length = u32::try_from(length).expect("messages are far shorter than 4 GiB: an experiment has 4 MiB at most");
    bytes.extend(length.to_be_bytes());
    message.encode(bytes).expect("a vector takes any length");
}

fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    if let Err(plain) = status.add_header(&mut trailers) {
        // A header cannot carry the message; the status of that error has a plain one.
        let _ = plain.add_header(&mut trailers);
    }
    trailers
}
