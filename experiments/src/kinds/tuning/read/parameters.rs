//! Table `parameters`: what is tuned, between which bounds.

use std::ops::RangeInclusive;

use players::PlayerSpec;

use super::super::space::{Domain, Parameter, Scale};
use crate::{
    document::{Data, Entry, Node},
    fault::FaultKind,
    reader::{Reader, Sink, is_name},
};

/// Whole numbers that a real number is exact for.
const WHOLE_MAX: i64 = 1 << 53;
/// Bound of numbers whose parameter has none.
const REAL_MAX: f64 = 1e15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Integer,
    Real,
    Category,
}

const TYPES: [(&str, Type); 3] = [("integer", Type::Integer), ("real", Type::Real), ("category", Type::Category)];

/// Key `parameters`; `player` is whose they are, if it could be read.
pub(super) fn read(reader: &mut Reader<'_>, player: Option<&PlayerSpec>) -> Option<Vec<Parameter>> {
    const EXAMPLE: &str = "`c = { type = \"real\", min = 0.1, max = 2.0 }`";
    let sink = reader.sink;
    let entry = reader.required("parameters", &format!("a table of parameters and bounds: {EXAMPLE}"))?;
    let key = reader.path("parameters");
    let table = sink.table(&entry.node, &key)?;
    if table.entries.is_empty() {
        let kind = FaultKind::TooFew { what: "parameters", needed: 1, found: 0 };
        sink.push(kind, &entry.key_origin, &key, Some(EXAMPLE.to_owned()));
        return None;
    }
    let read = |entry: &Entry| read_one(entry, &key, player, sink);
    // All of them, so that all faults are reported.
    let parameters: Vec<Option<Parameter>> = table.entries.iter().map(read).collect();
    player?;
    parameters.into_iter().collect()
}

fn read_one(entry: &Entry, key: &str, player: Option<&PlayerSpec>, sink: &Sink<'_>) -> Option<Parameter> {
    let (name, key) = (&entry.key, format!("{key}.{}", entry.key));
    if let (Some(player), None) = (player, player.and_then(|player| kind_of(player, name))) {
        let fault = spec::Fault::unknown_key(player.entry(), name);
        let hint = fault.hint().map(str::to_owned);
        sink.push(FaultKind::Spec(fault), &entry.key_origin, &key, hint);
        return None;
    }
    if !is_name(name) {
        // No player has it, and this one cannot be asked.
        return None;
    }
    let kind = player.and_then(|player| kind_of(player, name));
    let table = sink.table(&entry.node, &key)?;
    let mut inner = Reader::new(table, &entry.key_origin, &key, sink);
    let domain = read_domain(&mut inner, name, kind, player);
    inner.finish();
    Some(Parameter { name: name.clone(), domain: domain? })
}

fn read_domain(
    reader: &mut Reader<'_>,
    name: &str,
    kind: Option<spec::Kind>,
    player: Option<&PlayerSpec>,
) -> Option<Domain> {
    let entry = reader.required("type", "`integer`, `real` or `category`");
    let found = entry.and_then(|entry| reader.sink.choice(&entry.node, &reader.path("type"), "type", &TYPES));
    let Some(found) = found else {
        for key in ["min", "max", "scale", "values"] {
            reader.optional(key);
        }
        return None;
    };
    if let (Some(kind), Some(entry), Some(fits)) = (kind, entry, kind.and_then(|kind| misfit(kind, found))) {
        let reason = format!("`{name}` takes {kind}: its type is {fits}");
        let fault = spec::Fault::Conflict { key: name.to_owned(), reason };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, &reader.path("type"), None);
        for key in ["min", "max", "scale", "values"] {
            reader.optional(key);
        }
        return None;
    }
    match found {
        Type::Category => {
            for key in ["min", "max", "scale"] {
                reader.without_effect(key, "the type is `category`");
            }
            read_values(reader, name, player).map(|values| Domain::Category { values })
        }
        Type::Integer => {
            reader.without_effect("values", "the type is `integer`");
            let range = match kind {
                Some(spec::Kind::Int(low, high)) => low.max(-WHOLE_MAX)..=high.min(WHOLE_MAX),
                // Casting saturates.
                Some(spec::Kind::Real(low, high)) => {
                    (low.ceil() as i64).max(-WHOLE_MAX)..=(high.floor() as i64).min(WHOLE_MAX)
                }
                _ => -WHOLE_MAX..=WHOLE_MAX,
            };
            let range = i128::from(*range.start())..=i128::from(*range.end());
            let (min, max) = (read_whole(reader, "min", &range), read_whole(reader, "max", &range));
            let scale = read_scale(reader, min.map(|min| min >= 1));
            let (min, max) = (min?, max?);
            is_range(reader, &min, &max, range.end()).then_some(())?;
            Some(Domain::Integer { min: i64::try_from(min).ok()?, max: i64::try_from(max).ok()?, scale: scale? })
        }
        Type::Real => {
            reader.without_effect("values", "the type is `real`");
            let range = match kind {
                Some(spec::Kind::Real(low, high)) => low.max(-REAL_MAX)..=high.min(REAL_MAX),
                _ => -REAL_MAX..=REAL_MAX,
            };
            let (min, max) = (read_number(reader, "min", &range), read_number(reader, "max", &range));
            let scale = read_scale(reader, min.map(|min| min > 0.0));
            let (min, max) = (min?, max?);
            is_range(reader, &min, &max, range.end()).then_some(())?;
            Some(Domain::Real { min, max, scale: scale? })
        }
    }
}

/// What a parameter's type must be, where it cannot be `found`.
fn misfit(kind: spec::Kind, found: Type) -> Option<&'static str> {
    match (kind, found) {
        (_, Type::Category) | (spec::Kind::Int(..), Type::Integer) => None,
        (spec::Kind::Real(..), Type::Real | Type::Integer) => None,
        (spec::Kind::Int(..), Type::Real) => Some("`integer` or `category`"),
        (spec::Kind::Bool | spec::Kind::Choice(_) | spec::Kind::Text(_) | spec::Kind::Artifact(_), _) => {
            Some("`category`")
        }
    }
}

fn read_whole(reader: &mut Reader<'_>, key: &'static str, range: &RangeInclusive<i128>) -> Option<i128> {
    let entry = reader.required(key, "a whole number")?;
    reader.sink.int(&entry.node, &reader.path(key), range.clone())
}

fn read_number(reader: &mut Reader<'_>, key: &'static str, range: &RangeInclusive<f64>) -> Option<f64> {
    reader.required(key, "a number")?;
    reader.real(key, range.clone())?
}

/// Key `scale`. A logarithmic one needs numbers that have a logarithm.
fn read_scale(reader: &mut Reader<'_>, is_above_0: Option<bool>) -> Option<Scale> {
    let Some(entry) = reader.optional("scale") else { return Some(Scale::Linear) };
    let key = reader.path("scale");
    let scale = reader.sink.choice(&entry.node, &key, "scale", &Scale::NAMES)?;
    if scale == Scale::Log && is_above_0 == Some(false) {
        let reason = "a logarithmic scale begins above 0: raise `min`".to_owned();
        let fault = spec::Fault::Conflict { key: "scale".to_owned(), reason };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, &key, None);
        return None;
    }
    Some(scale)
}

/// Tells of a maximum that is not above the minimum.
fn is_range<T: PartialOrd + ToString>(reader: &mut Reader<'_>, min: &T, max: &T, most: &T) -> bool {
    if min < max {
        return true;
    }
    if let Some(entry) = reader.optional("max") {
        let (low, high) = (format!("above {}", min.to_string()), most.to_string());
        let kind = FaultKind::OutOfRange { value: max.to_string(), low, high };
        reader.sink.push(kind, &entry.node.origin, &reader.path("max"), None);
    }
    false
}

/// Key `values`: at least two that are different.
fn read_values(reader: &mut Reader<'_>, name: &str, player: Option<&PlayerSpec>) -> Option<Vec<spec::Value>> {
    let entry = reader.required("values", "a list of what it may be")?;
    let (sink, key) = (reader.sink, reader.path("values"));
    let nodes = sink.list(&entry.node, &key)?;
    if nodes.len() < 2 {
        let kind = FaultKind::TooFew { what: "values", needed: 2, found: nodes.len() };
        sink.push(kind, &entry.node.origin, &key, None);
        return None;
    }
    let mut values: Vec<spec::Value> = Vec::new();
    let mut whole = true;
    for (i, node) in nodes.iter().enumerate() {
        let key = format!("{key}[{i}]");
        let Some(value) = read_value(node, &key, sink) else {
            whole = false;
            continue;
        };
        if let Some(earlier) = values.iter().position(|other| other.to_string() == value.to_string()) {
            let kind = FaultKind::DuplicateName { name: value.to_string(), line: sink.line(&nodes[earlier].origin) };
            sink.push(kind, &node.origin, &key, None);
            whole = false;
        } else if let Some(fault) = player.and_then(|player| refused(player, name, &value)) {
            sink.push(FaultKind::Spec(fault), &node.origin, &key, None);
            whole = false;
        }
        values.push(value);
    }
    whole.then_some(values)
}

fn read_value(node: &Node, key: &str, sink: &Sink<'_>) -> Option<spec::Value> {
    match &node.data {
        Data::Text(text) => Some(spec::Value::Text(text.clone())),
        Data::Bool(truth) => Some(spec::Value::Bool(*truth)),
        Data::Real(value) if value.is_finite() => Some(spec::Value::Real(*value)),
        Data::Int(_) => {
            let value = sink.int(node, key, i64::MIN.into()..=i64::MAX.into())?;
            i64::try_from(value).ok().map(spec::Value::Int)
        }
        _ => {
            sink.wrong_type(node, key, "a text, a finite number or a truth value", None);
            None
        }
    }
}

/// Why a parameter cannot be `value` at all. What it cannot be beside others shows when whole candidates are checked.
fn refused(player: &PlayerSpec, name: &str, value: &spec::Value) -> Option<spec::Fault> {
    let mut given = spec::parse(&player.to_string()).ok()?;
    given.params.retain(|(param, _)| param != name);
    given.params.push((name.to_owned(), value.clone()));
    let faults = PlayerSpec::check(&given).err()?;
    faults.into_iter().find(|fault| matches!(fault, spec::Fault::Misfit { key, .. } if key == name))
}

/// What a parameter of a player takes.
fn kind_of(player: &PlayerSpec, name: &str) -> Option<spec::Kind> {
    player.entry().param(name).map(|param| param.kind)
}
