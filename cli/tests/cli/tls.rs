//! TLS: a run over connections with certificates on both sides, and every wrong certificate refused by its name.

use std::{
    net::TcpListener,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use tempfile::TempDir;

use crate::common::{
    experiments::{GRID, GRID_TRIALS},
    files::{place, set_mode, write},
    process::{Process, coordinator, free_port, worker},
    program::{redqueen, run, text},
    runs::{digest, stored, submit, wait_for_end},
    wait::wait,
};

/// Files of a small world of certificates.
struct Certificates {
    place: TempDir,
}

impl Certificates {
    /// A CA (`ca`), a coordinator of 127.0.0.1 (`server`), one of another name (`stranger`), a client (`client`); a
    /// second CA (`other-ca`) with a client of its own (`other`).
    fn make() -> Self {
        let made = Certificates { place: place() };
        let ca = made.authority("ca");
        made.sign("server", &["127.0.0.1", "localhost"], ExtendedKeyUsagePurpose::ServerAuth, &ca);
        made.sign("stranger", &["server.example"], ExtendedKeyUsagePurpose::ServerAuth, &ca);
        made.sign("client", &["client-1"], ExtendedKeyUsagePurpose::ClientAuth, &ca);
        let other = made.authority("other-ca");
        made.sign("other", &["client-1"], ExtendedKeyUsagePurpose::ClientAuth, &other);
        std::fs::write(made.path("garbage.pem"), "not a certificate").expect("written");
        std::fs::write(made.path("token"), "0123456789abcdef0123").expect("written");
        set_mode(&made.path("token"), 0o600);
        made
    }

    fn authority(&self, name: &str) -> Issuer<'static, KeyPair> {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.self_signed(&key).expect("signed");
        std::fs::write(self.path(&format!("{name}.pem")), certificate.pem()).expect("written");
        Issuer::new(params, key)
    }

    fn sign(&self, name: &str, hosts: &[&str], usage: ExtendedKeyUsagePurpose, ca: &Issuer<'_, KeyPair>) {
        let key = KeyPair::generate().expect("a key");
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let mut params = CertificateParams::new(hosts).expect("names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![usage];
        let certificate = params.signed_by(&key, ca).expect("signed");
        std::fs::write(self.path(&format!("{name}.pem")), certificate.pem()).expect("written");
        std::fs::write(self.path(&format!("{name}.key")), key.serialize_pem()).expect("written");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Arguments in which `@name` stands for a file of this place.
    fn arguments(&self, line: &str) -> Vec<String> {
        let file = |word: &str| word.strip_prefix('@').map(|name| text(&self.path(name)).to_owned());
        line.split_whitespace().map(|word| file(word).unwrap_or_else(|| word.to_owned())).collect()
    }

    fn coordinator(&self, data: &Path, port: u16, line: &str) -> (Process, String) {
        let arguments = self.arguments(line);
        coordinator(data, port, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn run(&self, line: &str) -> Output {
        redqueen().args(self.arguments(line)).stdin(Stdio::null()).output().expect("the program starts")
    }

    /// The command ends with 2 and says this, with a hint.
    #[track_caller]
    fn refused(&self, line: &str, words: &[&str]) {
        let output = self.run(line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {stderr}");
        for word in words {
            let word = word.strip_prefix('@').map_or_else(|| (*word).to_owned(), |f| text(&self.path(f)).to_owned());
            assert!(stderr.contains(&word), "{line}: no `{word}` in: {stderr}");
        }
        assert!(stderr.contains("hint: "), "{line}: {stderr}");
    }
}

const MUTUAL: &str = "--token-file @token --tls-cert @server.pem --tls-key @server.key --tls-client-ca @ca.pem";
const CLIENT: &str = "--token-file @token --tls-ca @ca.pem --tls-cert @client.pem --tls-key @client.key";

#[test]
fn a_run_over_tls_outlives_its_coordinator() {
    let world = Certificates::make();
    let data = world.path("data");
    let file = write(&world.place, "grid.toml", GRID);
    let port = free_port();
    let (mut server, url) = world.coordinator(&data, port, MUTUAL);
    assert_eq!(url, format!("https://127.0.0.1:{port}"));
    let line = format!("submit {} --coordinator {url} {CLIENT} --json", text(&file));
    let output = world.run(&line);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let (run, directory) = (status["run"].as_str().expect("an id"), status["directory"].as_str().expect("a path"));

    let client = world.arguments(CLIENT);
    let _worker = worker(&url, "client", 1, &client.iter().map(String::as_str).collect::<Vec<_>>());
    let status = || {
        let output = world.run(&format!("status {run} --coordinator {url} {CLIENT} --json"));
        output.status.success().then(|| serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON"))
    };
    wait("results", || status().filter(|status| status["stored"].as_u64() > Some(0)));
    server.kill();
    let (mut server, _) = world.coordinator(&data, port, MUTUAL);
    wait("the run to end", || status().filter(|status| status["state"] == "finished"));
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    assert_eq!(stored(Path::new(directory), "match"), (GRID_TRIALS, GRID_TRIALS));
    digest(Path::new(directory));
}

#[test]
fn files_that_cannot_serve_are_named() {
    let world = Certificates::make();
    let refused = |line: &str, words: &[&str]| {
        world.refused(&format!("coordinator --data @data --listen 127.0.0.1:0 {line}"), words);
    };
    refused("--tls-cert @nowhere.pem --tls-key @server.key", &["cannot read", "@nowhere.pem"]);
    refused("--tls-cert @server.pem --tls-key @nowhere.key", &["cannot read", "@nowhere.key"]);
    refused("--tls-cert @garbage.pem --tls-key @server.key", &["@garbage.pem", "no certificate in PEM"]);
    refused("--tls-cert @server.pem --tls-key @garbage.pem", &["@garbage.pem", "no private key in PEM"]);
    refused("--tls-cert @server.pem --tls-key @client.key", &["@server.pem", "@client.key", "does not belong"]);
    refused("--tls-cert @server.pem", &["@server.pem", "without --tls-key"]);
    refused("--tls-key @server.key", &["@server.key", "without --tls-cert"]);
    refused("--tls-client-ca @ca.pem", &["the coordinator has none itself"]);
    refused("--tls-cert @server.pem --tls-key @server.key --tls-client-ca @garbage.pem", &["@garbage.pem"]);
}

#[test]
fn whoever_cannot_connect_is_told_why() {
    let world = Certificates::make();
    let (_plain, plain) = world.coordinator(&world.path("plain"), 0, "--token-file @token");
    let (_server, server) = world.coordinator(&world.path("data"), 0, MUTUAL);
    let one_sided = "--token-file @token --tls-cert @server.pem --tls-key @server.key";
    let (_open, open) = world.coordinator(&world.path("open"), 0, one_sided);
    let (_stranger, stranger) =
        world.coordinator(&world.path("stranger"), 0, "--tls-cert @stranger.pem --tls-key @stranger.key");
    let in_clear = |url: &str| url.replace("https", "http");
    // Each by a worker, which must not try for ever, and by a command.
    let refused = |url: &str, line: &str, words: &[&str]| {
        world.refused(&format!("worker --coordinator {url} --patience-secs 600 --token-file @token {line}"), words);
        world.refused(&format!("list --coordinator {url} --token-file @token {line}"), words);
    };
    refused(&plain.replace("http", "https"), "--tls-ca @ca.pem", &["it does not speak TLS"]);
    refused(&in_clear(&open), "", &["it speaks TLS", "https://"]);
    refused(&in_clear(&server), "", &["it speaks TLS", "https://"]);
    refused(&open, "", &["--tls-ca"]);
    refused(&plain, "--tls-ca @ca.pem", &["is not encrypted"]);
    refused(&open, "--tls-ca @other-ca.pem", &["not signed by the CA given", "--tls-ca"]);
    refused(&open, "--tls-ca @nowhere.pem", &["cannot read", "@nowhere.pem"]);
    refused(&open, "--tls-ca @garbage.pem", &["@garbage.pem"]);
    refused(&open, "--tls-ca @ca.pem --tls-cert @client.pem", &["without --tls-key"]);
    refused(&stranger, "--tls-ca @ca.pem", &["server.example", "not for this name"]);
    refused(&server, "--tls-ca @ca.pem", &["demands a client certificate", "--tls-cert"]);
    refused(
        &server,
        "--tls-ca @ca.pem --tls-cert @other.pem --tls-key @other.key",
        &["does not accept this client certificate", "--tls-client-ca"],
    );
    // The token counts inside TLS too.
    std::fs::write(world.path("wrong"), "another-secret-altogether").expect("written");
    set_mode(&world.path("wrong"), 0o600);
    world.refused(&format!("list --coordinator {open} --tls-ca @ca.pem --token-file @wrong"), &["token"]);
    world.refused(&format!("worker --coordinator {open} --tls-ca @ca.pem --token-file @wrong"), &["not allowed"]);
    // Right ones pass.
    let output = world.run(&format!("list --coordinator {server} {CLIENT}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_silent_port_is_no_fault_of_certificates() {
    let world = Certificates::make();
    // Nobody accepts, and the worker must give its patience a chance.
    let silent = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = silent.local_addr().expect("bound").port();
    drop(silent);
    world.refused(
        &format!("worker --coordinator https://127.0.0.1:{port} --tls-ca @ca.pem --patience-secs 1"),
        &["no coordinator answers"],
    );
}

/// Callers at any of its addresses need the copy of its certificate and nothing else.
#[test]
fn a_coordinator_makes_its_own_certificate() {
    let place = place();
    let (data, other) = (place.path().join("data"), place.path().join("other"));
    let (token, copy) = (data.join("redqueen.token"), data.join("redqueen.ca.pem"));
    let port = free_port();
    let (mut server, url) = coordinator(&data, port, &["--tls"]);
    assert_eq!(url, format!("https://127.0.0.1:{port}"));
    let pair = data.join("redqueen.tls.pem");
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").mode() & 0o777;
    assert_eq!(mode(&pair), 0o600);
    let made = std::fs::read_to_string(&copy).expect("a copy");
    assert!(!made.contains("PRIVATE") && std::fs::read_to_string(&pair).expect("a pair").contains("PRIVATE"));
    // Commands and workers of this account find it, as they find the token.
    let (id, directory) = submit(&write(&place, "grid.toml", GRID), &url);
    let _worker = worker(&url, "one", 1, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(stored(&directory, "match"), (GRID_TRIALS, GRID_TRIALS));
    let list = |host: &str, ca: &Path| {
        let url = format!("https://{host}:{port}");
        run(&["list", "--coordinator", &url, "--token-file", text(&token), "--tls-ca", text(ca)])
    };
    for host in ["127.0.0.1", "localhost"] {
        assert!(list(host, &copy).status.success(), "{host}");
    }
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    // Another coordinator's copy; and without its first line the file is any CA's, which must name the host.
    let (_other, _) = coordinator(&other, 0, &["--tls"]);
    let refused = list("127.0.0.1", &other.join("redqueen.ca.pem"));
    assert!(said(&refused).contains("was not signed by the CA given"), "{}", said(&refused));
    let plain = write(&place, "plain.pem", &made[made.find("-----BEGIN").expect("a certificate")..]);
    let refused = list("127.0.0.1", &plain);
    assert!(said(&refused).contains("its certificate is for"), "{}", said(&refused));
    // The next coordinator of the directory has the same, and restores a copy that is gone.
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    std::fs::remove_file(&copy).expect("removed");
    let (_server, _) = coordinator(&data, port, &["--tls"]);
    assert_eq!(std::fs::read_to_string(&copy).expect("a copy"), made);
    // A key that others could read is refused.
    set_mode(&pair, 0o644);
    let refused = run(&["coordinator", "--data", text(&data), "--listen", "127.0.0.1:0", "--tls"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(["0644", "chmod 600"].iter().all(|word| said(&refused).contains(word)), "{}", said(&refused));
}
