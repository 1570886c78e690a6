//! The grid as one stage, and its games by index.

use std::collections::BTreeMap;

use games::Seed;
use players::{
    GameRecord, GameSetup,
    artifacts::HeldArtifacts,
    play::{Match, Watcher, prepare},
};

use super::{super::idle::Idle, MatchGrid, Seating};
use crate::{
    Experiment,
    plan::{Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, Stage},
    trial::TrialDescription,
    value::{Column, ColumnType, Row, Shape, Value},
};

/// The only stage.
const STAGE: u32 = 0;

/// Columns of the shape `match` before those of every game: name, type, pure (docs/run-directory.md).
const COLUMNS: [(&str, ColumnType, bool); 4] = [
    ("pair", ColumnType::Int, true),
    ("unit", ColumnType::Int, true),
    ("first", ColumnType::Label, true),
    ("second", ColumnType::Label, true),
];

/// Columns that every game between two has, in any shape.
const RECORD_COLUMNS: [(&str, ColumnType, bool); 10] = [
    ("first_points", ColumnType::Real, true),
    ("score_difference", ColumnType::Int, true),
    ("plies", ColumnType::Int, true),
    ("moves_hash", ColumnType::Int, true),
    ("first_decisions", ColumnType::Int, true),
    ("second_decisions", ColumnType::Int, true),
    ("first_iterations", ColumnType::Int, true),
    ("second_iterations", ColumnType::Int, true),
    ("first_us", ColumnType::Int, false),
    ("second_us", ColumnType::Int, false),
];

/// Columns behind those, where a grid asks for the time of every decision.
const TURN_COLUMNS: [(&str, ColumnType, bool); 2] =
    [("first_turns", ColumnType::Text, false), ("second_turns", ColumnType::Text, false)];

/// Which columns of the shape `match` are the decisions of the first and second seat.
pub(crate) const DECISIONS: [usize; 2] = [8, 9];

/// Which columns of the shape `match` are the iterations of the first and second seat.
pub(crate) const ITERATIONS: [usize; 2] = [10, 11];

/// Where a trial stands in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Index of the pair.
    pub(crate) pair: u64,
    /// Index of the unit within the pair.
    pub(crate) unit: u64,
    /// Whether the second player of the pair sits first.
    pub(crate) swapped: bool,
}

impl Unit {
    /// Of trial `trial`, with `games` games a pair.
    pub(crate) fn of(trial: u64, games: u64, seating: Seating) -> Self {
        Unit { pair: trial / games, unit: trial % games / seating.unit(), swapped: seating.is_swapped(trial) }
    }
}

pub(crate) struct GridPlan {
    grid: MatchGrid,
    name: String,
    paper: Option<String>,
    seed: u64,
    scale: f64,
}

impl GridPlan {
    pub(crate) fn new(experiment: &Experiment, grid: &MatchGrid) -> Self {
        GridPlan {
            grid: grid.clone(),
            name: experiment.name.clone(),
            paper: experiment.paper.clone(),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    pub(crate) fn games(&self) -> Games {
        Games::new(self.grid.clone(), self.grid.games_per_pair(self.scale), self.seed, STAGE)
    }
}

/// The shape `name` of games: some columns, then those that every game has.
pub(crate) fn game_shape(name: &str, before: &[(&str, ColumnType, bool)]) -> Shape {
    Shape { name: name.to_owned(), columns: before.iter().chain(&RECORD_COLUMNS).map(column).collect() }
}

fn column(&(name, kind, pure): &(&str, ColumnType, bool)) -> Column {
    let labels = (kind == ColumnType::Label).then(|| "players".to_owned());
    Column { name: name.to_owned(), kind, pure, labels }
}

fn match_shape(turn_times: bool) -> Shape {
    let mut shape = game_shape("match", &COLUMNS);
    shape.columns.extend(TURN_COLUMNS.iter().filter(|_| turn_times).map(column));
    shape
}

/// A stage of `games` games a pair, with the facts that any such stage has; whose they are is for the caller to add.
pub(crate) fn match_stage(grid: &MatchGrid, games: u64, index: u32, name: &str) -> Stage {
    let names: Vec<String> = grid.players.iter().map(|(name, _)| name.clone()).collect();
    let specs: BTreeMap<&str, String> =
        grid.players.iter().map(|(name, spec)| (name.as_str(), spec.to_string())).collect();
    let mut meta = serde_json::json!({
        "game": grid.game.to_string(),
        "score_unit": grid.game.facts().score_unit,
        "games_per_pair": games,
        "opening_plies": grid.opening_plies,
        "reproducible": grid.reproducible(),
        "specs": specs,
    });
    let (key, pairs) = grid.pairing.facts(&names);
    meta[key] = pairs;
    // Only where it is not what a grid does, so that stages of grids stay what they were.
    if grid.seating != Seating::Both {
        meta["seat"] = grid.seating.name().into();
    }
    Stage {
        index,
        name: name.to_owned(),
        trials: grid.pairing.count().saturating_mul(games),
        shape: match_shape(grid.turn_times),
        labels: BTreeMap::from([("players".to_owned(), names)]),
        meta,
        artifacts: Vec::new(),
        ahead: 0,
    }
}

impl Plan for GridPlan {
    fn first_stage(&self) -> Opening {
        let mut stage = match_stage(&self.grid, self.grid.games_per_pair(self.scale), STAGE, "grid");
        stage.meta["kind"] = "match-grid".into();
        stage.meta["seat"] = self.grid.seating.name().into();
        stage.meta["experiment"] = self.name.as_str().into();
        stage.meta["paper"] = self.paper.as_deref().into();
        stage.meta["scale"] = self.scale.into();
        Opening::of(stage)
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, String> {
        Ok(Closing { fold: serde_json::json!({}), next: Next::Finished })
    }

    fn executor(&self, _: &Stage, _: &dyn Artifacts) -> Result<Box<dyn Executor>, String> {
        Ok(Box::new(self.games()))
    }
}

/// Plays the games of a grid.
pub(crate) struct Games {
    grid: MatchGrid,
    /// Games of a pair.
    games: u64,
    seed: u64,
    /// Where in the run: seeds differ by it.
    stage: u32,
    /// Matches by (first, second) that no thread is using.
    idle: Idle<[u32; 2], Box<dyn Match>>,
}

impl Games {
    /// The games of `grid`, `games` a pair, with the seeds of a run and stage.
    pub(crate) fn new(grid: MatchGrid, games: u64, seed: u64, stage: u32) -> Self {
        Games { grid, games, seed, stage, idle: Idle::default() }
    }

    /// Games of a pair.
    pub(crate) fn per_pair(&self) -> u64 {
        self.games
    }

    /// Players of a trial by seat.
    pub(crate) fn seats(&self, trial: u64) -> (Unit, [u32; 2]) {
        let unit = Unit::of(trial, self.games, self.grid.seating);
        let [a, b] = self.grid.pairing.pair(unit.pair);
        (unit, if unit.swapped { [b, a] } else { [a, b] })
    }

    /// What a trial's game depends on beside its players.
    pub(crate) fn setup(&self, unit: Unit) -> GameSetup {
        // By unit, not by trial, and by player, not by seat: the two games of a unit have the same luck. By the
        // names of the pair, not by its index: its games are the same whatever other pairs and however many games
        // the grid has, so a run at a lesser scale plays the first games of a greater one.
        let [first, second] = self.grid.pairing.pair(unit.pair).map(|player| &self.grid.players[player as usize].0);
        let seed = |stream| Seed::derive(self.seed, self.stage, unit.unit, &format!("{first} v {second}: {stream}"));
        let (a, b) = (seed("player a"), seed("player b"));
        GameSetup {
            opening_plies: self.grid.opening_plies,
            opening_seed: seed("opening"),
            player_seeds: if unit.swapped { [b, a] } else { [a, b] },
        }
    }

    /// Plays a trial and shows its plies.
    pub(crate) fn play(&self, trial: u64, watcher: Option<&mut Watcher<'_>>) -> Result<Row, String> {
        let trials = self.grid.pairing.count().saturating_mul(self.games);
        if trial >= trials {
            return Err(format!("the grid has {trials} trials; there is no trial {trial}"));
        }
        let (unit, seats) = self.seats(trial);
        let mut game = match self.idle.take(&seats) {
            Some(game) => game,
            None => {
                let specs = seats.map(|player| &self.grid.players[player as usize].1);
                prepare(&self.grid.game, specs, &HeldArtifacts::default()).map_err(|error| error.to_string())?
            }
        };
        let record = game.play_watched(&self.setup(unit), watcher);
        self.idle.put(seats, game);
        let mut row = row(unit, seats, &record);
        if self.grid.turn_times {
            row.extend(record.turns.map(|turns| Value::Text(turns_text(&turns))));
        }
        Ok(row)
    }
}

impl Executor for Games {
    fn run(&self, trial: u64) -> Result<Row, String> {
        self.play(trial, None)
    }

    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, String> {
        self.play(trial, Some(watcher))
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        if trial >= self.grid.pairing.count().saturating_mul(self.games) {
            return None;
        }
        let (unit, seats) = self.seats(trial);
        let seats = seats.map(|player| {
            let (name, spec) = &self.grid.players[player as usize];
            (name.as_str(), spec)
        });
        Some(TrialDescription::of_game(&self.grid.game, seats, &self.setup(unit)))
    }
}

/// In the order of [`COLUMNS`].
fn row(unit: Unit, seats: [u32; 2], record: &GameRecord) -> Row {
    let mut row = vec![int(unit.pair), int(unit.unit), Value::Int(seats[0].into()), Value::Int(seats[1].into())];
    row.extend(record_values(record));
    row
}

/// `ply:µs` of each decision, between blanks.
fn turns_text(turns: &[(u32, u64)]) -> String {
    turns.iter().map(|(ply, micros)| format!("{ply}:{micros}")).collect::<Vec<_>>().join(" ")
}

fn int(value: u64) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// What a game gave, in the order of [`RECORD_COLUMNS`].
pub(crate) fn record_values(record: &GameRecord) -> [Value; 10] {
    [
        Value::Real(record.points[0]),
        Value::Int(record.score_difference),
        Value::Int(record.plies.into()),
        // The same 64 bits, as SQLite has no unsigned type.
        Value::Int(record.moves_hash.cast_signed()),
        Value::Int(record.decisions[0].into()),
        Value::Int(record.decisions[1].into()),
        int(record.iterations[0]),
        int(record.iterations[1]),
        int(record.micros[0]),
        int(record.micros[1]),
    ]
}
