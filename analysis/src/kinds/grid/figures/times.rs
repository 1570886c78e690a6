//! What decisions took: by parameter, by turn, and how times are distributed (figures 1 to 4 of the Checkers report).

use std::collections::BTreeSet;

use crate::{
    forms::figure::{
        Boxes, Chart, Counted, Distribution, Group, Histograms, LeftOut, Look, Panel, Point, Scale, Series, Spread,
    },
    kinds::grid::{Grid, PairGames, axes::Axes, turns::Turns},
    statistics::{CONFIDENCE, interval, moments::Moments},
};

/// Number of quantiles that represent a group.
const SAMPLE: usize = 1_000;
/// A turn with fewer decisions is left out.
const DECISIONS_MIN: u64 = 10;
/// A figure with more panels than this is not drawn.
const PANELS_MAX: usize = 12;
/// More figures of one kind than this are left to the tables.
const FIGURES_MAX: usize = 12;
/// Players in one panel; the colours of more could not be distinguished.
const PLAYERS_MAX: usize = 7;

/// Microseconds in a millisecond.
const MS: f64 = 1e-3;

/// Times of a decision by each parameter that differs, a panel for each level of the others.
pub(crate) fn by_parameter(grid: &Grid, axes: &Axes) -> Vec<Result<Boxes, LeftOut>> {
    let asked = axes.opponents.len() * axes.all.len();
    if asked > FIGURES_MAX {
        return vec![Err(LeftOut::too_many("times-by", asked, "pictures, one a parameter and opponent", FIGURES_MAX))];
    }
    let figures = (0..axes.opponents.len()).flat_map(|opponent| (0..axes.all.len()).map(move |axis| (opponent, axis)));
    figures.map(|(opponent, axis)| boxes(grid, axes, opponent, axis)).collect()
}

fn boxes(grid: &Grid, axes: &Axes, opponent: usize, along: usize) -> Result<Boxes, LeftOut> {
    let mut panels: Vec<(Vec<usize>, Distribution)> = Vec::new();
    for (pair, levels) in axes.against(grid, opponent) {
        let mut others = levels.to_vec();
        let level = others.remove(along);
        let at = panels.iter().position(|(known, _)| *known == others).unwrap_or_else(|| {
            let names = axes.all.iter().enumerate().filter(|(axis, _)| *axis != along);
            let title: Vec<String> = names.zip(&others).map(|((_, axis), level)| axis.label(*level)).collect();
            panels.push((others, Distribution { title: title.join(", "), level: None, groups: Vec::new() }));
            panels.len() - 1
        });
        let values = pair.turns[0].sample(SAMPLE).iter().map(|us| us * MS).collect();
        panels[at].1.groups.push(Group { name: axes.all[along].levels[level].to_string(), values });
    }
    panels.sort_by(|one, other| one.0.cmp(&other.0));
    for (_, panel) in &mut panels {
        let value = |group: &Group| group.name.parse().unwrap_or(f64::NAN);
        panel.groups.sort_by(|one, other| value(one).total_cmp(&value(other)));
    }
    let axis = &axes.all[along];
    let name = named(axes, opponent, &format!("times-by-{}", axis.name));
    if panels.len() > PANELS_MAX {
        return Err(LeftOut::too_many(&name, panels.len(), "panels", PANELS_MAX));
    }
    Ok(Boxes {
        name,
        title: format!("{}: ms a decision by {}; a box holds the middle half", grid.meta.header.experiment, axis.name),
        x: "ms a decision".to_owned(),
        panels: panels.into_iter().map(|(_, panel)| panel).collect(),
    })
}

/// Mean time of a decision over the player's own turns.
pub(crate) fn by_turn(grid: &Grid, axes: Option<&Axes>) -> Result<Option<Chart>, LeftOut> {
    let series = |(colour, (name, turns)): (usize, &(String, Turns))| {
        let point = |(turn, moments): (usize, Moments)| {
            let moments = moments.scaled(MS);
            let spread = interval::of_mean(&moments, CONFIDENCE);
            let mean = moments.mean().filter(|_| moments.n >= DECISIONS_MIN)?;
            Some(Point { x: turn as f64 + 1.0, y: mean, spread })
        };
        let points = turns.by_turn().enumerate().filter_map(point).collect();
        let look = if colour % 2 == 0 { Look::Line } else { Look::DashedBand };
        Series { name: name.clone(), colour, look, points }
    };
    let panel = |Deciding { title, players }: Deciding| {
        let series: Vec<Series> = players.iter().enumerate().map(series).collect();
        // Times begin at 0; a wide interval of a rare turn need not be seen whole.
        let highest = series.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
        let y_range = (highest > 0.0).then_some((0.0, 1.15 * highest));
        let (x, y) = ("turn of the player".to_owned(), "mean ms a decision, 95 %".to_owned());
        Panel {
            title,
            x,
            x_scale: Scale::Linear,
            y,
            y_range,
            y_scale: Scale::Linear,
            y_step: None,
            level: None,
            series,
        }
    };
    let name = "times-by-turn";
    let panels = panels(name, grid, axes)?.map(|panels| panels.into_iter().map(panel).collect());
    Ok(panels.map(|panels| Chart { name: name.to_owned(), panels }))
}

/// How times are distributed.
pub(crate) fn histogram(grid: &Grid, axes: Option<&Axes>) -> Result<Option<Histograms>, LeftOut> {
    let group = |(name, turns): (String, Turns)| {
        // A clock of whole µs: what took less than one is drawn as a half.
        let values = turns.times().map(|(us, count)| (us.max(0.5) * MS, count)).collect();
        Counted { name, values }
    };
    let panel =
        |Deciding { title, players }: Deciding| Spread { title, groups: players.into_iter().map(group).collect() };
    let name = "times-histogram";
    let panels = panels(name, grid, axes)?.map(|panels| panels.into_iter().map(panel).collect());
    let (x, y) = ("ms a decision".to_owned(), "share of decisions".to_owned());
    Ok(panels.map(|panels| Histograms { name: name.to_owned(), x, y, panels }))
}

/// One panel's players, by name, and what their decisions took.
struct Deciding {
    title: String,
    players: Vec<(String, Turns)>,
}

/// Who decided: a panel a level of the parameter that time follows most; without parameters all in one.
fn panels(figure: &str, grid: &Grid, axes: Option<&Axes>) -> Result<Option<Vec<Deciding>>, LeftOut> {
    let Some(axes) = axes else {
        let seats = || grid.pairs.iter().flat_map(|pair| [(&pair.a, &pair.turns[0]), (&pair.b, &pair.turns[1])]);
        let found = seats().map(|(name, _)| name).collect::<BTreeSet<_>>().len();
        if found > PLAYERS_MAX {
            return Err(LeftOut::too_many(figure, found, "players", PLAYERS_MAX));
        }
        let mut players: Vec<(String, Vec<&Turns>)> = Vec::new();
        for (name, turns) in seats() {
            match players.iter_mut().find(|(known, _)| known == name) {
                Some((_, of)) => of.push(turns),
                None => players.push((name.clone(), vec![turns])),
            }
        }
        let players: Vec<_> = players.into_iter().map(|(name, of)| (name, Turns::sum(of))).collect();
        return Ok(Some(vec![Deciding { title: grid.meta.header.experiment.clone(), players }]));
    };
    let Some(along) = axes.slowest(grid) else { return Ok(None) };
    let axis = &axes.all[along];
    if axis.levels.len() > PANELS_MAX {
        return Err(LeftOut::too_many(figure, axis.levels.len(), "panels", PANELS_MAX));
    }
    if axes.opponents.len() >= PLAYERS_MAX {
        return Err(LeftOut::too_many(figure, axes.opponents.len() + 1, "players in one panel", PLAYERS_MAX));
    }
    let panel = |level: usize| {
        let pairs: Vec<&PairGames> =
            (0..axes.opponents.len()).flat_map(|opponent| axes.at(grid, opponent, along, level)).collect();
        let settings = Turns::sum(pairs.iter().map(|pair| &pair.turns[0]));
        let opponent = |name: &String| {
            let turns = pairs.iter().filter(|pair| pair.b == *name).map(|pair| &pair.turns[1]);
            (name.clone(), Turns::sum(turns))
        };
        let players = [(axis.label(level), settings)].into_iter().chain(axes.opponents.iter().map(opponent)).collect();
        Deciding { title: format!("{}: {}", grid.meta.header.experiment, axis.label(level)), players }
    };
    Ok(Some((0..axis.levels.len()).map(panel).collect()))
}

/// A figure's name, with the opponent's where there are several.
fn named(axes: &Axes, opponent: usize, name: &str) -> String {
    if axes.opponents.len() > 1 { format!("{name}-{}", axes.opponents[opponent]) } else { name.to_owned() }
}
