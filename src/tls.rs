//! The caller's side of TLS: the reasons of a failed handshake, told from failures of the network.
//!
//! Retrying does not help with wrong certificates, so callers stop at a [`TlsFault`] and retry after every other error.
//! It is found among the sources of an error, where rustls names the exact reason.

use std::{error::Error, io};

use rustls::{AlertDescription, CertificateError, InvalidMessage};

/// Why a TLS connection cannot be established.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFault {
    /// The URL says `https`, and the server has no TLS.
    #[error("it does not speak TLS")]
    NotTls,
    /// The URL says `http`, and the server has TLS.
    #[error("it speaks TLS, and the URL says `http`")]
    OnlyTls,
    /// The server's certificate was not signed by a known CA.
    #[error("its certificate was not signed by the CA given")]
    UnknownIssuer,
    /// The server's certificate is for another name.
    #[error("its certificate is for {0} and not for this name")]
    OtherName(String),
    /// The server's certificate has expired or is not valid yet, or a clock is wrong.
    #[error("its certificate is not valid now")]
    NotValidNow,
    /// The server demands a client certificate.
    #[error("it demands a client certificate, and none was given")]
    CertificateRequired,
    /// The server refuses the client certificate.
    #[error("it does not accept this client certificate ({0})")]
    CertificateRefused(String),
    /// The server's certificate cannot be used for another reason.
    #[error("its certificate cannot be used ({0})")]
    Unusable(String),
}

impl TlsFault {
    /// Finds a TLS fault in an error or its sources.
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(fault) = Self::of(error) {
                return Some(fault);
            }
            // The source of an I/O error skips the error inside it.
            let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            next = match inside {
                Some(inside) => Some(inside),
                None => error.source(),
            };
        }
        None
    }

    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            TlsFault::NotTls => "write `http://`, or start the coordinator with --tls-cert and --tls-key",
            TlsFault::OnlyTls => "write `https://` and give the CA's certificate with --tls-ca",
            TlsFault::UnknownIssuer => "give the certificate of the CA that signed the coordinator's with --tls-ca",
            TlsFault::OtherName(_) => "use a name of the certificate in the URL, or sign one that has this name",
            TlsFault::NotValidNow => "renew the coordinator's certificate, or set the clock of this machine",
            TlsFault::CertificateRequired => "give one with --tls-cert and --tls-key",
            TlsFault::CertificateRefused(_) => "have it signed by the CA of the coordinator's --tls-client-ca",
            TlsFault::Unusable(_) => "sign another for the coordinator, as docs/deployment.md shows",
        }
    }

    fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(fault) = error.downcast_ref::<TlsFault>() {
            return Some(fault.clone());
        }
        match error.downcast_ref::<rustls::Error>()? {
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => Some(TlsFault::NotTls),
            rustls::Error::InvalidCertificate(fault) => Some(Self::of_certificate(fault)),
            rustls::Error::AlertReceived(alert) => Self::of_alert(*alert),
            _ => None,
        }
    }

    fn of_certificate(fault: &CertificateError) -> Self {
        use CertificateError as Fault;
        match fault {
            Fault::UnknownIssuer | Fault::BadSignature => TlsFault::UnknownIssuer,
            Fault::NotValidForName => TlsFault::OtherName("another".to_owned()),
            Fault::NotValidForNameContext { presented, .. } => {
                TlsFault::OtherName(if presented.is_empty() { "no name".to_owned() } else { presented.join(", ") })
            }
            Fault::Expired | Fault::ExpiredContext { .. } | Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
                TlsFault::NotValidNow
            }
            other => TlsFault::Unusable(other.to_string()),
        }
    }

    fn of_alert(alert: AlertDescription) -> Option<Self> {
        use AlertDescription as Alert;
        match alert {
            Alert::CertificateRequired => Some(TlsFault::CertificateRequired),
            Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::DecryptError => Some(TlsFault::CertificateRefused(format!("{alert:?}"))),
            _ => None,
        }
    }
}
