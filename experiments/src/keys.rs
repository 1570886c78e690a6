//! Every key of the format, for documentation and checks: FORMAT.md has a row for each, and a key that is read but
//! not listed here fails in debug builds.

/// What holds for a key that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It is a fault.
    Fault,
    /// Nothing: the key is not needed.
    Nothing,
    /// The key has this value, in TOML.
    Value(&'static str),
    /// The key has a value that follows from others; how, for people.
    Derived(&'static str),
}

/// What another value of a key means for a run that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is the run of another experiment: results depend on the key.
    Another,
    /// Nothing for its results: the value may change between two sessions of the run.
    Free,
    /// A longer run, where the value allows more: `--extend` goes on with the run.
    Longer,
}

/// A key of an experiment file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Tables that lead to it, and the key: `match-grid.pairs`.
    pub path: &'static str,
    /// What it holds, for people.
    pub takes: &'static str,
    /// What holds where it is left out.
    pub left_out: LeftOut,
    /// What another value means for a run that stands.
    pub change: Change,
}

const fn key(path: &'static str, takes: &'static str, left_out: LeftOut) -> Key {
    Key { path, takes, left_out, change: Change::Another }
}

impl Key {
    /// A key that no result depends on.
    const fn free(self) -> Self {
        Key { change: Change::Free, ..self }
    }

    /// A key that says how long a run is.
    const fn longer(self) -> Self {
        Key { change: Change::Longer, ..self }
    }
}

/// Every key, in the order of a resolved file. Parameters of games and players are listed by their registries.
pub const ALL: &[Key] = &[
    key("format", "integer, 1", LeftOut::Fault),
    key("name", "name", LeftOut::Fault).free(),
    key("title", "text", LeftOut::Derived("`name`")).free(),
    key("kind", "`coevolution`, `learning`, `match-grid`, `study`, `synthetic` or `tuning`", LeftOut::Fault),
    key("seed", "integer from 0 to 9223372036854775807", LeftOut::Value("1")),
    key("scale", "number above 0", LeftOut::Value("1.0")).longer(),
    key("trial-timeout-secs", "number above 0 to 604800", LeftOut::Value("3600.0")).free(),
    key("paper", "text, `paper/table`", LeftOut::Nothing).free(),
    key("audit", "number from 0 to 1", LeftOut::Value("0.01")).free(),
    key("game", "spec of a game", LeftOut::Fault),
    key("players", "table of specs by name", LeftOut::Fault).longer(),
    key("champion", "path of a champion's file", LeftOut::Nothing),
    key("match-grid", "table", LeftOut::Fault),
    key("match-grid.pairing", "`listed`, `round-robin` or `gauntlet`", LeftOut::Fault).longer(),
    key("match-grid.pairs", "list of pairs of players' names", LeftOut::Fault).longer(),
    key("match-grid.champions", "list of players' names", LeftOut::Fault).longer(),
    key("match-grid.against", "list of players' names", LeftOut::Derived("all players that are not champions"))
        .longer(),
    key("match-grid.seat", "`both`, `first` or `second`", LeftOut::Value("\"both\"")),
    key("match-grid.games-per-pair", "integer from 1 to 1000000000000, even with both seats", LeftOut::Fault).longer(),
    key("match-grid.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("match-grid.turn-times", "`true` or `false`", LeftOut::Value("false")),
    key("match-grid.turn-figures", "`true` or `false`", LeftOut::Value("false")),
    key("coevolution", "table", LeftOut::Fault),
    key("coevolution.player", "spec of an `evomcts` player without a function", LeftOut::Derived("`evomcts`")),
    key("coevolution.population", "integer from 2 to 100000", LeftOut::Value("120")),
    key("coevolution.generations", "integer from 1 to 1000000", LeftOut::Value("100")).longer(),
    key("coevolution.games-as-first", "integer from 1 to 1000000", LeftOut::Value("25")),
    key("coevolution.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("coevolution.tournament", "integer from 1 to `population`", LeftOut::Value("2")),
    key("coevolution.elites", "integer from 0 to below `population`", LeftOut::Value("0")),
    key("coevolution.crossover-rate", "number from 0 to 1", LeftOut::Value("0.8")),
    key("coevolution.mutation-rate", "number from 0 to 1", LeftOut::Value("0.2")),
    key("coevolution.local-mutation-rate", "number from 0 to 1", LeftOut::Value("0.5")),
    key("coevolution.factor-step", "number from 0 to 100", LeftOut::Value("0.1")),
    key("coevolution.depth-max", "integer from 1 to 30", LeftOut::Value("15")),
    key("coevolution.subtree-depth-max", "integer from 1 to 12", LeftOut::Value("5")),
    key("coevolution.initial-depth-min", "integer from 1 to 12", LeftOut::Value("2")),
    key("coevolution.initial-depth-max", "integer from 1 to 12", LeftOut::Value("6")),
    key("coevolution.initial", "list of trees, or path of a population's file", LeftOut::Nothing),
    key("coevolution.benchmark", "table", LeftOut::Derived("its defaults")),
    key("coevolution.benchmark.every", "integer from 0 to 1000000, generations", LeftOut::Value("10")),
    key("coevolution.benchmark.games", "even integer from 2 to 1000000", LeftOut::Value("200")),
    key("coevolution.benchmark.samples", "integer from 0 to below `population`", LeftOut::Value("1")),
    key("coevolution.benchmark.final-games", "even integer from 2 to 1000000", LeftOut::Value("1000")).longer(),
    key("coevolution.benchmark.finalists", "integer from 1 to `population`", LeftOut::Value("1")),
    key("coevolution.stop", "table", LeftOut::Nothing).longer(),
    key("coevolution.stop.score", "number from 0 to 1", LeftOut::Nothing).longer(),
    key("coevolution.stop.core-hours", "number above 0", LeftOut::Nothing).longer(),
    key("learning", "table", LeftOut::Fault),
    key("learning.player", "spec of a player with a network, without naming it", LeftOut::Fault),
    key("learning.rounds", "integer from 1 to 10000", LeftOut::Value("1")).longer(),
    key("learning.nets", "table of architectures by name", LeftOut::Fault),
    key("learning.self-play", "table", LeftOut::Derived("its defaults")),
    key("learning.self-play.player", "spec of a player", LeftOut::Derived("`learning.player`")),
    key("learning.self-play.first", "spec of a player without a network of the run", LeftOut::Derived("`player`")),
    key("learning.self-play.games", "integer from 1 to 100000000", LeftOut::Value("1000")),
    key("learning.self-play.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("learning.self-play.labels", "`outcome`, `exact` or `searched`", LeftOut::Value("\"outcome\"")),
    key("learning.self-play.solve-from", "integer from 0 to 4294967295", LeftOut::Value("0")),
    key("learning.self-play.window", "integer from 1 to 10000", LeftOut::Value("5")),
    key("learning.training", "table", LeftOut::Derived("its defaults")),
    key("learning.training.epochs", "integer from 1 to 100000", LeftOut::Value("10")),
    key("learning.training.batch", "integer from 1 to 65536", LeftOut::Value("256")),
    key("learning.training.learning-rate", "number from 1e-9 to 10", LeftOut::Value("0.001")),
    key("learning.training.decay", "number from 0.001 to 1", LeftOut::Value("1.0")),
    key("learning.training.weight-decay", "number from 0 to 1", LeftOut::Value("0.0")),
    key("learning.training.loss", "`cross-entropy` or `mean-square`", LeftOut::Value("\"cross-entropy\"")),
    key("learning.training.value-weight", "number from 0 to 1000", LeftOut::Value("1.0")),
    key("learning.training.policy-weight", "number from 0 to 1000", LeftOut::Value("1.0")),
    key("learning.training.held-out", "number from 0 to 0.9", LeftOut::Value("0.05")),
    key("learning.training.start", "`last` or `fresh`", LeftOut::Value("\"last\"")),
    key("learning.gate", "table", LeftOut::Derived("its defaults")),
    key("learning.gate.games", "even integer from 0 to 100000000", LeftOut::Value("200")),
    key("learning.gate.opponents", "`true` or `false`", LeftOut::Derived("`true` where there are `players`")),
    key("learning.gate.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("learning.gate.errors", "number from -100 to 100", LeftOut::Value("0.0")),
    key("learning.test", "table", LeftOut::Nothing),
    key("learning.test.player", "spec of a player without a network of the run", LeftOut::Value("\"random\"")),
    key("learning.test.games", "integer from 1 to 100000000", LeftOut::Value("1000")),
    key("learning.test.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("learning.test.from", "integer from 1 to 4294967295", LeftOut::Fault),
    key("learning.final", "table", LeftOut::Derived("its defaults")),
    key("learning.final.games", "even integer from 2 to 100000000", LeftOut::Value("400")).longer(),
    key("problems", "table of specs of games by name", LeftOut::Fault).longer(),
    key("study", "table", LeftOut::Fault),
    key("study.runs", "integer from 1 to 1000000000000", LeftOut::Fault).longer(),
    key("study.measure", "`decision` or `game`", LeftOut::Value("\"decision\"")),
    key("study.histogram-bins", "integer from 0 to 4096", LeftOut::Value("0")),
    key("study.position", "text of a position", LeftOut::Derived("the game's start")),
    key("study.turn-figures", "`true` or `false`", LeftOut::Value("false")),
    key("synthetic", "table", LeftOut::Fault),
    key("synthetic.trials", "integer from 1 to 9223372036854775807", LeftOut::Fault).longer(),
    key("synthetic.cost-us", "integer from 0 to 3600000000, microseconds", LeftOut::Value("0")),
    key("synthetic.sleep-us", "integer from 0 to 3600000000, microseconds", LeftOut::Value("0")),
    key("synthetic.long", "table", LeftOut::Nothing),
    key("synthetic.long.every", "integer from 1 to 9223372036854775807", LeftOut::Fault),
    key("synthetic.long.cost-us", "integer from 0 to 3600000000, microseconds", LeftOut::Fault),
    key("synthetic.hangs", "list of trials", LeftOut::Nothing),
    key("synthetic.overflows", "list of trials", LeftOut::Nothing),
    key("synthetic.aborts", "list of trials", LeftOut::Nothing),
    key("synthetic.panics", "list of trials", LeftOut::Nothing),
    key("synthetic.fails", "list of trials", LeftOut::Nothing),
    key("synthetic.hoards", "list of trials", LeftOut::Nothing),
    key("tuning", "table", LeftOut::Fault),
    key("tuning.player", "spec of a player", LeftOut::Fault),
    key(
        "tuning.algorithm",
        "`genetic`, `successive-halving`, `differential-evolution` or `random`",
        LeftOut::Value("\"genetic\""),
    ),
    key("tuning.population", "integer from 2 to 10000", LeftOut::Value("20")),
    key("tuning.generations", "integer from 1 to 1000000", LeftOut::Value("10")).longer(),
    key("tuning.games", "integer from 1 to 1000000, even with both seats", LeftOut::Value("6")),
    key("tuning.seat", "`both`, `first` or `second`", LeftOut::Value("\"both\"")),
    key("tuning.opening-plies", "integer from 0 to the game's longest", LeftOut::Value("0")),
    key("tuning.kept", "integer from 2 to below `population`", LeftOut::Value("3")),
    key("tuning.mutation-rate", "number from 0 to 1", LeftOut::Value("0.2")),
    key("tuning.crossover", "`single-point`, `uniform` or `none`", LeftOut::Value("\"single-point\"")),
    key("tuning.mutation", "`single-gene`, `gaussian` or `reset`", LeftOut::Value("\"single-gene\"")),
    key("tuning.difference-weight", "number from 0 to 2", LeftOut::Value("0.5")),
    key("tuning.crossover-rate", "number from 0 to 1", LeftOut::Value("0.9")),
    key("tuning.copies", "`one` or `apart`", LeftOut::Value("\"one\"")),
    key("tuning.stop-after", "integer from 0 to 1000000, generations", LeftOut::Value("0")).longer(),
    key("tuning.max-games", "integer from 1 to 9223372036854775807", LeftOut::Nothing).longer(),
    key("tuning.parameters", "table of bounds by parameter", LeftOut::Fault),
    key("tuning.parameters.NAME.type", "`integer`, `real` or `category`", LeftOut::Fault),
    key("tuning.parameters.NAME.min", "number", LeftOut::Fault),
    key("tuning.parameters.NAME.max", "number above `min`", LeftOut::Fault),
    key("tuning.parameters.NAME.scale", "`linear` or `log`", LeftOut::Value("\"linear\"")),
    key("tuning.parameters.NAME.values", "list of at least two values", LeftOut::Fault),
    key("tuning.final", "table", LeftOut::Derived("its defaults")),
    key("tuning.final.games", "even integer from 2 to 1000000", LeftOut::Value("1000")).longer(),
    key("analysis", "list of tables, `[[analysis]]`", LeftOut::Nothing).free(),
    key("analysis.name", "name", LeftOut::Fault).free(),
    key("analysis.question", "text", LeftOut::Fault).free(),
    key("analysis.metric", "a column of the results", LeftOut::Fault).free(),
    key("analysis.test", record::Test::NAMES, LeftOut::Fault).free(),
    key("analysis.adjust", "`none`, `holm` or `benjamini-hochberg`", LeftOut::Value("\"holm\"")).free(),
    key("analysis.alpha", "number above 0 and below 1", LeftOut::Value("0.05")).free(),
    key("analysis.players", "list of players' names", LeftOut::Derived("all players")).free(),
];

/// Whether there is such a key. Places in a list count for nothing: `analysis[2].metric` is `analysis.metric`. `NAME`
/// in the list stands for a name that the file chooses.
pub(crate) fn known(path: &str) -> bool {
    let parts: Vec<&str> = path.split('.').map(|part| part.split('[').next().unwrap_or(part)).collect();
    let is = |key: &Key| {
        let known: Vec<&str> = key.path.split('.').collect();
        known.len() == parts.len() && known.iter().zip(&parts).all(|(known, part)| known == part || *known == "NAME")
    };
    ALL.iter().any(is)
}

/// Keys of the outermost table that no result depends on, but for questions.
pub(crate) fn free() -> Vec<&'static str> {
    let free = |key: &&Key| key.change == Change::Free && !key.path.starts_with("analysis");
    ALL.iter().filter(free).map(|key| key.path).collect()
}
