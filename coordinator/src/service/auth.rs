//! Refusing calls without the token, which is in the `authorization` header of every call.

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

use crate::{
    access::{TOKEN_ID, Token},
    admission::ConnectionHandle,
    metrics::{Metrics, Refusal},
};

/// Refuses calls without the token and admits the connections of the others. If no token is set, every call passes
/// (on loopback only, and only on request).
#[derive(Clone)]
pub(crate) struct CheckToken {
    wanted: Option<blake3::Hash>,
    id: Option<MetadataValue<Ascii>>,
    metrics: Metrics,
}

impl CheckToken {
    pub(crate) fn new(token: Option<&Token>, metrics: Metrics) -> Self {
        let id = token.and_then(|token| token.id()?.parse().ok());
        CheckToken { wanted: token.map(|token| blake3::hash(token.header().as_bytes())), id, metrics }
    }
}

impl Interceptor for CheckToken {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(wanted) = &self.wanted else { return admit(request) };
        let sent = request.metadata().get("authorization").map(|value| blake3::hash(value.as_bytes()));
        // Hashes compare in constant time. A caller without the token learns the id of the token, which reveals
        // nothing.
        if sent.as_ref() == Some(wanted) {
            return admit(request);
        }
        self.metrics.refused(Refusal::token);
        let mut refused = Status::unauthenticated("not allowed");
        if let Some(id) = &self.id {
            refused.metadata_mut().insert(TOKEN_ID, id.clone());
        }
        Err(refused)
    }
}

fn admit(request: Request<()>) -> Result<Request<()>, Status> {
    if let Some(connection) = ConnectionHandle::of(&request) {
        connection.admit()?;
    }
    Ok(request)
}
