//! A count against a model of the database, with commits, the writer's reports of them and the reader's chunks in every order
//! that threads allow.

use std::collections::VecDeque;

use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng as _, SeedableRng as _},
};
use record::columns::match_shape;
use serde_json::json;

use super::*;
use crate::rows::Cells;

/// Games of the stage, in pairs of eight.
const TRIALS: u64 = 48;
/// Trials of a chunk.
const CHUNK: u64 = 7;
const RUN: RunId = RunId([3; 16]);

fn stage() -> Stage {
    Stage {
        index: 4,
        name: "grid".to_owned(),
        trials: TRIALS,
        shape: match_shape(false),
        labels: BTreeMap::new(),
        meta: json!({ "games_per_pair": 8 }),
        artifacts: Vec::new(),
        ahead: 0,
    }
}

/// The row of a trial whose first seat won; each trial has other plies.
fn rows(stage: &Stage, trials: &[u64]) -> Rows {
    let mut rows = Rows::empty(&stage.shape);
    for &trial in trials {
        rows.trials.push(trial);
        rows.elapsed_us.push(1);
        for (column, cells) in stage.shape.columns.iter().zip(&mut rows.columns) {
            match cells {
                Cells::Ints(cells) if column.name == "pair" => cells.push((trial / 8) as i64),
                Cells::Ints(cells) if column.name == "plies" => cells.push(1 << trial),
                Cells::Ints(cells) => cells.push(0),
                Cells::Reals(cells) => cells.push(1.0),
                Cells::Texts(cells) => cells.push(String::new()),
            }
        }
    }
    rows
}

/// The next chunk as a reader finds it now.
fn chunk(stage: &Stage, stored: &BTreeMap<u64, u64>, commits: u64, from: u64) -> GamesChunk {
    let trials: Vec<u64> = stored.range(from..).map(|(&trial, _)| trial).take(CHUNK as usize).collect();
    let whole = trials.len() == CHUNK as usize;
    let end = trials.last().filter(|_| whole).map_or(u64::MAX, |last| last + 1);
    let game = |&trial: &u64| (trial, Game { pair: trial / 8, halves: 2, plies: 1 << trial, elapsed_us: 1 });
    let games = trials.iter().map(game).collect();
    GamesChunk { stage: (from == 0).then(|| stage.clone()), index: stage.index, commits, games, end }
}

#[test]
fn a_trial_counts_once_whenever_it_is_committed_reported_and_read() {
    let stage = stage();
    for seed in 0..3_000 {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut below = |n: u64| chance.next_u64() % n;
        let counting = Counting::default();
        let (mut stored, mut commits) = (BTreeMap::new(), 0);
        // Commits that the writer has not reported yet: it does so in their order.
        let mut reports: VecDeque<(u64, Vec<u64>)> = VecDeque::new();
        let (mut begun, mut from, mut read) = (None, 0, None);
        let report = |counting: &Counting, reports: &mut VecDeque<(u64, Vec<u64>)>| {
            if let Some((commit, trials)) = reports.pop_front()
                && counting.is_asked()
            {
                counting.stored(RUN, &stage, commit, &rows(&stage, &trials), &[]);
            }
        };
        for _ in 0..80 {
            match below(4) {
                0 => {
                    let trials: Vec<u64> = (0..=below(5)).map(|_| below(TRIALS)).collect();
                    let mut fresh: Vec<u64> = trials.into_iter().filter(|trial| !stored.contains_key(trial)).collect();
                    fresh.sort_unstable();
                    fresh.dedup();
                    commits += 1;
                    stored.extend(fresh.iter().map(|&trial| (trial, commits)));
                    reports.push_back((commits, fresh));
                }
                1 => report(&counting, &mut reports),
                2 if begun.is_none() => begun = Some(counting.begin(RUN)),
                2 if read.is_none() && from < u64::MAX => read = Some(chunk(&stage, &stored, commits, from)),
                3 => {
                    if let (Some(begun), Some(chunk)) = (&begun, read.take()) {
                        from = chunk.end;
                        assert_eq!(begun.take(Some(chunk)), from < u64::MAX);
                    }
                }
                _ => {}
            }
        }
        let begun = begun.unwrap_or_else(|| counting.begin(RUN));
        if let Some(chunk) = read.take() {
            from = chunk.end;
            begun.take(Some(chunk));
        }
        while from < u64::MAX {
            let chunk = chunk(&stage, &stored, commits, from);
            from = chunk.end;
            begun.take(Some(chunk));
        }
        while !reports.is_empty() {
            report(&counting, &mut reports);
        }
        let tallies = counting.known(RUN).flatten().expect("it is complete");
        assert_eq!(tallies.games, stored.len() as u64, "seed {seed}");
        // Plies are one bit for each trial.
        let plies = tallies.pairs.iter().map(|tally| tally.plies).sum::<u64>();
        assert_eq!(plies, stored.keys().map(|trial| 1 << trial).sum::<u64>(), "seed {seed}");
    }
}
