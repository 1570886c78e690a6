//! The time left that the core tells, against the time that was left: fleets in simulated time, with trials of known
//! durations.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use coordinator::{
    core::{Action, Core, Input, OpenRun, Quota, RunState, StageView, Worker},
    ids::{ProcessId, RunId, SessionId, StageKey},
    ranges::RangeSet,
    rows::{Cells, Rows},
};
use experiments::{Ahead, Costs, Part};
use record::{Column, ColumnType, Shape};

const RUN: RunId = RunId([7; 16]);

fn stage(index: u32, trials: u64) -> StageView {
    let value = Column { name: "value".to_owned(), kind: ColumnType::Int, pure: true, labels: None };
    let shape = Shape { name: "s".to_owned(), columns: vec![value] };
    StageView { index, name: "stage".to_owned(), trials, ahead: 0, shape }
}

fn open(trials: u64, stored: u64) -> OpenRun {
    let stored: RangeSet = std::iter::once(0..stored).collect();
    OpenRun {
        run: RUN,
        state: RunState::Running,
        stage: stage(0, trials),
        stored: BTreeMap::from([("before".to_owned(), stored)]),
        quarantined: RangeSet::new(),
        failures: BTreeMap::new(),
        audit: 0.0,
        disputes: BTreeMap::new(),
        distrusted: Vec::new(),
        quota: Quota::default(),
    }
}

/// A worker: what waits for its threads, and until when each is busy with which trial.
struct Fake {
    waiting: VecDeque<u64>,
    threads: Vec<Option<(u64, f64, f64)>>,
}

/// What happens, and how long trials take.
struct Scene<'a> {
    /// Trials of each stage.
    stages: &'a [u64],
    /// Trials of the first stage that were stored before.
    stored: u64,
    /// Seconds of a trial of a stage.
    secs: &'a dyn Fn(u32, u64) -> f64,
    /// Seconds that a trial was expected to take, if anything was.
    expected: Option<f64>,
    /// The same for the trial of a stage that has no other.
    single: Option<f64>,
    /// Trials that the expectation counts for.
    weight: f64,
    /// Seconds between two trials of a thread.
    pause: f64,
    /// Workers by their threads: when they come, and when they are gone.
    workers: &'a [(u32, f64, f64)],
}

const FOR_EVER: f64 = f64::INFINITY;

impl Default for Scene<'_> {
    fn default() -> Self {
        Scene {
            stages: &[20],
            stored: 0,
            secs: &|_, _| 30.0,
            expected: Some(30.0),
            single: None,
            weight: 1.0,
            pause: 0.0,
            workers: &[(2, 0.0, FOR_EVER)],
        }
    }
}

/// An estimate of the time left, and the time that was left.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: f64,
    /// Share of the run that was over.
    progress: f64,
    /// Seconds left of the stage and of the run, as estimated.
    told: Option<[f64; 2]>,
    left: [f64; 2],
}

impl Scene<'_> {
    fn costs(&self, stage: usize) -> Option<Costs> {
        let expected = self.expected?;
        let secs = |trials| self.single.filter(|_| trials == 1).unwrap_or(expected);
        let ahead = |&trials: &u64| Ahead { stages: 1, trials, secs: secs(trials) };
        let trials = self.stages[stage];
        Some(Costs {
            parts: vec![Part { trials: 0..trials, secs: secs(trials) }],
            ahead: self.stages[stage + 1..].iter().map(ahead).collect(),
            weight: self.weight,
        })
    }

    /// Runs to the end in steps of `step` seconds, and gives the estimate at each.
    fn run(&self, step: f64) -> Vec<Sample> {
        let mut core = Core::new(Duration::from_secs(1_000_000));
        let (mut fakes, mut actions) = (BTreeMap::<u64, Fake>::new(), Vec::new());
        let (mut told, mut ends) = (Vec::new(), Vec::new());
        let (mut index, mut batch, mut tick) = (0u32, 0, 0u64);
        core.handle(Duration::ZERO, Input::RunOpened(Box::new(open(self.stages[0], self.stored))), &mut actions);
        let mut events: VecDeque<Input> =
            self.costs(0).map(|costs| Input::Expected { run: RUN, costs }).into_iter().collect();
        while ends.len() < self.stages.len() {
            let at = tick as f64 * step;
            let now = Duration::from_secs_f64(at);
            assert!(tick < 1_000_000, "it does not end");
            for (id, &(threads, comes, goes)) in (1..).zip(self.workers) {
                if at >= comes && at < goes && !fakes.contains_key(&id) {
                    let worker = Worker {
                        name: format!("worker-{id}"),
                        process: ProcessId([id as u8; 16]),
                        threads,
                        place: Default::default(),
                    };
                    fakes.insert(id, Fake { waiting: VecDeque::new(), threads: vec![None; threads as usize] });
                    events.push_back(Input::SessionOpened { session: SessionId(id), worker, held: Vec::new() });
                }
                if at >= goes && fakes.remove(&id).is_some() {
                    events.push_back(Input::SessionClosed(SessionId(id)));
                }
            }
            let key = StageKey { run: RUN, stage: index };
            for (&id, fake) in &mut fakes {
                let done = |thread: &Option<(u64, f64, f64)>| thread.filter(|(_, _, end)| *end <= at + 1e-9);
                let trials: Vec<(u64, f64, f64)> = fake.threads.iter().filter_map(done).collect();
                fake.threads.iter_mut().filter(|thread| done(thread).is_some()).for_each(|thread| *thread = None);
                if !trials.is_empty() {
                    batch += 1;
                    let rows = Rows {
                        trials: trials.iter().map(|(trial, ..)| *trial).collect(),
                        elapsed_us: trials.iter().map(|(_, secs, _)| (secs * 1e6) as u64).collect(),
                        columns: vec![Cells::Ints(vec![0; trials.len()])],
                    };
                    events.push_back(Input::Results { session: SessionId(id), batch, stage: key, rows });
                }
            }
            while let Some(event) = events.pop_front() {
                core.handle(now, event, &mut actions);
                core.check();
                for action in actions.drain(..) {
                    match action {
                        Action::Lease { session, trials, .. } => {
                            let fake = fakes.get_mut(&session.0).expect("a worker");
                            fake.waiting.extend(trials.iter().flatten());
                        }
                        Action::Store { ticket, .. } => {
                            events.push_back(Input::Committed { ticket, repeats: Vec::new() });
                        }
                        Action::CloseStage(_) => {
                            ends.push(at);
                            index += 1;
                            let next = self.stages.get(index as usize).map(|&trials| stage(index, trials));
                            events.push_back(Input::StageClosed { run: RUN, next: next.ok_or(RunState::Finished) });
                            let goes_on = (index as usize) < self.stages.len();
                            if let Some(costs) = goes_on.then(|| self.costs(index as usize)).flatten() {
                                events.push_back(Input::Expected { run: RUN, costs });
                            }
                        }
                        Action::Forget { session, .. } => {
                            if let Some(fake) = fakes.get_mut(&session.0) {
                                fake.waiting.clear();
                                fake.threads.fill(None);
                            }
                        }
                        _ => {}
                    }
                }
            }
            for fake in fakes.values_mut() {
                for thread in fake.threads.iter_mut().filter(|thread| thread.is_none()) {
                    if let Some(trial) = fake.waiting.pop_front() {
                        let secs = (self.secs)(index, trial);
                        *thread = Some((trial, secs, at + secs + self.pause));
                    }
                }
            }
            core.handle(now, Input::Tick, &mut actions);
            actions.clear();
            told.push((at, index, core.views(now).remove(0).left));
            tick += 1;
        }
        let last = *ends.last().expect("a stage");
        let of = |(at, index, told): (f64, u32, Option<[f64; 2]>)| {
            let end = ends.get(index as usize).copied().unwrap_or(last);
            Sample { at, progress: at / last, told, left: [end - at, last - at] }
        };
        told.into_iter().map(of).collect()
    }

    /// Checks that between the shares `from` and `to` of the run there is an estimate, and that it is within `factor` of
    /// the time that was left, or within `off` seconds.
    #[track_caller]
    fn check(&self, step: f64, [from, to]: [f64; 2], factor: f64, off: f64) {
        for sample in self.run(step).into_iter().filter(|sample| (from..=to).contains(&sample.progress)) {
            let told = sample.told.unwrap_or_else(|| panic!("no estimate: {sample:?}"));
            for (told, left) in told.into_iter().zip(sample.left) {
                let is_near = (told - left).abs() <= off || (told <= factor * left && left <= factor * told);
                assert!(is_near, "{told} of {left}: {sample:?}");
            }
        }
    }
}

/// A number from 0 to 1 for a trial (a congruential generator, Knuth's MMIX).
fn chance(stage: u32, trial: u64) -> f64 {
    let mut state = trial.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(stage);
    for _ in 0..4 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    (state >> 11) as f64 / (1u64 << 53) as f64
}

/// Exponentially distributed around 10 seconds.
fn exponential(stage: u32, trial: u64) -> f64 {
    -10.0 * (1.0 - chance(stage, trial)).ln()
}

const ALL: [f64; 2] = [0.0, 1.0];

#[test]
fn equal_trials_are_told_exactly_from_the_first_moment() {
    Scene::default().check(0.5, ALL, 1.05, 1.0);
    let many = [(16, 0.0, FOR_EVER), (3, 0.0, FOR_EVER)];
    Scene { stages: &[1_000], workers: &many, ..Scene::default() }.check(0.5, ALL, 1.1, 1.0);
}

#[test]
fn results_correct_what_was_expected() {
    for expected in [10.0, 20.0, 55.0] {
        // Until the first results nothing else is known.
        Scene { expected: Some(expected), ..Scene::default() }.check(0.5, [0.101, 1.0], 2.0, 2.0);
    }
    for expected in [16.0, 50.0] {
        Scene { expected: Some(expected), ..Scene::default() }.check(0.5, ALL, 2.0, 2.0);
    }
}

#[test]
fn results_say_it_where_nothing_was_expected() {
    Scene { expected: None, ..Scene::default() }.check(0.5, [0.101, 1.0], 1.1, 1.0);
    // Before, trials are taken to be half done: within a factor of two from half of the first round on.
    Scene { expected: None, ..Scene::default() }.check(0.5, [0.051, 1.0], 2.1, 1.0);
}

#[test]
fn few_trials_on_many_threads() {
    let many = [(64, 0.0, FOR_EVER)];
    for trials in [1, 20, 64, 65, 70, 128, 130] {
        Scene { stages: &[trials], workers: &many, ..Scene::default() }.check(0.5, ALL, 1.05, 1.0);
    }
}

#[test]
fn trials_with_a_long_tail() {
    let workers = [(8, 0.0, FOR_EVER)];
    let scene = Scene {
        stages: &[800],
        secs: &exponential,
        expected: Some(10.0),
        weight: 2.0,
        workers: &workers,
        ..Scene::default()
    };
    // The first results are of short trials, and the last trials end when they end.
    scene.check(0.5, [0.02, 0.97], 2.0, 5.0);
    let tail = |_, trial: u64| if trial.is_multiple_of(50) { 105.0 } else { 1.0 };
    let workers = [(16, 0.0, FOR_EVER)];
    let scene = Scene {
        stages: &[2_000],
        secs: &tail,
        expected: Some(3.08),
        weight: 32.0,
        workers: &workers,
        ..Scene::default()
    };
    scene.check(0.25, [0.1, 0.75], 2.0, 5.0);
}

#[test]
fn the_first_trials_take_longer() {
    let warming = |_, trial: u64| if trial < 4 { 50.0 } else { 10.0 };
    let workers = [(4, 0.0, FOR_EVER)];
    let scene = Scene { stages: &[200], secs: &warming, expected: Some(10.0), workers: &workers, ..Scene::default() };
    scene.check(0.5, [0.2, 1.0], 2.0, 2.0);
}

#[test]
fn the_last_trial_of_a_stage_takes_longer() {
    let last = |_, trial: u64| if trial == 199 { 100.0 } else { 10.0 };
    let workers = [(4, 0.0, FOR_EVER)];
    let scene = Scene { stages: &[200], secs: &last, expected: Some(10.0), workers: &workers, ..Scene::default() };
    for sample in scene.run(0.5).into_iter().filter(|sample| sample.at > 520.0 && sample.left[0] > 0.0) {
        let [told, _] = sample.told.expect("something is told");
        // It is taken to be half done: what has passed is what is to come.
        assert!(told > 9.0 && told < 110.0, "{told}: {sample:?}");
    }
}

#[test]
fn a_run_that_is_taken_up_again() {
    Scene { stages: &[200], stored: 150, ..Scene::default() }.check(0.5, ALL, 1.05, 1.0);
    // Trials that were stored before say nothing of how fast it goes now.
    let scene = Scene { stages: &[10_000], stored: 9_980, expected: Some(40.0), ..Scene::default() };
    scene.check(0.5, ALL, 1.5, 1.0);
}

/// Who will come or go is not known before; then it counts at once.
#[test]
fn workers_come_and_go() {
    let scene = |workers| Scene { stages: &[100], workers, ..Scene::default() };
    let coming = [(2, 0.0, FOR_EVER), (6, 300.0, FOR_EVER)];
    scene(&coming).check(0.5, [0.52, 1.0], 1.2, 2.0);
    let going = [(2, 0.0, FOR_EVER), (6, 0.0, 180.0)];
    scene(&going).check(0.5, [0.2, 1.0], 1.2, 2.0);
    let pause = [(4, 0.0, 100.0), (4, 400.0, FOR_EVER)];
    for sample in scene(&pause).run(0.5).into_iter().filter(|sample| (100.0..400.0).contains(&sample.at)) {
        assert_eq!(sample.told, None, "nobody works: {sample:?}");
    }
}

#[test]
fn stages_that_follow_count_with_their_own_rounds() {
    let workers = [(16, 0.0, FOR_EVER)];
    let stages = [24; 10];
    let scene = Scene { stages: &stages, workers: &workers, ..Scene::default() };
    scene.check(0.5, ALL, 1.05, 1.0);
    // What was seen of the first stages corrects what is expected of later ones.
    Scene { expected: Some(100.0), ..scene }.check(0.5, [0.06, 1.0], 1.6, 5.0);
    let varied = |stage, trial| 5.0 + 10.0 * chance(stage, trial);
    let scene = Scene { stages: &stages, workers: &workers, secs: &varied, expected: Some(10.0), ..Scene::default() };
    for sample in scene.run(0.5).into_iter().filter(|sample| sample.progress < 0.95) {
        let ([_, told], [_, left]) = (sample.told.expect("something is told"), sample.left);
        assert!(told < 2.0 * left && left < 2.0 * told, "{sample:?}");
    }
}

/// Threads wait longer for trials than trials take.
#[test]
fn short_trials_count_with_what_goes_between_them() {
    let workers = [(4, 0.0, FOR_EVER)];
    let secs = |_, _| 0.001;
    let scene = Scene {
        stages: &[40_000],
        secs: &secs,
        expected: Some(0.001),
        pause: 0.009,
        workers: &workers,
        ..Scene::default()
    };
    scene.check(0.01, [0.05, 1.0], 1.3, 0.5);
}

/// While it runs, no trial ends for longer than short ones are remembered.
#[test]
fn a_long_trial_between_short_ones_changes_no_estimate() {
    let stages = [400, 1, 400, 1, 400, 1, 400, 400];
    let secs = |stage: u32, _| if [1, 3, 5].contains(&stage) { 20.0 } else { 0.1 };
    let scene = Scene { stages: &stages, secs: &secs, expected: Some(0.1), single: Some(30.0), ..Scene::default() };
    for sample in scene.run(0.05).into_iter().filter(|sample| sample.progress > 0.05) {
        let ([_, told], [_, left]) = (sample.told.expect("something is told"), sample.left);
        assert!((told - left).abs() <= 5.0 || (told < 1.4 * left && left < 1.4 * told), "{sample:?}");
    }
}
