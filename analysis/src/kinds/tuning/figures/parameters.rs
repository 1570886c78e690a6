//! Where a tuning searched: the values of its candidates over generations, a panel a parameter.

use std::collections::BTreeMap;

use record::facts::{Domain, Parameter};
use serde_json::Value;

use crate::{
    forms::figure::{Chart, GENERATION, Look, Panel, Scale, Series, point},
    kinds::tuning::{
        Generation, Tuning,
        domain::{Numbers, place, text},
    },
};

/// Whole numbers up to so many are levels, on which candidates would cover one another.
const LEVELS_MAX: f64 = 8.0;
/// Widest spread of the candidates on one level, and distance between two of them; shares of the distance of levels.
const LEVEL_WIDTH: f64 = 0.7;
const LEVEL_STEP: f64 = 0.08;

/// Beyond the ends of a domain, as a share of its length: points at an end would be cut in half.
const MARGIN: f64 = 0.03;

/// Each candidate as a point, the leader's value as a line, the player's own as a level.
pub(crate) fn chart(tuning: &Tuning) -> Chart {
    let panels = tuning.facts.parameters.iter().map(|parameter| panel(tuning, parameter));
    Chart { name: "parameters".into(), panels: panels.collect() }
}

fn panel(tuning: &Tuning, parameter: &Parameter) -> Panel {
    let Axis { scale, range, zero } = Axis::of(&parameter.domain);
    let value = |values: &BTreeMap<String, Value>| {
        let place = place(&parameter.domain, values.get(&parameter.name)?)?;
        Some(place - zero)
    };
    let generations = &tuning.generations;
    let leader = generations.iter().filter_map(|g| Some(point(g.number.into(), value(&g.leader.values)?))).collect();
    let candidates = |generation: &Generation| {
        let places: Vec<f64> = generation.candidates.iter().filter_map(|candidate| value(&candidate.values)).collect();
        let places = if matches!(scale, Scale::Levels(_)) { spread(&places) } else { places };
        let number = f64::from(generation.number);
        places.into_iter().map(move |place| point(number, place))
    };
    let candidates = generations.iter().flat_map(candidates).collect();
    Panel {
        title: parameter.name.clone(),
        x: GENERATION.to_owned(),
        y: if scale == Scale::Log { "value, log scale" } else { "value" }.to_owned(),
        x_scale: Scale::Linear,
        y_range: Some(range),
        y_scale: scale,
        y_step: None,
        // The defaults may lie outside of the domain that is searched.
        level: value(&tuning.facts.defaults)
            .filter(|place| (range.0..=range.1).contains(place))
            .map(|place| (place, "defaults")),
        series: vec![
            Series { name: "a candidate".into(), colour: 0, look: Look::Points, points: candidates },
            Series { name: "leader".into(), colour: 1, look: Look::Line, points: leader },
        ],
    }
}

/// How a parameter stands on an axis.
#[derive(Debug, PartialEq)]
struct Axis {
    scale: Scale,
    range: (f64, f64),
    /// The value that is drawn at 0.
    zero: f64,
}

impl Axis {
    fn of(domain: &Domain) -> Self {
        let levels = |names: Vec<String>, zero| {
            let range = (-0.5, names.len() as f64 - 0.5);
            Axis { scale: Scale::Levels(names), range, zero }
        };
        let Some(Numbers { whole, min, max, log }) = Numbers::of(domain) else {
            let Domain::Category { values } = domain else { unreachable!("a domain without numbers has categories") };
            return levels(values.iter().map(text).collect(), 0.0);
        };
        if whole && !log && max - min < LEVELS_MAX {
            return levels((min as i64..=max as i64).map(|level| level.to_string()).collect(), min);
        }
        if log {
            // Not of max / min, which may be beyond the range of doubles.
            let room = (MARGIN * (max.ln() - min.ln())).exp();
            return Axis { scale: Scale::Log, range: (min / room, max * room), zero: 0.0 };
        }
        let room = MARGIN * max - MARGIN * min;
        Axis { scale: Scale::Linear, range: (min - room, max + room), zero: 0.0 }
    }
}

/// Equal places moved apart, about where they were: as many points are seen as there are.
fn spread(places: &[f64]) -> Vec<f64> {
    let same = |place: f64| places.iter().filter(move |other| **other == place).count();
    let before = |i: usize| places[..i].iter().filter(|other| **other == places[i]).count();
    let moved = |(i, &place): (usize, &f64)| {
        let among = same(place) as f64 - 1.0;
        let step = if among > 0.0 { LEVEL_STEP.min(LEVEL_WIDTH / among) } else { 0.0 };
        place + step * (before(i) as f64 - 0.5 * among)
    };
    places.iter().enumerate().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_are_moved_apart() {
        assert_eq!(spread(&[1.0, 0.0, 1.0]), [0.96, 0.0, 1.04]);
        let many = spread(&[2.0; 36]);
        assert!((many[0] - 1.65).abs() < 1e-12 && (many[35] - 2.35).abs() < 1e-12, "{many:?}");
    }

    #[test]
    fn few_whole_numbers_are_levels() {
        let scale = |log: bool| Some(if log { "log" } else { "linear" }.to_owned());
        let number = |whole, max: f64, log| {
            Axis::of(&match whole {
                true => Domain::Integer { min: 2, max: max as i64, scale: scale(log) },
                false => Domain::Real { min: 2.0, max, scale: scale(log) },
            })
        };
        let names = ["2", "3", "4"].map(str::to_owned).to_vec();
        assert_eq!(number(true, 4.0, false), Axis { scale: Scale::Levels(names), range: (-0.5, 2.5), zero: 2.0 });
        assert_eq!(number(true, 10.0, false), Axis { scale: Scale::Linear, range: (1.76, 10.24), zero: 0.0 });
        let two = 2f64.powf(0.03);
        let log = number(true, 4.0, true);
        assert_eq!((log.scale, log.zero), (Scale::Log, 0.0));
        assert!((log.range.0 - 2.0 / two).abs() < 1e-12 && (log.range.1 - 4.0 * two).abs() < 1e-12, "{:?}", log.range);
        assert_eq!(number(false, 4.0, false).scale, Scale::Linear);
        let tiny = Axis::of(&Domain::Real { min: 2.3e-308, max: 5.0, scale: scale(true) });
        assert!(tiny.range.0 < 2.3e-308 && tiny.range.1 > 5.0 && tiny.range.1 < 1e12, "{:?}", tiny.range);
        let widest = Axis::of(&Domain::Real { min: f64::MIN, max: f64::MAX, scale: None });
        assert!(widest.range.0 < widest.range.1, "{:?}", widest.range);
    }
}
