//! The certificate that a coordinator makes for itself.
//!
//! One certificate, signed by its own key, whatever the addresses at which the coordinator is reached. Callers have a copy
//! and trust nothing else, so what it says of names and dates matters little: it is for a constant name, which callers of
//! such a copy expect, and valid from a day ago, since clocks of machines differ, for ten years.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use coordinator::open_or_make;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};

use crate::error::{CliError, EXIT_USAGE};

/// The name that the certificate is for.
pub(super) const NAME: &str = "redqueen";
/// The first line of a copy for callers. Without it a file holds a CA, and the certificate must be for the URL's host.
const HEAD: &str = "# Certificate of a redqueen coordinator: callers give this file with --tls-ca.";
/// The key and the certificate, in the data directory, for the coordinator alone.
pub(crate) const OWN: &str = "redqueen.tls.pem";
/// The copy for callers.
pub(crate) const COPY: &str = "redqueen.ca.pem";
/// Where a certificate begins in PEM.
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
/// Longest file, in bytes.
const FILE_MAX: u64 = 65_536;
const DAY: Duration = Duration::from_secs(86_400);
/// How far clocks may be behind, and how long the certificate is valid: ten years.
const BEFORE: Duration = DAY;
const AFTER: Duration = Duration::from_secs(3_652 * DAY.as_secs());

/// Whether a file is a copy of such a certificate.
pub(super) fn is_copy(pem: &[u8]) -> bool {
    pem.starts_with(HEAD.as_bytes())
}

/// The key with its certificate of the data directory `data`, in PEM: those of an earlier coordinator, or new ones. Leaves
/// a copy of the certificate for callers beside it.
///
/// # Errors
/// The files cannot be made, or are open to other accounts.
pub(crate) fn pair(data: &Path) -> Result<(String, PathBuf), CliError> {
    let (file, path) = open_or_make(data, OWN, || new(SystemTime::now())).map_err(|error| {
        let hint = error.hint();
        CliError::chained(EXIT_USAGE, &error).hint(hint)
    })?;
    let mut pem = String::new();
    file.take(FILE_MAX).read_to_string(&mut pem).map_err(|error| unusable(&path, &error.to_string()))?;
    let begin = pem.find(BEGIN).ok_or_else(|| unusable(&path, "it holds no certificate"))?;
    let copy = path.with_file_name(COPY);
    let text = format!("{HEAD}\n{}", &pem[begin..]);
    if fs::read_to_string(&copy).ok().as_ref() != Some(&text) {
        write(&copy, &text).map_err(|error| {
            CliError::usage(format!("cannot write `{}`: {error}", copy.display()))
                .hint("callers need it: choose a --data directory that this account may write")
        })?;
    }
    Ok((pem, copy))
}

fn unusable(path: &Path, why: &str) -> CliError {
    CliError::usage(format!("`{}` cannot be used: {why}", path.display()))
        .hint("remove it, and the coordinator makes a new one when it starts; callers then need the new copy")
}

/// A new key and its certificate, in PEM.
fn new(now: SystemTime) -> String {
    let made = || {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new([NAME.to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = |since: Duration| rcgen::date_time_ymd(1970, 1, 1) + since;
        (params.not_before, params.not_after) = (at(since.saturating_sub(BEFORE)), at(since + AFTER));
        let certificate = params.self_signed(&key)?;
        Ok::<_, rcgen::Error>(format!("{}{}", key.serialize_pem(), certificate.pem()))
    };
    made().expect("a certificate of fixed form")
}

/// Replaces a file in one step.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{:016x}", rand::random::<u64>()));
    let written = fs::File::create_new(&temporary).and_then(|mut file| file.write_all(text.as_bytes()));
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| drop(fs::remove_file(&temporary)))
}

#[cfg(test)]
mod tests {
    use rustls::{
        RootCertStore,
        client::{WebPkiServerVerifier, danger::ServerCertVerifier as _},
        crypto::ring,
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    };

    use super::*;

    /// Clocks of machines differ, and runs go on for long.
    #[test]
    fn a_certificate_is_valid_from_a_day_ago_for_ten_years() {
        let made = Duration::from_secs(1_795_000_000);
        let certificate = CertificateDer::from_pem_slice(new(UNIX_EPOCH + made).as_bytes()).expect("PEM");
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).expect("a certificate");
        let provider = ring::default_provider().into();
        let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider).build().expect("a verifier");
        let accepts = |name: &'static str, now: Duration| {
            let (name, now) = (ServerName::try_from(name).expect("a name"), UnixTime::since_unix_epoch(now));
            verifier.verify_server_cert(&certificate, &[], &name, &[], now).is_ok()
        };
        let hour = Duration::from_secs(3_600);
        let year = 365 * DAY;
        for (now, accepted) in [
            (made - 25 * hour, false),
            (made - 23 * hour, true),
            (made, true),
            (made + 10 * year, true),
            (made + 10 * year + 3 * DAY, false),
        ] {
            assert_eq!(accepts(NAME, now), accepted, "{now:?}");
        }
        assert!(!accepts("localhost", made));
    }
}
