//! Runs of one experiment under other seeds, and two settings against one another.

use super::{Replicate, Setting, outcome_names};
use crate::{
    Cell, Table,
    kinds::{grid::PER_1000, subject::Outcome},
    papers::Paper,
    statistics::{CONFIDENCE, Reason, adjust, interval, mann_whitney, moments::Moments, welch},
};

/// Lower-case words joined by `_`.
fn key(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

fn names(settings: &[Setting]) -> String {
    settings.iter().map(Setting::title).collect::<Vec<_>>().join(", ")
}

/// A row a run.
pub(crate) fn replicates(settings: &[Setting]) -> Table {
    let outcomes = outcome_names(settings);
    let mut heads: Vec<(String, String)> =
        [("setting", "setting"), ("run", "run"), ("seed", "seed"), ("generations", "generations")]
            .map(|(key, head)| (key.to_owned(), head.to_owned()))
            .to_vec();
    for name in &outcomes {
        heads.push((key(name), name.clone()));
        heads.push((format!("{}_95", key(name)), "95 %".to_owned()));
    }
    let heads: Vec<(&str, &str)> = heads.iter().map(|(key, head)| (key.as_str(), head.as_str())).collect();
    let intervals = heads.iter().map(|(key, _)| *key).filter(|key| key.ends_with("_95"));
    let optional: Vec<&str> = intervals.chain(["setting"]).collect();
    let mut table = Table::new("replicates", format!("{}: run by run", names(settings)), &heads).optional(&optional);
    for (setting, run) in settings.iter().flat_map(|setting| setting.runs.iter().map(move |run| (setting, run))) {
        let mut row = vec![letter(settings, setting)];
        row.extend([
            Cell::text(&run.name),
            run.seed.map_or(Cell::Missing, Cell::Count),
            run.subject.header().generations.map_or(Cell::Missing, Cell::Count),
        ]);
        for name in &outcomes {
            let outcome = run.outcome(name);
            row.push(outcome.map_or(Cell::Missing, |outcome| Cell::real(outcome.value, outcome.digits)));
            let interval = outcome.and_then(|outcome| outcome.interval);
            row.push(Cell::interval(interval, outcome.map_or(1, |outcome| outcome.digits)));
        }
        table.push(row);
    }
    let mut note =
        "points per 1000: points of 1000 games, a draw half; their interval covers the chance of the run's own games."
            .to_owned();
    let mut told: Vec<&str> = Vec::new();
    let noted = settings.iter().flat_map(|setting| &setting.runs).flat_map(|run| &run.outcomes);
    for explained in noted.filter_map(|outcome| outcome.note) {
        if !told.contains(&explained) {
            told.push(explained);
            note.push(' ');
            note.push_str(explained);
        }
    }
    table.notes.push(note);
    table
}

/// A row a setting and outcome: its mean and spread over runs, beside the paper's runs where there are some.
pub(crate) fn outcomes(settings: &[Setting]) -> Table {
    let heads = [
        ("setting", "setting"),
        ("outcome", "outcome"),
        ("runs", "runs"),
        ("mean", "mean"),
        ("mean_95", "95 %"),
        ("sd", "sd"),
        ("min", "min"),
        ("max", "max"),
        ("paper_runs", "paper's runs"),
        ("paper_mean", "their mean"),
        ("paper_sd", "sd"),
        ("paper_range", "range"),
        ("paper_p", "p (Welch)"),
    ];
    let papers: Vec<Option<&Paper>> = settings
        .iter()
        .map(|setting| setting.paper.as_deref().and_then(Paper::find).filter(|paper| paper.is_of_runs()))
        .collect();
    let optional = ["setting", "paper_runs", "paper_mean", "paper_sd", "paper_range", "paper_p"];
    let mut table = Table::new("outcomes", format!("{}: over runs", names(settings)), &heads)
        .intervals(&["paper_range"])
        .optional(&optional);
    for (setting, paper) in settings.iter().zip(&papers) {
        for name in &outcome_names(settings) {
            let values = setting.values(name);
            let Some(&Outcome { digits, range: (least, most), .. }) =
                setting.runs.iter().find_map(|run| run.outcome(name))
            else {
                continue;
            };
            let of = Moments::of(&values);
            let mean = interval::of_mean(&of, CONFIDENCE);
            let mut row = vec![letter(settings, setting)];
            row.extend([
                Cell::text(name),
                Cell::Count(of.n),
                Cell::real(of.mean(), digits),
                Cell::interval(mean.map(|(low, high)| (low.max(least), high.min(most))), digits),
                Cell::real(of.deviation(), digits),
                Cell::real(values.iter().copied().min_by(f64::total_cmp), digits),
                Cell::real(values.iter().copied().max_by(f64::total_cmp), digits),
            ]);
            row.extend(paper_cells(*paper, &setting.runs, name, &of, digits));
            table.push(row);
        }
    }
    table.notes.push(
        "A run is one observation; 95 %: Student's interval of the mean over runs, none of a single run or without spread. \
         Of fewer than ten runs near an end of the scale it holds the mean in about 90 of 100 cases."
            .to_owned(),
    );
    if let Some(paper) = papers.iter().flatten().next() {
        table
            .notes
            .push(format!("The paper's: {}. p: Welch's t of our runs against the paper's, two-sided.", paper.title()));
    }
    table
}

/// Which of several settings a row is of.
fn letter(settings: &[Setting], setting: &Setting) -> Cell {
    if settings.len() > 1 { Cell::text(setting.letter) } else { Cell::Missing }
}

fn paper_cells(paper: Option<&Paper>, runs: &[Replicate], outcome: &str, ours: &Moments, digits: usize) -> Vec<Cell> {
    let grid = runs.iter().find_map(|run| run.subject.evidence().grid());
    let opponent = runs.iter().find_map(|run| run.outcome(outcome)?.opponent.as_deref());
    let rows = paper.map_or(Vec::new(), Paper::rows);
    let row = rows.iter().find(|row| {
        let found = grid.and_then(|grid| grid.find(row.names(), row.specs()));
        found.is_some_and(|(pair, turned)| !turned && opponent == Some(pair.b.as_str()))
    });
    let Some(row) = row else { return vec![Cell::Missing; 5] };
    let points: Vec<f64> = row.shares.iter().map(|share| share * PER_1000).collect();
    let printed = Moments::of(&points);
    let (low, high) = row.range();
    vec![
        Cell::Count(printed.n),
        Cell::real(printed.mean(), digits),
        Cell::real(printed.deviation(), digits),
        Cell::interval(Some((low * PER_1000, high * PER_1000)), digits),
        Cell::probability(welch::from_moments(ours, &printed).map(|test| test.p)),
    ]
}

/// A row an outcome that both settings have: A against B over runs.
pub(crate) fn settings(a: &Setting, b: &Setting, differences: &[String]) -> Table {
    let mut table = Table::new(
        "settings",
        format!("{} against {}: outcomes over runs", a.title(), b.title()),
        &[
            ("outcome", "outcome"),
            ("n_a", "n A"),
            ("n_b", "n B"),
            ("mean_a", "mean A"),
            ("sd_a", "sd A"),
            ("mean_b", "mean B"),
            ("sd_b", "sd B"),
            ("difference", "A − B"),
            ("difference_95", "95 %"),
            ("t", "t"),
            ("df", "df"),
            ("p_t", "p (Welch)"),
            ("p_t_holm", "p (Welch, Holm)"),
            ("g", "Hedges' g"),
            ("u", "U"),
            ("p_u", "p (U)"),
            ("p_u_holm", "p (U, Holm)"),
            ("a12", "A12"),
            ("remark", "remark"),
        ],
    );
    let both = std::slice::from_ref(a).iter().chain(std::slice::from_ref(b));
    let mut names: Vec<String> = Vec::new();
    for setting in both {
        for name in outcome_names(std::slice::from_ref(setting)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let samples: Vec<[Vec<f64>; 2]> = names.iter().map(|name| [a.values(name), b.values(name)]).collect();
    // U exists of a single run too, and says nothing.
    let enough = |[x, y]: &[Vec<f64>; 2]| match x.len().min(y.len()) as u64 {
        found @ (0 | 1) => Err(Reason::TooFew { needed: 2, found }),
        _ => Ok(()),
    };
    let welch: Vec<_> = samples.iter().map(|s| enough(s).and_then(|()| welch::test(&s[0], &s[1]))).collect();
    let ranked: Vec<_> = samples.iter().map(|s| enough(s).and_then(|()| mann_whitney::test(&s[0], &s[1]))).collect();
    let welch_p: Vec<_> = welch.iter().map(|test| test.map(|test| test.p)).collect();
    let ranked_p: Vec<_> = ranked.iter().map(|test| test.map(|test| test.p)).collect();
    let holm = adjust::known(&welch_p, adjust::holm).into_iter().zip(adjust::known(&ranked_p, adjust::holm));
    let tests = welch.into_iter().zip(ranked).zip(holm);
    for ((name, [x, y]), ((welch, ranked), (welch_holm, ranked_holm))) in names.iter().zip(&samples).zip(tests) {
        let digits = a.runs.iter().chain(&b.runs).find_map(|run| run.outcome(name)).map_or(1, |o| o.digits);
        let (of_x, of_y) = (Moments::of(x), Moments::of(y));
        let mean = |of: &Moments| Cell::real(of.mean(), digits);
        let difference = (of_x.n > 0 && of_y.n > 0).then(|| of_x.difference(&of_y));
        table.push(vec![
            Cell::text(name),
            Cell::Count(of_x.n),
            Cell::Count(of_y.n),
            mean(&of_x),
            Cell::real(of_x.deviation(), digits),
            mean(&of_y),
            Cell::real(of_y.deviation(), digits),
            Cell::real(difference, digits),
            Cell::interval(welch.map(|w| w.ci95), digits),
            Cell::real(welch.map(|w| w.t), 2),
            Cell::real(welch.map(|w| w.df), 1),
            Cell::probability(welch.map(|w| w.p)),
            Cell::probability(welch_holm),
            Cell::real(welch.map(|w| w.hedges_g), 3),
            Cell::real(ranked.map(|r| r.u1), 1),
            Cell::probability(ranked.map(|r| r.p)),
            Cell::probability(ranked_holm),
            Cell::real(ranked.map(|r| r.a12), 3),
            remark(x, y, welch.is_ok()),
        ]);
    }
    table.notes.push(
        "A run is one observation. Welch's t with its interval of the difference and Hedges' g, and the Mann-Whitney U with \
         A12, the chance that a run of A is above one of B (ties half): both two-sided; Holm adjusts for the rows of the \
         table. Of few runs that are skewed or tied, in numbers that differ, t is too bold and U is not."
            .to_owned(),
    );
    table.notes.push(if differences.is_empty() {
        "The settings are the same but for the seeds.".to_owned()
    } else {
        format!("What differs, in A and in B: {}.", differences.join("; "))
    });
    table
}

/// Why a row has dashes.
fn remark(x: &[f64], y: &[f64], has_t: bool) -> Cell {
    let few = |n: usize| match n {
        0 => Some("no run"),
        1 => Some("one run"),
        _ => None,
    };
    match (few(x.len()), few(y.len())) {
        (Some(a), Some(b)) => Cell::text(format!("no test: {a} in A, {b} in B")),
        (Some(a), None) => Cell::text(format!("no test: {a} in A")),
        (None, Some(b)) => Cell::text(format!("no test: {b} in B")),
        (None, None) if !has_t => Cell::text("no t: all runs of a setting are equal"),
        (None, None) => Cell::Missing,
    }
}
