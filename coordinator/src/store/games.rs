//! Reading the games of an open stage a chunk at a time, so that a reader never holds up the writer for long.

use std::path::{Path, PathBuf};

use record::Stage;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::tallies::{Game, Layout};
use super::{DATABASE, Error, connect_to_read, error::unreadable, schema};

/// Trials of a chunk; few in tests, so that a count has many.
const CHUNK: u32 = if cfg!(test) { 50 } else { 16_384 };

/// Reads the games of the open stage of a run.
pub(crate) struct GamesReader {
    conn: Connection,
    database: PathBuf,
    /// Name of the table of results, once the stage was read.
    table: Option<String>,
    /// The first trial that was not read.
    from: u64,
}

/// Games of consecutive trials.
pub(crate) struct GamesChunk {
    /// The open stage, with the first chunk.
    pub(crate) stage: Option<Stage>,
    /// Its index.
    pub(crate) index: u32,
    /// Number of commits that the database had.
    pub(crate) commits: u64,
    /// The stored games of all trials before `end` that earlier chunks did not have.
    pub(crate) games: Vec<(u64, Game)>,
    /// The first trial of the next chunk; the greatest number if there is none.
    pub(crate) end: u64,
}

impl GamesReader {
    pub(crate) fn open(directory: &Path) -> Result<Self, Error> {
        let conn = connect_to_read(directory)?;
        Ok(GamesReader { conn, database: directory.join(DATABASE), table: None, from: 0 })
    }

    /// The next chunk; `None` if no stage is open, or one of another shape.
    pub(crate) fn next(&mut self) -> Result<Option<GamesChunk>, Error> {
        let GamesReader { conn, database, table, from } = self;
        let mut read = || -> rusqlite::Result<Option<GamesChunk>> {
            let tx = conn.transaction()?;
            let commits: i64 = tx.query_row("SELECT commits FROM run", [], |row| row.get(0))?;
            let open = "SELECT stage FROM stages WHERE state = 'open' ORDER BY stage DESC LIMIT 1";
            let Some(index) = tx.query_row(open, [], |row| row.get(0)).optional()? else { return Ok(None) };
            let stage = match table {
                Some(_) => None,
                None => {
                    let stage = stage(&tx, index)?;
                    if Layout::of(&stage.shape).is_none() {
                        return Ok(None);
                    }
                    *table = Some(schema::results_table(&stage.shape));
                    Some(stage)
                }
            };
            let games = games(&tx, table.as_deref().unwrap_or_default(), index, *from)?;
            let last = games.last().filter(|_| games.len() == CHUNK as usize);
            let end = last.map_or(u64::MAX, |(trial, _)| trial + 1);
            *from = end;
            let games = games.into_iter().filter_map(|(trial, game)| Some((trial, game?))).collect();
            Ok(Some(GamesChunk { stage, index, commits: commits.unsigned_abs(), games, end }))
        };
        read().map_err(|error| Error::database(database, error))
    }
}

fn stage(tx: &Transaction<'_>, index: u32) -> rusqlite::Result<Stage> {
    let spec: String = tx.query_row("SELECT spec FROM stages WHERE stage = ?1", [index], |row| row.get(0))?;
    serde_json::from_str(&spec).map_err(unreadable)
}

/// The rows from trial `from` on, with their games as far as they are some.
fn games(tx: &Transaction<'_>, table: &str, stage: u32, from: u64) -> rusqlite::Result<Vec<(u64, Option<Game>)>> {
    let [pair, points, plies] = Layout::COLUMNS;
    let sql = format!(
        "SELECT trial, elapsed_us, \"{pair}\", \"{points}\", \"{plies}\" FROM \"{table}\" \
         WHERE stage = ?1 AND trial >= ?2 ORDER BY trial LIMIT {CHUNK}"
    );
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let game = |row: &rusqlite::Row<'_>| {
        let elapsed = row.get::<_, i64>(1)?.unsigned_abs();
        let game = Game::of(row.get(2)?, row.get(3)?, row.get(4)?, elapsed);
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), game))
    };
    tx.prepare_cached(&sql)?.query_map(params![stage, from], game)?.collect()
}
