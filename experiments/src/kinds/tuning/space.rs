//! What is tuned: parameters of a player with their types and bounds, and the players between them.

use std::collections::BTreeMap;

use games::{GameSpec, Seed, purpose};
use gp::Random as _;
use players::{PlayerSpec, TrialRng};
use record::facts;
use serde_json::{Value as Json, json};

/// Values of a candidate, in the order of the parameters.
pub(super) type Values = Vec<spec::Value>;

/// How numbers are spread over their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Equal differences are equal steps.
    Linear,
    /// Equal ratios are equal steps; numbers are above 0.
    Log,
}

impl Scale {
    /// Name in files, and scale.
    pub(super) const NAMES: [(&str, Scale); 2] = [("linear", Scale::Linear), ("log", Scale::Log)];

    fn name(self) -> &'static str {
        if self == Scale::Linear { "linear" } else { "log" }
    }

    fn of(self, x: f64) -> f64 {
        if self == Scale::Linear { x } else { libm::log(x) }
    }

    fn back(self, x: f64) -> f64 {
        if self == Scale::Linear { x } else { libm::exp(x) }
    }
}

/// Values that a parameter may take.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Domain {
    /// Whole numbers from `min` to `max`.
    Integer { min: i64, max: i64, scale: Scale },
    /// Numbers from `min` to `max`.
    Real { min: f64, max: f64, scale: Scale },
    /// One of these, without an order; at least two.
    Category { values: Vec<spec::Value> },
}

impl Domain {
    /// Scale and ends of a range of numbers. A whole number is the cell of width 1 around it, so that the ends of a
    /// range are drawn as often as what is between.
    fn ends(&self) -> Option<(Scale, f64, f64)> {
        match *self {
            Domain::Integer { min, max, scale } => Some((scale, min as f64 - 0.5, max as f64 + 0.5)),
            Domain::Real { min, max, scale } => Some((scale, min, max)),
            Domain::Category { .. } => None,
        }
    }

    /// Where a number stands in its range, on its scale: from 0 to 1. `None` for a value that is not a number.
    pub(super) fn place(&self, value: &spec::Value) -> Option<f64> {
        let (scale, low, high) = self.ends()?;
        let value = match value {
            spec::Value::Int(value) => *value as f64,
            spec::Value::Real(value) => *value,
            _ => return None,
        };
        let (low, high) = (scale.of(low), scale.of(high));
        // The ends of a short range may have one logarithm.
        if high <= low {
            return Some(0.0);
        }
        Some(((scale.of(value) - low) / (high - low)).clamp(0.0, 1.0))
    }

    /// The number at a place from 0 to 1 of its range.
    ///
    /// # Panics
    /// For a category.
    pub(super) fn at(&self, place: f64) -> spec::Value {
        let (scale, low, high) = self.ends().expect("a range of numbers");
        let (from, to) = (scale.of(low), scale.of(high));
        let value = scale.back(from + place * (to - from));
        match *self {
            // A cell's upper end belongs to the next.
            Domain::Integer { min, max, .. } => spec::Value::Int(((value + 0.5).floor() as i64).clamp(min, max)),
            Domain::Real { min, max, .. } => spec::Value::Real(value.clamp(min, max)),
            Domain::Category { .. } => unreachable!("it has no ends"),
        }
    }

    /// A value, each as likely as another on its scale.
    pub(super) fn draw(&self, draws: &mut TrialRng) -> spec::Value {
        match self {
            Domain::Category { values } => values[draws.index(values.len())].clone(),
            _ => self.at(draws.unit()),
        }
    }

    /// Whether a value is one of these.
    pub(super) fn contains(&self, value: &spec::Value) -> bool {
        match (self, value) {
            (Domain::Integer { min, max, .. }, spec::Value::Int(value)) => (min..=max).contains(&value),
            (Domain::Real { min, max, .. }, spec::Value::Real(value)) => (min..=max).contains(&value),
            (Domain::Category { values }, value) => values.contains(value),
            _ => false,
        }
    }

    /// The nearest of these to a number; another value stays what it is.
    pub(super) fn nearest(&self, value: spec::Value) -> spec::Value {
        match (self, value) {
            (Domain::Integer { min, max, .. }, spec::Value::Int(value)) => spec::Value::Int(value.clamp(*min, *max)),
            (Domain::Real { min, max, .. }, spec::Value::Real(value)) => spec::Value::Real(value.clamp(*min, *max)),
            (_, value) => value,
        }
    }

    /// The values at its ends; of categories all.
    fn extremes(&self) -> Vec<spec::Value> {
        match self {
            Domain::Integer { min, max, .. } => vec![spec::Value::Int(*min), spec::Value::Int(*max)],
            Domain::Real { min, max, .. } => vec![spec::Value::Real(*min), spec::Value::Real(*max)],
            Domain::Category { values } => values.clone(),
        }
    }

    /// The value that a JSON value is, if it is one of these. A whole number may be out of bounds: a mutation of version
    /// 0.1.0 left those that are not above 0, and a run that holds such a candidate goes on. None of its children does.
    fn read(&self, json: &Json) -> Option<spec::Value> {
        let value = match self {
            Domain::Integer { .. } => return Some(spec::Value::Int(json.as_i64()?)),
            Domain::Real { .. } => spec::Value::Real(json.as_f64()?),
            Domain::Category { values } => values.iter().find(|value| to_json(value) == *json)?.clone(),
        };
        self.contains(&value).then_some(value)
    }
}

/// A value as JSON.
fn to_json(value: &spec::Value) -> Json {
    match value {
        spec::Value::Int(value) => json!(value),
        spec::Value::Real(value) => json!(value),
        spec::Value::Bool(value) => json!(value),
        spec::Value::Text(value) | spec::Value::Artifact(value) => json!(value),
    }
}

/// A parameter that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    /// Its name in the player's spec.
    pub(super) name: String,
    pub(super) domain: Domain,
}

/// The players that can be had: one whose parameters take other values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Space {
    /// Its own values are the defaults.
    pub(super) player: PlayerSpec,
    pub(super) parameters: Vec<Parameter>,
}

/// Combinations of extremes that are all tried; of more, each parameter's alone.
const CORNERS_MAX: usize = 4_096;
/// Candidates that are tried beside the corners.
const PROBES: u64 = 256;

impl Space {
    /// The player with these values.
    pub(super) fn spec(&self, values: &[spec::Value]) -> Result<PlayerSpec, Vec<spec::Fault>> {
        let mut given = spec::parse(&self.player.to_string()).map_err(|fault| vec![fault])?;
        for (parameter, value) in self.parameters.iter().zip(values) {
            given.params.retain(|(name, _)| *name != parameter.name);
            given.params.push((parameter.name.clone(), value.clone()));
        }
        PlayerSpec::check(&given)
    }

    /// Whether these are values of a candidate: as many as there are parameters, each one that its may take.
    pub(super) fn contains(&self, values: &[spec::Value]) -> bool {
        let fits = |(parameter, value): (&Parameter, &spec::Value)| parameter.domain.contains(value);
        values.len() == self.parameters.len() && self.parameters.iter().zip(values).all(fits)
    }

    /// The candidate with the nearest values.
    pub(super) fn nearest(&self, values: Values) -> Values {
        self.parameters.iter().zip(values).map(|(parameter, value)| parameter.domain.nearest(value)).collect()
    }

    /// A candidate, any as likely as another.
    pub(super) fn draw(&self, draws: &mut TrialRng) -> Values {
        self.parameters.iter().map(|parameter| parameter.domain.draw(draws)).collect()
    }

    /// Candidates that show whether all can play: the corners, where limits between parameters are met first, and some
    /// from inside, for rules that no corner breaks.
    fn probes(&self) -> Vec<Values> {
        let extremes: Vec<_> = self.parameters.iter().map(|parameter| parameter.domain.extremes()).collect();
        let corners = extremes.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()));
        let mut probes = vec![Values::new()];
        if corners.is_some_and(|corners| corners <= CORNERS_MAX) {
            for values in &extremes {
                let longer = |probe: &Values| -> Vec<Values> {
                    values.iter().map(|value| probe.iter().chain([value]).cloned().collect()).collect()
                };
                probes = probes.iter().flat_map(longer).collect();
            }
        } else {
            let least: Values = extremes.iter().map(|values| values[0].clone()).collect();
            let most: Values = extremes.iter().map(|values| values[values.len() - 1].clone()).collect();
            let turned = |from: &Values, index: usize, value: &spec::Value| {
                let mut probe = from.clone();
                probe[index] = value.clone();
                probe
            };
            let each = extremes.iter().enumerate().flat_map(|(i, values)| values.iter().map(move |value| (i, value)));
            probes = each.flat_map(|(i, value)| [turned(&least, i, value), turned(&most, i, value)]).collect();
        }
        let mut draws = TrialRng(Seed::derive(0, 0, 0, purpose::TUNING_PROBES).rng());
        probes.extend((0..PROBES).map(|_| self.draw(&mut draws)));
        probes
    }

    /// Checks that every candidate is a player of `game`; gives whether all of them are reproducible.
    ///
    /// # Errors
    /// A candidate that is none, and why.
    pub(super) fn check(&self, game: &GameSpec) -> Result<bool, String> {
        let mut reproducible = true;
        for values in self.probes() {
            let wrong = |fault: &spec::Fault| format!("no candidate may have {}: {fault}", self.show(&values));
            let spec = self.spec(&values).map_err(|faults| wrong(&faults[0]))?;
            spec.check_game(game).map_err(|fault| wrong(&fault))?;
            reproducible &= spec.reproducible();
        }
        Ok(reproducible)
    }

    /// For people: `playouts 410, p 1.72`.
    pub(super) fn show(&self, values: &[spec::Value]) -> String {
        let shown = self.parameters.iter().zip(values).map(|(parameter, value)| match value {
            spec::Value::Real(value) => format!("{} {}", parameter.name, short(*value)),
            value => format!("{} {value}", parameter.name),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// By name.
    pub(super) fn to_json(&self, values: &[spec::Value]) -> BTreeMap<String, Json> {
        self.parameters.iter().zip(values).map(|(parameter, value)| (parameter.name.clone(), to_json(value))).collect()
    }

    /// What [`Space::to_json`] wrote; `None` if the values are not a candidate's.
    pub(super) fn read(&self, json: &BTreeMap<String, Json>) -> Option<Values> {
        let values = self.parameters.iter().map(|parameter| parameter.domain.read(json.get(&parameter.name)?));
        values.collect::<Option<Values>>().filter(|values| values.len() == json.len())
    }

    /// The player's own values, by name; null where it has none.
    pub(super) fn defaults(&self) -> BTreeMap<String, Json> {
        let given = spec::parse(&self.player.to_string()).map_or_else(|_| Vec::new(), |given| given.params);
        let own = |parameter: &Parameter| {
            let text = given.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| value.to_string())?;
            Some(match &parameter.domain {
                Domain::Integer { .. } => json!(text.parse::<i64>().ok()?),
                Domain::Real { .. } => {
                    text.parse::<f64>().ok().filter(|v| v.is_finite()).map_or(json!(text), |v| json!(v))
                }
                Domain::Category { values } => {
                    values.iter().find(|value| value.to_string() == text).map_or(json!(text), to_json)
                }
            })
        };
        self.parameters.iter().map(|parameter| (parameter.name.clone(), own(parameter).unwrap_or(Json::Null))).collect()
    }

    /// What is tuned, for the facts of a stage.
    pub(super) fn facts(&self) -> Vec<facts::Parameter> {
        let domain = |domain: &Domain| match domain {
            Domain::Integer { min, max, scale } => {
                facts::Domain::Integer { min: *min, max: *max, scale: Some(scale.name().to_owned()) }
            }
            Domain::Real { min, max, scale } => {
                facts::Domain::Real { min: *min, max: *max, scale: Some(scale.name().to_owned()) }
            }
            Domain::Category { values } => facts::Domain::Category { values: values.iter().map(to_json).collect() },
        };
        let parameter = |p: &Parameter| facts::Parameter { name: p.name.clone(), domain: domain(&p.domain) };
        self.parameters.iter().map(parameter).collect()
    }

    /// Appends the tables of the parameters, as TOML.
    pub(super) fn write(&self, text: &mut String) {
        let toml = |value: &spec::Value| match value {
            spec::Value::Text(value) => crate::quoted::quoted(value),
            spec::Value::Real(value) => format!("{value:?}"),
            value => value.to_string(),
        };
        for Parameter { name, domain } in &self.parameters {
            text.push_str(&format!("\n[tuning.parameters.{name}]\n"));
            let numbers = |kind: &str, min: String, max: String, scale: Scale| {
                format!("type = \"{kind}\"\nmin = {min}\nmax = {max}\nscale = \"{}\"\n", scale.name())
            };
            text.push_str(&match domain {
                Domain::Integer { min, max, scale } => numbers("integer", min.to_string(), max.to_string(), *scale),
                Domain::Real { min, max, scale } => numbers("real", format!("{min:?}"), format!("{max:?}"), *scale),
                Domain::Category { values } => {
                    let values = values.iter().map(toml).collect::<Vec<_>>().join(", ");
                    format!("type = \"category\"\nvalues = [{values}]\n")
                }
            });
        }
    }
}

/// A number in a few digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (0.01..1e6).contains(&size) {
        let digits = format!("{value:.3}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(min: i64, max: i64, scale: Scale) -> Domain {
        Domain::Integer { min, max, scale }
    }

    /// Share of draws by value, against the width of each value's cell.
    #[track_caller]
    fn check_shares(domain: &Domain, expected: &[f64]) {
        let mut draws = TrialRng(Seed::derive(1, 0, 0, "test").rng());
        let mut found = vec![0u32; expected.len()];
        for _ in 0..40_000 {
            let spec::Value::Int(value) = domain.draw(&mut draws) else { panic!("a whole number") };
            found[usize::try_from(value - 1).expect("from 1 on")] += 1;
        }
        for (found, expected) in found.iter().zip(expected) {
            // Standard error below 0.0025.
            assert!((f64::from(*found) / 40_000.0 - expected).abs() < 0.01, "{found} of 40000, not {expected}");
        }
    }

    #[test]
    fn whole_numbers_are_drawn_evenly_on_their_scale() {
        check_shares(&integer(1, 5, Scale::Linear), &[0.2; 5]);
        // ln((v + 1/2) / (v - 1/2)) / ln 7 for 1, 2 and 3, by hand.
        check_shares(&integer(1, 3, Scale::Log), &[0.564_575, 0.262_513, 0.172_912]);
    }

    #[test]
    fn places_lead_back_to_their_values() {
        for (domain, values) in [
            (integer(-3, 9, Scale::Linear), (-3..=9).map(spec::Value::Int).collect::<Vec<_>>()),
            (integer(1, 5000, Scale::Log), [1, 2, 3, 70, 4999, 5000].map(spec::Value::Int).to_vec()),
            (
                Domain::Real { min: 0.0, max: 4.0, scale: Scale::Linear },
                [0.0, 0.5, 4.0].map(spec::Value::Real).to_vec(),
            ),
        ] {
            for value in values {
                let place = domain.place(&value).expect("a number");
                assert!((0.0..=1.0).contains(&place));
                assert_eq!(domain.at(place), value);
            }
        }
        // The middle of a range on a logarithmic scale is the geometric mean of its ends.
        let log = Domain::Real { min: 0.01, max: 100.0, scale: Scale::Log };
        let spec::Value::Real(middle) = log.at(0.5) else { panic!("a number") };
        assert!((middle - 1.0).abs() < 1e-12, "{middle}");
        assert_eq!((log.at(0.0), log.at(1.0)), (spec::Value::Real(0.01), spec::Value::Real(100.0)));
    }

    #[test]
    fn numbers_are_shown_in_a_few_digits() {
        for (value, shown) in [(1.7234, "1.723"), (2.0, "2"), (0.5, "0.5"), (0.0, "0"), (1.5e-4, "1.50e-4")] {
            assert_eq!(short(value), shown);
        }
    }
}
