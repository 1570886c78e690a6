//! A session's messages as the body of its call.
//!
//! In place of tonic's own encoder, because a bound on what is on its way must hold for the memory and not for the
//! queue alone. That encoder (tonic 0.14) keeps the buffer of its longest message for as long as the call lasts, so
//! each session that ever asked for a plan would cost one. And whoever sends (hyper 1.12) asks for the next message
//! before the socket took the last one: being asked says nothing about what has left. Here bytes are a buffer of their
//! own, and the place of a big answer is given back with them.

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
    permits::Place,
    queue::{Messages, Outgoing},
};

/// Small messages that wait are put together up to this many bytes, as tonic does.
const TOGETHER: usize = 32 << 10;
/// Bytes before each message: whether it is compressed, and its length (gRPC over HTTP/2, "Length-Prefixed-Message").
const HEADER: usize = 5;

/// The body.
pub(crate) struct Reply {
    messages: Messages,
    end: End,
}

enum End {
    /// More may come.
    Open,
    /// To be told.
    Due(Status),
    Told,
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
        let mut place = None;
        while matches!(self.end, End::Open) && bytes.len() < TOGETHER && place.is_none() {
            match Pin::new(&mut self.messages).poll_next(cx) {
                Poll::Pending => break,
                Poll::Ready(None) => self.end = End::Due(Status::ok("")),
                Poll::Ready(Some(Outgoing { message: Err(status), .. })) => self.end = End::Due(status),
                Poll::Ready(Some(Outgoing { message: Ok(message), place: its })) => {
                    append(&mut bytes, &message);
                    place = its;
                }
            }
        }
        if !bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(Held { bytes, _place: place })))));
        }
        match std::mem::replace(&mut self.end, End::Told) {
            End::Open => {
                self.end = End::Open;
                Poll::Pending
            }
            End::Due(status) => Poll::Ready(Some(Ok(Frame::trailers(trailers(&status))))),
            End::Told => Poll::Ready(None),
        }
    }
}

/// Bytes of one buffer, and the place that is given back when the last of them is dropped.
struct Held {
    bytes: Vec<u8>,
    _place: Option<Place>,
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
    let length = u32::try_from(length).expect("an experiment has 4 MiB at most, and nothing of it 4 GiB");
    bytes.extend(length.to_be_bytes());
    message.encode(bytes).expect("a vector takes any length");
}

fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    if let Err(unsayable) = status.add_header(&mut trailers) {
        // Its message is what no header can carry; this one is plain.
        let _ = unsayable.add_header(&mut trailers);
    }
    trailers
}
