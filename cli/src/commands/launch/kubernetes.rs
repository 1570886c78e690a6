//! `redqueen launch kubernetes`: manifests for a cluster of pods.

use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode};

use coordinator::{Made, Token};
use launch::{
    profile::{Profile, Site},
    systems::kubernetes::{DATA, Deployed, SECRETS},
};
use serde_json::Value;

use crate::{
    error::{CliError, EXIT_FAILED},
    output::Output,
    tls::made,
};

/// The coordinator's port.
const PORT: u16 = 7878;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Profile with a table `[kubernetes]`: image, namespace, cpu, memory, storage.
    #[arg(long, value_name = "FILE")]
    profile: PathBuf,
    /// Directory for certificate and tokens, which commands need, too. They are made there if they do not exist.
    #[arg(long, value_name = "DIR", default_value = super::DATA)]
    data: PathBuf,
    /// Name of all objects.
    #[arg(long, default_value = "redqueen")]
    name: String,
    /// Workers at first; `kubectl scale` changes that.
    #[arg(long, value_name = "N", default_value_t = 2)]
    workers: u32,
}

impl Args {
    /// Prints manifests for `kubectl apply -f -`: a coordinator with a volume, workers, and their secrets.
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > 50 || !self.name.chars().all(plain) || self.name.starts_with('-') {
            return Err(CliError::usage(format!("`{}` is not a name for objects of Kubernetes", self.name))
                .hint("use up to 50 lower-case letters, digits and dashes"));
        }
        let text = fs::read_to_string(&self.profile).map_err(|error| {
            CliError::usage(format!("cannot read the profile `{}`: {error}", self.profile.display()))
        })?;
        let variables: BTreeMap<String, String> = std::env::vars().collect();
        let profile = Profile::read(&self.profile.display().to_string(), &text, &variables, Some("kubernetes"))
            .map_err(|faults| CliError::usage(format!("the profile has faults\n{faults}")))?;
        let Site::Kubernetes(kubernetes) = &profile.site else {
            return Err(CliError::usage("the profile has no table `[kubernetes]`"));
        };
        let deployed = Deployed {
            coordinator: self.coordinator(),
            worker: self.worker(&profile),
            port: PORT,
            secrets: self.secrets()?,
            worker_secrets: vec![made::COPY.to_owned(), Made::Workers.file().to_owned()],
            workers: self.workers,
            name: self.name,
        };
        let manifests = kubernetes.manifests(&deployed);
        let data = self.data.display();
        output.note(&format!(
            "apply it with `kubectl apply -f -`, then `kubectl port-forward {name}-coordinator-0 {PORT}` and\n  redqueen submit FILE --coordinator \
             https://localhost:{PORT} --tls-ca {data}/redqueen.ca.pem --token-file {data}/redqueen.token",
            name = deployed.name
        ));
        let value: Value = serde_json::from_str(&manifests).map_err(CliError::failed)?;
        output.result(|| manifests.clone(), || value);
        Ok(ExitCode::SUCCESS)
    }

    fn coordinator(&self) -> Vec<String> {
        let secret = |name: &str| format!("{SECRETS}/{name}");
        let listen = format!("0.0.0.0:{PORT}");
        let words = [
            "coordinator",
            "--data",
            DATA,
            "--listen",
            &listen,
            "--token-file",
            &secret(Made::Coordinator.file()),
            "--worker-token-file",
            &secret(Made::Workers.file()),
            "--tls-cert",
            &secret(made::OWN),
            "--tls-key",
            &secret(made::OWN),
        ];
        words.map(str::to_owned).to_vec()
    }

    fn worker(&self, profile: &Profile) -> Vec<String> {
        let url = format!("https://{}:{PORT}", self.name);
        let lost = profile.scale.lost.as_secs().to_string();
        let words = [
            "worker",
            "--coordinator",
            &url,
            "--tls-ca",
            &format!("{SECRETS}/{}", made::COPY),
            "--token-file",
            &format!("{SECRETS}/{}", Made::Workers.file()),
            "--patience-secs",
            &lost,
            "--grace-secs",
            "45",
        ];
        words.map(str::to_owned).to_vec()
    }

    /// The files of the secret, made in the data directory.
    fn secrets(&self) -> Result<Vec<(String, String)>, CliError> {
        Token::make(&self.data, Made::Coordinator)?;
        Token::make(&self.data, Made::Workers)?;
        made::pair(&self.data)?;
        let names = [Made::Coordinator.file(), Made::Workers.file(), made::OWN, made::COPY];
        let read = |name: &str| {
            let path = self.data.join(name);
            let text = fs::read_to_string(&path).map_err(|error| CliError::chained(EXIT_FAILED, &error))?;
            Ok((name.to_owned(), text))
        };
        names.into_iter().map(read).collect()
    }
}
