//! Players that carry a network.
//!
//! A spec names the network by the hash of its file ([`spec::Kind::Artifact`]). The file says which encoding of which game it
//! reads ([`games::Encoding`]); a player is built only where encoding and sizes are those of the game that it is to play.
//! [`NetReader`] puts positions into a network and says in the game's words what comes out. [`NetPoints`] values leaves by it,
//! [`NetPriors`] gives priors as well, and [`Threshold`] asks it before each playout, of whatever evaluator has those.

mod best_first;
mod deciding;
mod leaves;
mod mcts_net;
mod noise;
mod puct;
mod reader;
mod threshold;

use games::Game;
use spec::{Default, Fault, Kind, Param, Spec, Value};

use crate::{
    artifacts::{ArtifactError, Artifacts},
    figures::Figure,
    listed::{BuildError, CHECKED},
};

pub(crate) use best_first::BestFirstKind;
pub(crate) use deciding::Deciding;
pub use leaves::{NetPoints, NetPriors};
pub(crate) use mcts_net::MctsNetKind;
pub(crate) use puct::PuctKind;
pub use reader::NetReader;
pub use threshold::{Asking, Threshold};

/// The network.
pub(crate) const NET: Param = Param {
    name: "net",
    kind: Kind::Artifact("a network: a safetensors file whose metadata say what it reads"),
    default: Default::None,
    doc: "the network, by the hash of its file",
};

/// How the first layer is computed.
pub(crate) const ARITHMETIC: Param = Param {
    name: "arithmetic",
    kind: Kind::Choice(&["float", "fixed"]),
    default: Default::Text("float"),
    doc: "float: the weights as they are; fixed: those of the first layer rounded to fixed point, several times faster where \
          positions follow one another",
};

/// Output from which on the network's result counts.
pub(crate) const THRESHOLD: Param = Param {
    name: "threshold",
    kind: Kind::Real(0.0, 1.0),
    default: Default::Real(0.9),
    doc: "greatest of the network's three outputs from which on its result is backed up in place of a playout",
};

/// Whether playouts ask, too.
pub(crate) const EACH_STEP: Param = Param {
    name: "ann-each-step",
    kind: Kind::Bool,
    default: Default::Bool(false),
    doc: "ask the network at every step of a playout, not only at the node where it begins; the playout's moves are then drawn \
          uniformly",
};

/// Leaves that are valued together.
pub(crate) const BATCH: Param = Param {
    name: "batch",
    kind: Kind::Int(1, 256),
    default: Default::Int(1),
    doc: "leaves that are valued together, each found while the others count as losses; large networks are faster so",
};

/// Share of the leaves at which the threshold was reached.
pub(crate) const THRESHOLD_SHARE: Figure =
    Figure { name: "threshold_share", title: "share of leaves that the network decided", digits: 4 };

/// Parameters of a search that may do without a network: [`NET`], and what goes with it, which has no value without one.
pub(crate) const OPTIONAL: &[Param] = &[
    Param { doc: "a network that is asked before each playout, by the hash of its file; none if not given", ..NET },
    Param { default: Default::None, ..THRESHOLD },
    Param { default: Default::None, ..EACH_STEP },
    Param { default: Default::None, ..ARITHMETIC },
];

/// Checks a spec with [`OPTIONAL`], and gives what goes with a network its usual values.
///
/// # Errors
/// Something that goes with a network is given without one.
pub(crate) fn check_optional(spec: &mut Spec) -> Result<(), Fault> {
    let with_it = [&THRESHOLD, &EACH_STEP, &ARITHMETIC];
    if spec.artifact(NET.name).is_none() {
        return match with_it.iter().find(|param| spec.get(param.name).is_some()) {
            None => Ok(()),
            Some(param) => {
                let reason = format!("`{}` goes with a network: give `net`", param.name);
                Err(Fault::Conflict { key: param.name.to_owned(), reason })
            }
        };
    }
    for param in with_it {
        if spec.get(param.name).is_none() {
            let value = match param.default {
                Default::Real(value) => Value::Real(value),
                Default::Bool(value) => Value::Bool(value),
                Default::Text(value) => Value::Text(value.to_owned()),
                Default::Int(value) => Value::Int(value),
                Default::None => continue,
            };
            spec.set(param.name, value);
        }
    }
    Ok(())
}

/// Checks that the positions of a game are for networks to read.
///
/// # Errors
/// They are not, or the spec has no network.
pub(crate) fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let conflict = |reason| Err(Fault::Conflict { key: NET.name.to_owned(), reason });
    let facts = start.facts();
    if start.encodings().is_empty() {
        return conflict(format!("`{}` cannot play {}: no network reads its positions", spec.name(), facts.name));
    }
    let sum: f64 = start.reward().iter().sum();
    if facts.players != 2 || sum != 1.0 {
        return conflict(format!(
            "`{}` cannot play {}: its rewards are not points of two players",
            spec.name(),
            facts.name
        ));
    }
    Ok(())
}

/// Checks that a spec with [`NET`] names a network.
///
/// # Errors
/// It does not.
pub(crate) fn check(spec: &Spec) -> Result<(), Fault> {
    if spec.artifact(NET.name).is_some() {
        return Ok(());
    }
    let reason = format!("`{}` needs a network: give `net`", spec.name());
    Err(Fault::Conflict { key: NET.name.to_owned(), reason })
}

/// What reads positions of the game of `start` into the network of a spec with [`NET`] and [`ARITHMETIC`].
///
/// # Errors
/// The network is missing, cannot be read, or is not one for the game.
pub(crate) fn reader<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<NetReader, BuildError> {
    check(spec)?;
    check_game(spec, start)?;
    let hash = spec.artifact(NET.name).expect(CHECKED);
    let unreadable =
        |error: nets::NetError| ArtifactError::Unreadable { hash: hash.to_owned(), reason: error.to_string() };
    let net = nets::Net::read(&artifacts.get(hash)?).map_err(unreadable)?;
    let is_fixed = spec.text(ARITHMETIC.name) == Some("fixed");
    let reader = if is_fixed { NetReader::in_fixed_point(&net, start) } else { NetReader::new(&net, start) };
    Ok(reader.map_err(|reason| Fault::Conflict { key: NET.name.to_owned(), reason })?)
}

/// An evaluator that values positions by the network of a spec with [`NET`] and [`ARITHMETIC`]; `what` needs its values.
///
/// # Errors
/// As [`reader`], or the network values nothing.
pub(crate) fn points<G: Game>(
    spec: &Spec,
    start: &G,
    artifacts: &dyn Artifacts,
    what: &str,
) -> Result<NetPoints, BuildError> {
    let reader = reader(spec, start, artifacts)?;
    if reader.architecture().outcome().is_none() && reader.architecture().value().is_none() {
        let reason = format!("the network has neither `outcome` nor `value`, and {what} need one");
        return Err(Fault::Conflict { key: NET.name.to_owned(), reason }.into());
    }
    Ok(NetPoints(reader))
}

/// An evaluator that asks the network of a spec with [`NET`], [`ARITHMETIC`], [`THRESHOLD`] and [`EACH_STEP`] before the
/// playouts of `playout`.
///
/// # Errors
/// As [`reader`], or the network has no outcome.
pub(crate) fn threshold<G: Game, E>(
    spec: &Spec,
    start: &G,
    artifacts: &dyn Artifacts,
    playout: E,
) -> Result<Threshold<E>, BuildError> {
    let reader = reader(spec, start, artifacts)?;
    let threshold = spec.real(THRESHOLD.name).expect(CHECKED) as f32;
    let each_step = spec.bool(EACH_STEP.name).expect(CHECKED);
    let made = Threshold::new(reader, threshold, each_step, playout);
    Ok(made.map_err(|reason| Fault::Conflict { key: NET.name.to_owned(), reason })?)
}
