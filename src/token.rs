//! The caller's side of the token: a shared secret in the `authorization` header of every call.

use std::sync::{Arc, Mutex, PoisonError};

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

/// The present token of a caller. Clones share it, since it may have to be looked up for each connection.
#[derive(Clone, Debug, Default)]
pub struct Credentials(Arc<Mutex<Option<MetadataValue<Ascii>>>>);

impl Credentials {
    /// The value of the `authorization` header, if there is a token.
    pub fn get(&self) -> Option<MetadataValue<Ascii>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the token.
    pub fn set(&self, header: Option<MetadataValue<Ascii>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = header;
    }
}

impl From<Option<MetadataValue<Ascii>>> for Credentials {
    fn from(header: Option<MetadataValue<Ascii>>) -> Self {
        Credentials(Arc::new(Mutex::new(header)))
    }
}

/// Adds the token, if there is one, to every call.
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
