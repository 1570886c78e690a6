//! The caller's side of the token: a shared secret in the `authorization` header of every call.

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

/// Adds the token to every call, if there is one.
#[derive(Clone, Debug)]
pub struct AddToken(pub Option<MetadataValue<Ascii>>);

impl Interceptor for AddToken {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}
