//! Refusing calls without a token, which is in the `authorization` header of every call.

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

/// Refuses calls without a token and admits the connections of the others. If no token is set, every call passes
/// (on loopback only, and only on request).
#[derive(Clone)]
pub(crate) struct CheckToken {
    /// The hash of the coordinator's token, which may call everything.
    full: Option<blake3::Hash>,
    /// The hash of the workers' token, if they have one of their own.
    workers: Option<blake3::Hash>,
    /// Whether the workers' token may make these calls.
    is_for_workers: bool,
    id: Option<MetadataValue<Ascii>>,
    metrics: Metrics,
}

impl CheckToken {
    /// The check of calls that command the coordinator: `token` may make them, and the workers' own may not.
    pub(crate) fn of_commands(token: Option<&Token>, workers: Option<&Token>, metrics: Metrics) -> Self {
        let id = token.and_then(|token| token.id()?.parse().ok());
        CheckToken {
            full: token.map(Token::hash),
            workers: workers.map(Token::hash),
            is_for_workers: false,
            id,
            metrics,
        }
    }

    /// The check of calls that workers make, with either token.
    pub(crate) fn of_work(&self) -> Self {
        CheckToken { is_for_workers: true, ..self.clone() }
    }
}

impl Interceptor for CheckToken {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(full) = &self.full else { return admit(request) };
        let sent = request.metadata().get("authorization").map(|value| blake3::hash(value.as_bytes()));
        if sent.as_ref() == Some(full) {
            return admit(request);
        }
        if sent.is_some() && sent == self.workers {
            if self.is_for_workers {
                return admit(request);
            }
            self.metrics.refused(Refusal::token);
            return Err(Status::permission_denied("the workers' token lets workers work, and commands nothing"));
        }
        self.metrics.refused(Refusal::token);
        // A caller without the token learns the id of the token, which reveals nothing.
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
