//! The games of a stage of shape `match`, from Parquet, in batches: memory follows the number of pairs, not of games
//! (but for eight bytes a game, its moves' hash).
//!
//! Everything that is added up over games is a whole number, so that neither the size of batches nor their order can
//! move a digit of a table.

use std::{collections::BTreeMap, path::PathBuf};

use polars::prelude::{DataFrame, PolarsError};
use record::columns::{FIRST, PLAYERS, SECOND, match_shape};

use super::{
    Grid, Meta, PairGames,
    games::{Games, Unit},
    pairing::Pairing,
    turns,
};
use crate::{
    Error,
    data::{
        Exported,
        parquet::{self, BATCH, Batch},
    },
    kinds::{
        own::OwnColumns,
        turn_figures::{TurnFigures, with_figures},
        workers::{self, Workers},
    },
};

/// What else the games of a grid need.
const GAME_COLUMNS: [&str; 6] = ["trial", "pair", "unit", "first_points", "score_difference", "moves_hash"];

/// Reads the games of a stage of shape `match`.
pub(crate) fn read(stage: &Exported) -> Result<Grid, Error> {
    let meta: Meta = stage.meta()?;
    let pairing = Pairing::read(stage, &meta.pairs.pairs)?;
    let polars = |error| Error::parquet(&stage.path, error);
    let named = |[a, b]: [&str; 2]| PairGames { a: a.to_owned(), b: b.to_owned(), ..PairGames::default() };
    let common = with_figures(match_shape(true), &meta.turn_figures, &SEATS.map(prefix));
    let own = OwnColumns::of(&stage.spec.shape, &common);
    let players = stage.spec.labels.get(PLAYERS).cloned().unwrap_or_default();
    let groups = players.iter().map(|player| [meta.game.game.clone(), player.clone()]).collect();
    let mut reading = Reading {
        turn_figures: TurnFigures::new(&meta.turn_figures, groups),
        players: players.into_iter().zip(0..).collect(),
        path: stage.path.clone(),
        own: &own,
        pairs: pairing.iter().map(named).collect(),
        hashes: vec![Vec::new(); pairing.count()],
        workers: Workers::new(),
        swapped: meta.swapped(),
    };
    let rows = parquet::rows(&stage.path)?;
    let mut at = 0;
    let has_turns = stage.spec.shape.has(turns::COLUMNS[0]);
    let of_turns: &[&str] = if has_turns { &turns::COLUMNS } else { &[] };
    let own_columns: Vec<&str> = own.names().collect();
    let of_figures: Vec<String> = SEATS.iter().flat_map(|seat| reading.turn_figures.columns(&prefix(seat))).collect();
    let has_figures = !of_figures.is_empty();
    let mut columns = [&workers::COLUMNS[..], &GAME_COLUMNS, of_turns, &own_columns].concat();
    columns.extend(SEATS.iter().filter(|_| has_figures));
    columns.extend(of_figures.iter().map(String::as_str));
    while at < rows {
        let mut batch = parquet::load(&stage.path, &columns, at, BATCH.min(rows - at)).map_err(polars)?;
        if reading.swapped.is_none() && at + batch.height() < rows {
            batch = without_half_a_unit(batch).map_err(polars)?;
        }
        at += batch.height();
        if has_turns {
            reading.add_turns(&batch)?;
        }
        if has_figures {
            reading.add_figures(&batch)?;
        }
        reading.add(&batch)?;
    }
    let Reading { mut pairs, hashes, workers, turn_figures, .. } = reading;
    for (pair, mut hashes) in pairs.iter_mut().zip(hashes) {
        hashes.sort_unstable();
        hashes.dedup();
        pair.distinct = hashes.len() as u64;
    }
    pairs.retain(|pair| pair.games > 0);
    let (stage, trials) = (stage.spec.name.clone(), stage.spec.trials);
    Ok(Grid { meta, pairing, own, stage, pairs, turn_figures, workers, trials })
}

/// Leaves the last row to the next batch if it is the first game of a unit: the second may be there.
fn without_half_a_unit(batch: DataFrame) -> Result<DataFrame, PolarsError> {
    let last = batch.height() - 1;
    let trial = batch.column("trial")?.i64()?.get(last);
    let half = last > 0 && trial.is_some_and(|trial| trial % 2 == 0);
    Ok(if half { batch.slice(0, last) } else { batch })
}

/// Who sat in each seat.
const SEATS: [&str; 2] = [FIRST, SECOND];

/// What the names of a seat's columns begin with.
fn prefix(seat: &str) -> String {
    format!("{seat}_")
}

/// What was read so far.
struct Reading<'a> {
    path: PathBuf,
    own: &'a OwnColumns,
    turn_figures: TurnFigures,
    /// Places of the players by name.
    players: BTreeMap<String, usize>,
    pairs: Vec<PairGames>,
    /// Hashes of the moves of every game, by pair.
    hashes: Vec<Vec<i64>>,
    workers: Workers,
    /// [`Meta::swapped`]
    swapped: Option<bool>,
}

impl Reading<'_> {
    fn add(&mut self, frame: &DataFrame) -> Result<(), Error> {
        let path = self.path.clone();
        let batch = Batch { frame, path: &path };
        let games = Games::of(batch)?;
        let own = self.own.read(batch)?;
        for (row, game) in games.iter(self.swapped).enumerate() {
            let pair = self.pair(game.pair)?;
            pair.add(&game);
            own.add_to(&mut pair.seats[usize::from(game.swapped)].own, row)?;
            // There is such a pair.
            self.hashes[game.pair as usize].push(game.hash);
        }
        for Unit { pair, half_points, margin } in games.units(self.swapped) {
            let pair = self.pair(pair)?;
            pair.unit_half_points.add(half_points, 1);
            pair.unit_margins.add(margin, 1);
        }
        workers::add(&mut self.workers, batch)
    }

    fn add_turns(&mut self, batch: &DataFrame) -> Result<(), Error> {
        let (swapped, pairs) = (self.swapped, &mut self.pairs);
        let count = |turn: &turns::Turn| {
            let of_b = usize::from(swapped.unwrap_or(turn.trial % 2 == 1));
            if let Some(pair) = usize::try_from(turn.pair).ok().and_then(|pair| pairs.get_mut(pair)) {
                pair.turns[turn.seat ^ of_b].count(turn);
            }
        };
        turns::each(batch, count).map_err(|wrong| match wrong {
            turns::Wrong::Polars(error) => Error::parquet(&self.path, error),
            turns::Wrong::Turn { trial, column, found } => {
                Error::contract(&self.path, format!("trial {trial}: `{found}` in `{column}` is no `ply:µs`"))
            }
        })
    }

    fn add_figures(&mut self, frame: &DataFrame) -> Result<(), Error> {
        let batch = Batch { frame, path: &self.path };
        for seat in SEATS {
            let players = batch.texts(seat)?;
            let group = |row: usize| self.players.get(players[row]).copied();
            self.turn_figures.add(batch, &prefix(seat), group)?;
        }
        Ok(())
    }

    fn pair(&mut self, index: i64) -> Result<&mut PairGames, Error> {
        let grid = self.pairs.len();
        let pair = usize::try_from(index).ok().and_then(|index| self.pairs.get_mut(index));
        pair.ok_or_else(|| Error::contract(&self.path, format!("a game of pair {index}, and the grid has {grid}")))
    }
}
