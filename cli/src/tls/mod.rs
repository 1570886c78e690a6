//! Certificates and keys from files, checked before they are used.
//!
//! tonic would only report a transport error for a wrong one; here each fault names its file and what to do. A coordinator
//! can make its own ([`made`]).

pub(crate) mod made;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring::sign::any_supported_type,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
    sign::{CertifiedKey, SingleCertAndKey},
};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use coordinator::Registry;
use redqueen_wire::Tls;

use crate::error::CliError;

/// Certificates of a caller of a coordinator.
#[derive(Args)]
pub(crate) struct ClientTlsArgs {
    /// PEM file with the CA that signed the coordinator's certificate, or the copy that a coordinator with --tls made
    /// of its own; for `https://`. Not needed for a coordinator with --tls of this account on this machine.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TLS_CA")]
    tls_ca: Option<PathBuf>,
    /// PEM file with a client certificate, for a coordinator that demands one.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the key of --tls-cert.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TLS_KEY")]
    tls_key: Option<PathBuf>,
}

/// Certificates of a coordinator.
#[derive(Args)]
pub(crate) struct ServerTlsArgs {
    /// Serve `https` with a certificate that the coordinator makes for itself. Callers at any of its addresses give the
    /// copy that it leaves in DIR (redqueen.ca.pem) with --tls-ca.
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    tls: bool,
    /// PEM file with the coordinator's certificate, and those between it and the CA: serve `https`.
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the key of --tls-cert.
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// PEM file with a CA: only callers with a certificate signed by it may connect.
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
}

impl ClientTlsArgs {
    /// The configuration to call `url` with; none for `http`.
    pub(crate) fn config(&self, url: &str) -> Result<Option<Tls>, CliError> {
        let any = self.tls_ca.is_some() || self.tls_cert.is_some() || self.tls_key.is_some();
        if !url.starts_with("https://") {
            if any {
                let message = format!("certificates are given, and `{url}` is not encrypted");
                return Err(CliError::usage(message).hint("write `https://`, or leave out --tls-ca and --tls-cert"));
            }
            return Ok(None);
        }
        let found =
            || Registry::of_account().place(url).map(|place| place.join(made::COPY)).filter(|copy| copy.exists());
        let Some(ca) = self.tls_ca.clone().or_else(found) else {
            return Err(CliError::usage(format!("`{url}` needs a CA to check the coordinator's certificate with"))
                .hint("give --tls-ca FILE: a coordinator with --tls leaves redqueen.ca.pem in its data directory"));
        };
        self.trusting(&ca).map(Some)
    }

    /// What a caller trusts whose options name a CA; none if they do not.
    pub(crate) fn named(&self) -> Result<Option<Tls>, CliError> {
        self.tls_ca.as_deref().map(|ca| self.trusting(ca)).transpose()
    }

    fn trusting(&self, ca: &Path) -> Result<Tls, CliError> {
        client(ca, pair(self.tls_cert.as_deref(), self.tls_key.as_deref())?)
    }
}

/// What a caller trusts who has the file `ca`: a CA, or the copy of a coordinator's own certificate.
fn client(ca: &Path, own: Option<Pair>) -> Result<Tls, CliError> {
    let authority = authority(ca)?;
    let name = made::is_copy(&authority.pem).then(|| ServerName::try_from(made::NAME).expect("a name"));
    let config = ClientConfig::builder().with_root_certificates(authority.roots);
    let mut config = match own {
        Some(pair) => config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(pair.key))),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Tls { config: Arc::new(config), name })
}

/// What a caller trusts that has the file `ca` and no certificate of its own.
pub(crate) fn trusting(ca: &Path) -> Result<Tls, CliError> {
    client(ca, None)
}

/// What a coordinator serves TLS with.
pub(crate) struct ServerTls {
    pub(crate) config: ServerTlsConfig,
    /// The file that callers need, if the coordinator made its certificate itself.
    pub(crate) copy: Option<PathBuf>,
}

impl ServerTlsArgs {
    /// The configuration to serve with; none to serve in the clear. A certificate of the coordinator's own is in `data`.
    pub(crate) fn config(&self, data: &Path) -> Result<Option<ServerTls>, CliError> {
        let (identity, copy) = match pair(self.tls_cert.as_deref(), self.tls_key.as_deref())? {
            Some(pair) => (Identity::from_pem(pair.certificate_pem, pair.key_pem), None),
            None if self.tls => {
                let (pem, copy) = made::pair(data)?;
                (Identity::from_pem(&pem, &pem), Some(copy))
            }
            None if self.tls_client_ca.is_some() => {
                return Err(CliError::usage("client certificates are demanded, and the coordinator has none itself")
                    .hint("give --tls, or --tls-cert and --tls-key, beside --tls-client-ca"));
            }
            None => return Ok(None),
        };
        let config = ServerTlsConfig::new().identity(identity);
        let config = match &self.tls_client_ca {
            Some(ca) => config.client_ca_root(Certificate::from_pem(authority(ca)?.pem)),
            None => config,
        };
        Ok(Some(ServerTls { config, copy }))
    }
}

/// A certificate and the key that belongs to it.
struct Pair {
    key: CertifiedKey,
    certificate_pem: Vec<u8>,
    key_pem: Vec<u8>,
}

/// CAs.
struct Authority {
    roots: RootCertStore,
    pem: Vec<u8>,
}

fn pair(certificate: Option<&Path>, key: Option<&Path>) -> Result<Option<Pair>, CliError> {
    let (certificate, key) = match (certificate, key) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        (Some(file), None) => return Err(half(file, "--tls-cert", "--tls-key")),
        (None, Some(file)) => return Err(half(file, "--tls-key", "--tls-cert")),
    };
    let (certificate_pem, key_pem) = (read(certificate)?, read(key)?);
    let chain = certificates(certificate, &certificate_pem)?;
    let secret = PrivateKeyDer::from_pem_slice(&key_pem).map_err(|_| {
        CliError::usage(format!("`{}` holds no private key in PEM", key.display()))
            .hint("it must have a part that begins with `-----BEGIN PRIVATE KEY-----`, without a passphrase")
    })?;
    let secret = any_supported_type(&secret).map_err(|_| {
        CliError::usage(format!("the key in `{}` is of a kind that cannot be used", key.display()))
            .hint("use an ECDSA P-256 or P-384, Ed25519 or RSA key; docs/deployment.md shows how to make one")
    })?;
    let fitting = CertifiedKey::new(chain, secret);
    fitting.keys_match().map_err(|error| {
        // A certificate that cannot be read has no key that fits it.
        let (certificate, key) = (certificate.display(), key.display());
        let message = match error {
            rustls::Error::InconsistentKeys(_) => {
                format!("the key in `{key}` does not belong to the certificate in `{certificate}`")
            }
            error => format!("the certificate in `{certificate}` cannot be used: {error}"),
        };
        CliError::usage(message).hint("give the two files that were made together; the coordinator's own come first")
    })?;
    Ok(Some(Pair { key: fitting, certificate_pem, key_pem }))
}

fn half(file: &Path, given: &str, missing: &str) -> CliError {
    CliError::usage(format!("{given} `{}` is given without {missing}", file.display()))
        .hint("a certificate and its key go together: give both or none")
}

/// CA certificates that can be used as such.
fn authority(path: &Path) -> Result<Authority, CliError> {
    let pem = read(path)?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path, &pem)? {
        roots.add(certificate).map_err(|error| {
            CliError::usage(format!("the certificate in `{}` cannot be used as a CA: {error}", path.display()))
                .hint("give the certificate of the CA itself; docs/deployment.md shows how to make one")
        })?;
    }
    Ok(Authority { roots, pem })
}

/// The certificates of a file, at least one.
fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CliError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    found.ok().filter(|found| !found.is_empty()).ok_or_else(|| {
        CliError::usage(format!("`{}` holds no certificate in PEM", path.display()))
            .hint("it must have a part that begins with `-----BEGIN CERTIFICATE-----`")
    })
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(path).map_err(|error| {
        CliError::usage(format!("cannot read `{}`: {error}", path.display()))
            .hint("check the path, and that this user may read it")
    })
}
