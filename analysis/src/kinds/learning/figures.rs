//! The figures of a learning.

use super::{Learning, Round, tables::share};
use crate::{
    forms::figure::{Chart, Figures, Look, Panel, Point, Scale, Series, point},
    kinds::grid::figures::of_grid,
};

/// The figures of the closed stages.
pub(crate) fn of_learning(learning: &Learning) -> Figures {
    let mut figures: Figures = [course(learning), tested(learning)].iter().map(Chart::draw).collect();
    if let Some(grid) = &learning.end {
        let Figures { drawn, left_out } = of_grid(grid);
        figures.drawn.extend(drawn);
        figures.left_out.extend(left_out);
    }
    figures
}

fn panel(title: String, y: &str, y_range: Option<(f64, f64)>, series: Vec<Series>) -> Panel {
    Panel {
        title,
        x: "round".to_owned(),
        x_scale: Scale::Linear,
        y: y.to_owned(),
        y_range,
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series,
    }
}

/// Strength and loss over rounds.
fn course(learning: &Learning) -> Chart {
    let of = |value: &dyn Fn(&Round) -> Option<Point>| -> Vec<Point> {
        let placed = |round: &Round| Some(Point { x: round.number.into(), ..value(round)? });
        learning.rounds.iter().filter_map(placed).collect()
    };
    let against = |(colour, opponent): (usize, &str)| Series {
        name: format!("v {opponent}, 95 %"),
        colour,
        look: Look::Line,
        points: of(&|round| {
            let pair = round.against(opponent)?;
            Some(Point { spread: pair.share_interval(), ..point(0.0, pair.share()) })
        }),
    };
    let strength: Vec<Series> = learning.opponents().into_iter().enumerate().map(against).collect();
    let line = |name: &str, colour, look, value: &dyn Fn(&Round) -> Option<f64>| Series {
        name: name.to_owned(),
        colour,
        look,
        points: of(&|round| Some(point(0.0, value(round)?))),
    };
    let last = |round: &Round| round.first()?.epochs.last().copied();
    let loss = vec![
        line("trained on", 0, Look::Line, &|round| Some(last(round)?.loss)),
        line("held out", 1, Look::Dashed, &|round| last(round)?.held_out),
    ];
    let right = vec![line("winner known, held out", 2, Look::Line, &|round| last(round)?.right)];
    let name = &learning.facts.header.experiment;
    let mut panels = Vec::new();
    if !strength.is_empty() {
        let strength = panel(format!("{name}: the new net"), "share of the points", Some((0.0, 1.02)), strength);
        panels.push(Panel { level: Some((0.5, "equal")), ..strength });
    }
    panels.push(panel("loss of the last pass".to_owned(), "loss", None, loss));
    panels.push(panel("positions held out".to_owned(), "share", Some((0.0, 1.02)), right));
    Chart { name: "learning".to_owned(), panels }
}

/// How often the last nets were right on test positions, by their distance from the end.
fn tested(learning: &Learning) -> Chart {
    let round = learning.rounds.iter().rfind(|round| !round.nets.is_empty());
    let series = round.into_iter().flat_map(|round| round.nets.iter().enumerate()).map(|(colour, net)| Series {
        name: net.name.clone(),
        colour,
        look: Look::Line,
        points: net
            .tested
            .iter()
            .filter_map(|tested| Some(point(tested.distance.into(), share(tested.right, tested.positions)?)))
            .collect(),
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    if series.is_empty() {
        return Chart { name: "tested".to_owned(), panels: Vec::new() };
    }
    let title = format!("{}: winners known, by exact values", learning.facts.header.experiment);
    let panel = panel(title, "share of the positions", Some((0.0, 1.02)), series);
    let panel = Panel { x: "distance from the end".to_owned(), level: Some((0.5, "a coin")), ..panel };
    Chart { name: "tested".to_owned(), panels: vec![panel] }
}
