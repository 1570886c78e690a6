//! Grids over parameters: players that differ in numbers alone, each against the same opponents.

use std::collections::{BTreeMap, BTreeSet};

use super::{Grid, PairGames, turns::Turns};

/// A grid over parameters of one kind of player.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axes {
    /// The parameters that differ, by name.
    pub(crate) all: Vec<Axis>,
    /// Whom the settings meet, by name.
    pub(crate) opponents: Vec<String>,
    /// Place of each pair of the grid: of its level on each axis, and of its opponent.
    places: Vec<(Vec<usize>, usize)>,
}

/// A parameter that differs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Its name in specs: `playouts`.
    pub(crate) name: String,
    /// Its values, ascending.
    pub(crate) levels: Vec<f64>,
}

/// A player's spec, its parameters by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) parameters: BTreeMap<String, String>,
}

impl Setting {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let given = spec::parse(text).ok()?;
        let parameters = given.params.into_iter().map(|(key, value)| (key, value.to_string())).collect();
        Some(Setting { name: given.name, parameters })
    }
}

impl Axis {
    /// A level for people.
    pub(crate) fn label(&self, level: usize) -> String {
        format!("{} = {}", self.name, self.levels[level])
    }
}

impl Axes {
    /// The axes of a grid; `None` where first players are not settings of one kind that differ in numbers alone, or
    /// meet one another.
    pub(crate) fn of(grid: &Grid) -> Option<Self> {
        let seconds: BTreeSet<&str> = grid.pairs.iter().map(|pair| pair.b.as_str()).collect();
        if grid.pairs.iter().any(|pair| seconds.contains(pair.a.as_str())) {
            return None;
        }
        let spec = |pair: &PairGames| Setting::parse(grid.meta.pairs.specs.get(&pair.a)?);
        let specs: Vec<Setting> = grid.pairs.iter().map(spec).collect::<Option<_>>()?;
        let first = specs.first()?;
        let is_sibling = |spec: &Setting| spec.name == first.name && spec.parameters.keys().eq(first.parameters.keys());
        if !specs.iter().all(is_sibling) {
            return None;
        }
        let differs = |key: &&String| specs.iter().any(|spec| spec.parameters[*key] != first.parameters[*key]);
        let axis = |key: &String| {
            let values: Option<Vec<f64>> = specs.iter().map(|spec| spec.parameters[key].parse().ok()).collect();
            let mut levels = values.filter(|values| values.iter().all(|value| value.is_finite()))?;
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            Some(Axis { name: key.clone(), levels })
        };
        let all: Vec<Axis> = first.parameters.keys().filter(differs).map(axis).collect::<Option<_>>()?;
        let opponents: Vec<String> = seconds.into_iter().map(str::to_owned).collect();
        let level = |spec: &Setting, axis: &Axis| {
            let value: f64 = spec.parameters[&axis.name].parse().ok()?;
            axis.levels.iter().position(|level| *level == value)
        };
        let place = |(pair, spec): (&PairGames, &Setting)| {
            let levels = all.iter().map(|axis| level(spec, axis)).collect::<Option<_>>()?;
            Some((levels, opponents.iter().position(|opponent| *opponent == pair.b)?))
        };
        let places = grid.pairs.iter().zip(&specs).map(place).collect::<Option<_>>()?;
        (!all.is_empty()).then_some(Axes { all, opponents, places })
    }

    /// The pairs of a grid against one opponent at one level of one axis.
    pub(crate) fn at<'a>(
        &'a self,
        grid: &'a Grid,
        opponent: usize,
        axis: usize,
        level: usize,
    ) -> impl Iterator<Item = &'a PairGames> {
        self.against(grid, opponent).filter(move |(_, levels)| levels[axis] == level).map(|(pair, _)| pair)
    }

    /// The pairs of a grid against one opponent, and their levels on each axis.
    pub(crate) fn against<'a>(
        &'a self,
        grid: &'a Grid,
        opponent: usize,
    ) -> impl Iterator<Item = (&'a PairGames, &'a [usize])> {
        let places = grid.pairs.iter().zip(&self.places).filter(move |(_, (_, place))| *place == opponent);
        places.map(|(pair, (levels, _))| (pair, levels.as_slice()))
    }

    /// The values of a pair's parameters, in the order of the axes.
    pub(crate) fn values(&self, levels: &[usize]) -> Vec<f64> {
        self.all.iter().zip(levels).map(|(axis, level)| axis.levels[*level]).collect()
    }

    /// The parameter, by its place, whose values differ most in the time that a decision took.
    pub(crate) fn slowest(&self, grid: &Grid) -> Option<usize> {
        let span = |along: usize| {
            let mean = |level: usize| {
                let pairs = (0..self.opponents.len()).flat_map(|opponent| self.at(grid, opponent, along, level));
                Turns::sum(pairs.map(|pair| &pair.turns[0])).moments().mean().unwrap_or_default()
            };
            let means: Vec<f64> = (0..self.all[along].levels.len()).map(mean).filter(|mean| *mean > 0.0).collect();
            means.iter().copied().fold(0.0, f64::max) / means.iter().copied().fold(f64::INFINITY, f64::min)
        };
        (0..self.all.len()).max_by(|one, other| span(*one).total_cmp(&span(*other)))
    }
}
