//! A player on its own, outside of an experiment: its spec as text, with the files that it names.

use std::path::Path;

use games::GameSpec;
use players::{PlayerSpec, artifacts::HeldArtifacts};

use crate::{
    brought::{self, Files, Unread},
    champion,
};

/// A player for `game` from its spec, in which `champion=FILE` stands for the function in a file and `net=FILE` for the network
/// in one; and the artifacts that it is built from.
///
/// # Errors
/// What is wrong with the spec or with a file.
pub fn player(text: &str, game: &GameSpec) -> Result<(PlayerSpec, Files), Vec<String>> {
    let texts = |faults: Vec<spec::Fault>| -> Vec<String> {
        let text = |fault: &spec::Fault| match fault.hint() {
            Some(hint) => format!("{fault} ({hint})"),
            None => fault.to_string(),
        };
        faults.iter().map(text).collect()
    };
    let here = Path::new("");
    let mut given = spec::parse(text).map_err(|fault| texts(vec![fault]))?;
    champion::read_into(&mut given, here, std::slice::from_ref(game)).map_err(|error| vec![error.to_string()])?;
    let unread = |Unread { param, path, reason }| vec![format!("`{path}` of {param}: {reason}")];
    let files = brought::bring(&mut given, |_| here.to_owned()).map_err(unread)?;
    let spec = PlayerSpec::check(&given).map_err(texts)?;
    spec.check_game(game).map_err(|fault| texts(vec![fault]))?;
    if !files.is_empty() {
        let held: HeldArtifacts = files.iter().cloned().collect();
        spec.check_artifacts(game, &held).map_err(|error| vec![error.to_string()])?;
    }
    Ok((spec, files))
}
