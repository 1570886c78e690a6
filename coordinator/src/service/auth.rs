//! Refusing calls without the token, which is in the `authorization` header of every call.

use tonic::{Request, Status, service::Interceptor};

use crate::{
    access::Token,
    door::Pass,
    metrics::{Metrics, Refusal},
};

/// Refuses calls without the token, and tells the door of those that pass. Without a token every call passes
/// (loopback only, and only if asked for).
#[derive(Clone)]
pub(crate) struct CheckToken {
    wanted: Option<blake3::Hash>,
    metrics: Metrics,
}

impl CheckToken {
    pub(crate) fn new(token: Option<&Token>, metrics: Metrics) -> Self {
        CheckToken { wanted: token.map(|token| blake3::hash(token.header().as_bytes())), metrics }
    }
}

impl Interceptor for CheckToken {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(wanted) = &self.wanted else { return admit(request) };
        let sent = request.metadata().get("authorization").map(|value| blake3::hash(value.as_bytes()));
        // Hashes compare in constant time; whoever has no token learns nothing, not even that it was wrong.
        if sent.as_ref() == Some(wanted) {
            return admit(request);
        }
        self.metrics.refused(Refusal::token);
        Err(Status::unauthenticated("not allowed"))
    }
}

fn admit(request: Request<()>) -> Result<Request<()>, Status> {
    if let Some(pass) = Pass::of(&request) {
        pass.admit()?;
    }
    Ok(request)
}
