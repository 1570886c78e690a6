//! Tables of a study: figures of agents on problems as printed, and which pairs of agents a paper found different.

use serde::Deserialize;

use super::{
    layout::{Agents, fill},
    printed::{Printed, Spread, half_unit, player},
};

/// A figure of a paper: a result of one agent on one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of the problem.
    pub problem: String,
    /// What its spec holds: `fop:function=f1`; empty if only its name tells.
    pub problem_spec: String,
    /// Name of the agent.
    pub agent: String,
    /// What its spec holds: `mcts:c=0.5,factor=1,playouts=5000`.
    pub agent_spec: String,
    /// What is the same of ours: a metric of the shape `study`, a number that the game counts, or the ratio of two such
    /// numbers, each summed over runs: `final-score/meeples-played`.
    pub metric: String,
    /// As printed.
    pub printed: Printed,
}

/// What a paper says of a pair of agents on a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// Name of the problem.
    pub problem: String,
    /// What its spec holds.
    pub problem_spec: String,
    /// Names of the agents.
    pub agents: [String; 2],
    /// What their specs hold.
    pub agent_specs: [String; 2],
    /// The metric, as in [`Figure::metric`].
    pub metric: &'static str,
    /// Whether it says that they differ.
    pub different: bool,
    /// Whether it says so only by leaving the pair out of a list.
    pub implied: bool,
    /// The p that it prints.
    pub p: Option<f64>,
}

/// Decimals that are printed of a column's means.
const RATE: i32 = 2;
const RESULT: i32 = 3;

#[derive(Deserialize)]
struct TreeRow {
    function: String,
    agent: String,
    expansion_rate_mean: f64,
    expansion_rate_sd: f64,
    terminals_mean: f64,
    terminals_sd: f64,
    leaf_depth_mean: f64,
    leaf_depth_sd: f64,
    result_mean: f64,
    result_sd: f64,
}

/// Figures of a table of trees (5.4 to 5.8 of the SIEA-MCTS thesis), row by row.
///
/// The printed result is the walk by reward, whatever its head says, and the printed deviation of the leaf depth is
/// that within a tree: only so do simulations give the printed figures.
pub(super) fn trees(rows: Vec<toml::Table>, runs: u64) -> Vec<Figure> {
    let mut figures = Vec::new();
    for row in rows {
        let row: TreeRow = row.try_into().expect("a row of trees");
        let deviation = |sd| Spread::Runs(sd, half_unit(2));
        for (metric, mean, spread, decimals) in [
            ("expansion-rate", row.expansion_rate_mean, deviation(row.expansion_rate_sd), RATE),
            ("terminals", row.terminals_mean, deviation(row.terminals_sd), 2),
            ("leaf-depth", row.leaf_depth_mean, Spread::Unknown, 2),
            ("leaf-depth-sd", row.leaf_depth_sd, Spread::Unknown, 2),
            ("by-reward", row.result_mean, deviation(row.result_sd), RESULT),
        ] {
            figures.push(Figure {
                problem: row.function.clone(),
                problem_spec: function(&row.function),
                agent: agent(&row.agent),
                agent_spec: spec(&row.agent, FUNCTION_PLAYOUTS),
                metric: metric.to_owned(),
                printed: Printed { mean, spread, n: runs, rounding: half_unit(decimals) },
            });
        }
    }
    figures
}

/// Figures of agents on problems, as the file describes them.
pub(super) fn agents(layout: &Agents, rows: &[toml::Table], runs: u64) -> Vec<Figure> {
    let mut figures = Vec::new();
    for row in rows {
        let agent = player(&layout.players, &layout.agent, row);
        for column in &layout.figures {
            let Some(printed) = column.printed(row, runs) else { continue };
            figures.push(Figure {
                problem: fill(&layout.problem.name, row),
                problem_spec: fill(&layout.problem.spec, row),
                agent: agent.name.clone(),
                agent_spec: agent.spec.clone(),
                metric: fill(&column.metric, row),
                printed,
            });
        }
    }
    figures
}

/// Decisions of a variant of Carcassonne behind a row of table 5.11: 30 games of 23.
const CARCASSONNE_DECISIONS: u64 = 690;
/// Iterations of each (section 5.6).
const CARCASSONNE_PLAYOUTS: u64 = 10_000;
/// Runs of a function behind one.
const FUNCTION_RUNS: u64 = 100;
/// Iterations of each (section 5.4).
const FUNCTION_PLAYOUTS: u64 = 5_000;

/// Figures of a table of formulas (5.11 of the SIEA-MCTS thesis), row by row.
pub(super) fn formulas(rows: &[toml::Table]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for row in rows {
        let number = |key: String| row[&key].as_float().expect("a figure is a number");
        let problem = row["problem"].as_str().expect("a problem has a name").to_owned();
        let of_function = problem.starts_with('f');
        let problem_spec = if of_function { function(&problem) } else { variant_of_carcassonne(&problem) };
        let playouts = if of_function { FUNCTION_PLAYOUTS } else { CARCASSONNE_PLAYOUTS };
        let runs = if of_function { FUNCTION_RUNS } else { CARCASSONNE_DECISIONS };
        // The functions' sizes have one decimal, the others' two.
        let sd_decimals = if of_function { 1 } else { 2 };
        for short in ["ea", "siea"] {
            let figure = |metric: &str, key: &str, spread, decimals| Figure {
                problem: problem.clone(),
                problem_spec: problem_spec.clone(),
                agent: format!("{short}-mcts"),
                agent_spec: format!("{short}-mcts:playouts={playouts}"),
                metric: metric.to_owned(),
                printed: Printed {
                    mean: number(format!("{key}_{short}{}", if metric == "formula-nodes" { "_mean" } else { "" })),
                    spread,
                    n: runs,
                    rounding: half_unit(decimals),
                },
            };
            let deviation = Spread::Runs(number(format!("nodes_{short}_sd")), half_unit(sd_decimals));
            figures.extend([
                figure("uses-visits", "rate_n", Spread::Share, RATE),
                figure("uses-parent-visits", "rate_big_n", Spread::Share, RATE),
                figure("uses-q", "rate_q", Spread::Share, RATE),
                figure("formula-nodes", "nodes", deviation, 2),
            ]);
        }
    }
    figures
}

#[derive(Deserialize)]
struct ContrastRow {
    /// The problem: a function, or else a variant of Carcassonne.
    function: Option<String>,
    variant: Option<String>,
    metric: String,
    a: String,
    b: String,
    significant: bool,
    #[serde(default)]
    implied: bool,
    p_value: Option<f64>,
}

/// What a paper found different, row by row.
pub(super) fn contrasts(rows: Vec<toml::Table>) -> Vec<Contrast> {
    let contrast = |row: toml::Table| {
        let row: ContrastRow = row.try_into().expect("a row of a pair");
        let agents = [row.a, row.b];
        let (problem, problem_spec, playouts) = match (row.function, row.variant) {
            (Some(name), _) => (name.clone(), function(&name), FUNCTION_PLAYOUTS),
            (None, variant) => {
                let name = variant.expect("a pair has a problem");
                (name.clone(), variant_of_carcassonne(&name), CARCASSONNE_PLAYOUTS)
            }
        };
        Contrast {
            problem_spec,
            problem,
            agent_specs: agents.each_ref().map(|name| spec(name, playouts)),
            agents: agents.map(|name| agent(&name)),
            metric: match row.metric.as_str() {
                "result" => "by-reward",
                "leaf_depth" => "leaf-depth",
                "score" => "score",
                other => panic!("`{other}` is not a metric of the thesis"),
            },
            different: row.significant,
            implied: row.implied,
            p: row.p_value,
        }
    };
    rows.into_iter().map(contrast).collect()
}

/// The agent's name in an experiment, where `mcts-c0.5` is not allowed.
fn agent(printed: &str) -> String {
    printed.replace('.', "")
}

fn variant_of_carcassonne(name: &str) -> String {
    format!("carcassonne:variant={name}")
}

fn function(name: &str) -> String {
    format!("fop:function={name}")
}

/// What identifies the agent of a printed name: its budget and, of a plain search, its constant.
fn spec(printed: &str, playouts: u64) -> String {
    match printed.strip_prefix("mcts-c") {
        Some("sqrt2") => format!("mcts:playouts={playouts},factor=1,c={}", std::f64::consts::SQRT_2),
        Some(c) => format!("mcts:playouts={playouts},factor=1,c={c}"),
        None => format!("{printed}:playouts={playouts}"),
    }
}
