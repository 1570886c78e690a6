//! What trials of a stage are expected to take, before any of them has run: from what players may spend on a decision
//! and from a few moments of play that say what a decision costs here. No trial is run, so it takes no longer where
//! trials take hours, and a trial that would bring its process down does no harm.

use std::{collections::BTreeMap, ops::Range};

use games::{GameSpec, Seed, purpose};
use players::{GameSetup, PlayerSpec, play::play_game};
use record::{Stage, study::study_shape};

use crate::{
    Experiment,
    ahead::Ahead,
    forecast::{
        cells::{sum, timed_secs},
        spread,
    },
    kinds::{Kind, Study, StudyPlan},
    matches::Matches,
};

/// Playouts of a decision when the cost of one is measured.
const MEASURED_PLAYOUTS: u64 = 4;
/// Different games and kinds of players that are measured; others are taken to be like the first.
const MEASURED_MAX: usize = 6;
/// Parts into which the trials of a stage are cut.
const PARTS_MAX: u64 = 64;
/// [`Costs::weight`] of what a file states, of what budgets and a measurement say, and of a guess.
const STATED: f64 = 32.0;
const MEASURED: f64 = 2.0;
const GUESSED: f64 = 0.1;
/// Pairs or cells of a part that are looked at.
const LOOKED_AT_MAX: u64 = 16;

/// What the trials of a stage, and of those that follow, are expected to take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Parts of the stage, in order of its trials.
    pub parts: Vec<Part>,
    /// The stages that follow, where nothing ends the run early.
    pub ahead: Vec<Ahead>,
    /// Number of finished trials that the estimate is worth: less than one where players search to a depth, whose cost is
    /// not known before.
    pub weight: f64,
}

/// Trials, one behind another, that are taken to be alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which.
    pub trials: Range<u64>,
    /// Executor seconds of one.
    pub secs: f64,
}

/// What decisions cost on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speeds(BTreeMap<(String, String), Speed>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Speed {
    /// Seconds of a playout, or whatever else a search spends.
    playout_secs: f64,
    /// Searched decisions of a player in a trial.
    decisions: f64,
}

/// Nothing is known: nothing is dear.
const UNKNOWN: Speed = Speed { playout_secs: 1e-6, decisions: 1.0 };

fn kind(player: &PlayerSpec) -> String {
    player.to_string().split(':').next().unwrap_or_default().to_owned()
}

/// The player with a few playouts, where it can have so few.
fn hurried(player: &PlayerSpec) -> Option<PlayerSpec> {
    let mut given = spec::parse(&player.to_string()).ok()?;
    let playouts = given.params.iter_mut().find(|(name, _)| name == "playouts")?;
    playouts.1 = spec::Value::Int(MEASURED_PLAYOUTS.cast_signed());
    PlayerSpec::check(&given).ok()
}

impl Speeds {
    fn of(&self, game: &GameSpec, player: &PlayerSpec) -> Speed {
        let of_game = || self.0.iter().find(|((known, _), _)| *known == game.to_string());
        let key = (game.to_string(), kind(player));
        let exact = self.0.get_key_value(&key);
        exact.or_else(of_game).or_else(|| self.0.iter().next()).map_or(UNKNOWN, |(_, speed)| *speed)
    }

    /// Seconds of a decision by `player`.
    fn decision(&self, game: &GameSpec, player: &PlayerSpec) -> f64 {
        let timed = timed_secs(player);
        if timed > 0.0 { timed } else { player.playouts().unwrap_or(1) as f64 * self.of(game, player).playout_secs }
    }

    /// Seconds of a game between two.
    fn game(&self, game: &GameSpec, players: [&PlayerSpec; 2]) -> f64 {
        let of = |player| self.of(game, player).decisions * self.decision(game, player);
        players.into_iter().map(of).sum()
    }
}

impl Experiment {
    /// Measures what decisions of its players cost: some moves of each kind of player in each game, with few playouts.
    /// `clock` gives seconds.
    pub fn speeds(&self, clock: &dyn Fn() -> f64) -> Speeds {
        let mut speeds = BTreeMap::new();
        for (game, player) in self.kind.who_plays() {
            let key = (game.to_string(), kind(player));
            if speeds.len() >= MEASURED_MAX || speeds.contains_key(&key) {
                continue;
            }
            let plain = || format!("mcts:playouts={MEASURED_PLAYOUTS}").parse().ok();
            let Some(player) = hurried(player).or_else(plain) else { continue };
            let start = clock();
            let spent = match &self.kind {
                Kind::Study(study) => study_spent(self, study, game, &player),
                _ => game_spent(game, &player),
            };
            if let Some((decisions, playouts)) = spent.filter(|(_, playouts)| *playouts > 0.0) {
                speeds.insert(key, Speed { playout_secs: (clock() - start) / playouts, decisions });
            }
        }
        Speeds(speeds)
    }

    /// What the trials of `stage`, and of what follows it, are expected to take.
    pub fn costs(&self, stage: &Stage, speeds: &Speeds) -> Costs {
        let weight = match &self.kind {
            Kind::Synthetic(_) => STATED,
            kind if kind.who_plays().iter().all(|(_, player)| player.cost_is_told()) => MEASURED,
            _ => GUESSED,
        };
        let one = |secs| vec![Part { trials: 0..stage.trials, secs }];
        let (parts, ahead) = match &self.kind {
            Kind::Synthetic(synthetic) => (one(synthetic.mean_secs()), Vec::new()),
            Kind::MatchGrid(grid) => {
                let (matches, pairs) = (&grid.matches, grid.matches.pairing.count());
                (parts(pairs, stage.trials / pairs.max(1), |pair| pair_secs(matches, pair, speeds)), Vec::new())
            }
            Kind::Study(study) => {
                let of = |cell| {
                    let ((_, game), (_, agent)) = study.cell(cell);
                    speeds.of(game, agent).decisions * speeds.decision(game, agent)
                };
                (parts(study.cells(), stage.trials / study.cells().max(1), of), Vec::new())
            }
            Kind::Coevolution(setup) => {
                let [own, benchmark] = setup.trial_secs(|players| speeds.game(&setup.game, players));
                (
                    one(if setup.is_benchmark(stage) { benchmark } else { own }),
                    setup.ahead_of(stage, self.scale, [own, benchmark]),
                )
            }
            Kind::Learning(setup) => {
                let secs = |players: [&PlayerSpec; 2]| speeds.game(&setup.game, players);
                (one(setup.trial_secs(stage, secs)), setup.ahead_of(stage, self.scale, secs))
            }
            Kind::Tuning(setup) => {
                let secs = setup.trial_secs(stage, |players| speeds.game(&setup.game, players));
                (one(secs), setup.ahead_of(stage, self.scale, secs))
            }
        };
        Costs { parts, ahead, weight }
    }
}

fn pair_secs(matches: &Matches, pair: u64, speeds: &Speeds) -> f64 {
    speeds.game(&matches.game, matches.pairing.pair(pair).map(|player| &matches.players[player as usize].1))
}

/// Up to [`PARTS_MAX`] parts of `cells` cells of `trials` trials each; `secs` gives what a trial of a cell takes.
fn parts(cells: u64, trials: u64, secs: impl Fn(u64) -> f64) -> Vec<Part> {
    let mut starts = spread(cells, PARTS_MAX);
    starts.push(cells);
    let part = |cells: &[u64]| {
        let (start, count) = (cells[0], cells[1] - cells[0]);
        let looked_at = spread(count, LOOKED_AT_MAX);
        let sum: f64 = looked_at.iter().map(|&offset| secs(start + offset)).sum();
        let trials = start.saturating_mul(trials)..cells[1].saturating_mul(trials);
        Part { trials, secs: sum / looked_at.len() as f64 }
    };
    starts.windows(2).map(part).collect()
}

/// Decisions of a player and playouts of both in a game.
fn game_spent(game: &GameSpec, player: &PlayerSpec) -> Option<(f64, f64)> {
    let seed = |stream| Seed::derive(0, 0, 0, stream);
    let setup = GameSetup {
        opening_plies: 0,
        opening_seed: seed(purpose::COSTS_OPENING),
        player_seeds: [seed(purpose::COSTS_FIRST), seed(purpose::COSTS_SECOND)],
    };
    let record = play_game(game, [player, player], &setup).ok()?;
    let decisions = record.decisions.iter().sum::<u32>();
    Some((f64::from(decisions) / 2.0, record.iterations.iter().sum::<u64>() as f64))
}

/// Decisions and playouts of a run of a study.
fn study_spent(experiment: &Experiment, study: &Study, game: &GameSpec, player: &PlayerSpec) -> Option<(f64, f64)> {
    let small = study.of_one(game, player);
    let row = StudyPlan::new(experiment, &small).runs().run_one(0, None).ok()?;
    let shape = study_shape();
    let sum = |name| sum(&row, [shape.index(name).expect("a column of the shape")]);
    Some((sum("decisions"), sum("iterations")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, plan};

    fn experiment(text: &str) -> Experiment {
        let text = format!("format = 1\nname = \"x\"\n{text}");
        Experiment::parse(&text, "x.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// Costs of the first stage, where a measurement takes a second.
    fn costs(text: &str) -> Costs {
        let experiment = experiment(text);
        let time = std::cell::Cell::new(0.0);
        let speeds = experiment.speeds(&|| time.replace(time.get() + 1.0));
        experiment.costs(&plan(&experiment).first_stage().stage, &speeds)
    }

    #[test]
    fn synthetic_trials_take_what_the_file_says() {
        let found = costs("kind = \"synthetic\"\n[synthetic]\ntrials = 20\nsleep-us = 30000000\n");
        assert_eq!(found.parts, [Part { trials: 0..20, secs: 30.0 }]);
        // 9 of 1 s and 1 of 101 s.
        let tail = "kind = \"synthetic\"\n[synthetic]\ntrials = 20\ncost-us = 1000000\nlong = { every = 10, cost-us = 101000000 }\n";
        assert!((costs(tail).parts[0].secs - 11.0).abs() < 1e-9);
    }

    #[test]
    fn pairs_cost_what_their_players_may_spend() {
        let grid = |players: &str| {
            let head = "kind = \"match-grid\"\ngame = \"dodgem:size=3\"\n[players]\n";
            costs(&format!("{head}{players}[match-grid]\npairing = \"round-robin\"\ngames-per-pair = 10\n"))
        };
        let found = grid("a = \"mcts:playouts=100\"\nb = \"mcts:playouts=300\"\nc = \"mcts:playouts=900\"\n");
        assert_eq!(found.parts.iter().map(|part| part.trials.clone()).collect::<Vec<_>>(), [0..10, 10..20, 20..30]);
        let of = |part: usize| found.parts[part].secs / found.parts[0].secs;
        assert!((of(1) - 1000.0 / 400.0).abs() < 1e-9 && (of(2) - 1200.0 / 400.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.weight, MEASURED);
        // A quarter of a second a decision, whatever a playout takes; as many decisions as the measured game had.
        let timed = grid("a = \"mcts:time-ms=250\"\nb = \"mcts:time-ms=250,c=1\"\n");
        let decisions = timed.parts[0].secs / 0.5;
        assert!((2.0..100.0).contains(&decisions) && (decisions * 2.0).fract() == 0.0, "{decisions}");
        assert_eq!(grid("a = \"mcts\"\nb = \"alpha-beta:depth=3\"\n").weight, GUESSED);
        // Many pairs are in few parts, which hold all trials.
        let many: String = (0..100).map(|i| format!("p{i} = \"mcts:playouts={}\"\n", i + 1)).collect();
        let many = grid(&many).parts;
        assert_eq!((many.len(), many[0].trials.start, many[63].trials.end), (64, 0, 49_500));
        assert!(many.windows(2).all(|parts| parts[0].trials.end == parts[1].trials.start));
    }

    #[test]
    fn what_follows_has_the_trials_that_a_stage_says_are_ahead() {
        let evolution = "kind = \"coevolution\"\ngame = \"dodgem:size=3\"\n[players]\nm = \"mcts:playouts=5\"\n[coevolution]\n\
                         player = \"evomcts:playouts=2\"\npopulation = 6\ngenerations = 12\ngames-as-first = 2\n\
                         [coevolution.benchmark]\nevery = 5\ngames = 4\n";
        let tuning = |algorithm: &str| {
            format!(
                "kind = \"tuning\"\ngame = \"dodgem:size=3\"\n[players]\nm = \"mcts:playouts=5\"\n[tuning]\n\
                 player = \"mcts:playouts=10\"\nalgorithm = \"{algorithm}\"\npopulation = 9\ngenerations = 11\n\
                 [tuning.parameters]\nc = {{ type = \"real\", min = 0.1, max = 2.0 }}\n"
            )
        };
        for text in [evolution.to_owned(), tuning("genetic"), tuning("successive-halving"), tuning("random")] {
            let experiment = experiment(&text);
            let stage = plan(&experiment).first_stage().stage;
            let ahead = experiment.costs(&stage, &Speeds::default()).ahead;
            let trials: u64 = ahead.iter().map(|ahead| ahead.stages * ahead.trials).sum();
            assert_eq!(trials, stage.ahead, "{text}");
            assert!(ahead.iter().all(|ahead| ahead.secs > 0.0), "{ahead:?}");
        }
    }
}
