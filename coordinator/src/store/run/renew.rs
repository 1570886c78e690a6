//! Replacing the experiment of a run: by one with new values of keys that change no result, or by a longer one.

use experiments::Experiment;
use rusqlite::{Transaction, params};
use serde_json::json;

use super::{
    super::{
        Blobs, Error, events,
        extend::{Grown, Longer},
        facts,
        load::{self, Loaded},
        stored,
    },
    RunStore, begin,
};
use crate::core::{OpenRun, RunState};

impl RunStore {
    /// Takes keys that change no result, and the questions, from `experiment`, which is that of the run. Returns the
    /// run then, with the artifacts of its open stage; `None` if only questions are new.
    ///
    /// # Errors
    /// The files or the database cannot be written.
    pub fn change(&mut self, source: &str, experiment: &Experiment) -> Result<Option<(OpenRun, Blobs)>, Error> {
        let mut changes = experiment.differences(&self.experiment);
        changes.retain(|change| change.key != "analysis");
        // The files last: as long as they have the old values, this is repeated.
        let stands = if changes.is_empty() {
            None
        } else {
            Some(self.renew(|tx| facts::change(tx, experiment, &changes), experiment.audit())?)
        };
        self.directory.update(source, experiment)?;
        self.directory.changes.clear();
        (self.plan, self.experiment) = (experiments::plan(experiment), experiment.clone());
        Ok(stands)
    }

    /// Makes the run that of `longer`, which asks for more of the same. The run then has another id; its results are
    /// kept, except for a final stage that the longer run does not have.
    ///
    /// # Errors
    /// `longer` is not such an experiment, or the files or the database cannot be read or written. The run is unchanged
    /// then.
    pub fn extend(&mut self, source: &str, longer: &Experiment) -> Result<(OpenRun, Blobs), Error> {
        let path = self.directory.path().to_owned();
        longer.lengthens(&self.experiment).map_err(|why| Error::NotLonger { path: path.clone(), why })?;
        let (database, from) = (self.database(), self.id);
        let plan = experiments::plan(longer);
        self.directory.prepare(source, longer)?;
        let written = |error| Error::database(&database, error);
        let tx = begin(&mut self.conn).map_err(written)?;
        let shorter = &self.experiment;
        let grown =
            Longer { tx: &tx, database: &database, directory: &path, shorter, longer, plan: plan.as_ref() }.regrow()?;
        let work = || -> rusqlite::Result<(Loaded, Blobs)> {
            let id = load::id_of(longer);
            tx.execute(
                "UPDATE run SET id = ?1, name = ?2, experiment_hash = ?3, reproducible = ?4",
                params![id, longer.name(), longer.hash(), longer.reproducible()],
            )?;
            if grown.open && self.state.is_ended() {
                tx.execute("UPDATE run SET state = ?1, ended_at = NULL", [RunState::Running.name()])?;
            }
            let detail = json!({
                "from": from.to_string(), "to": id, "keys": facts::detail(&longer.differences(shorter)),
                "dropped_stages": grown.dropped_stages, "dropped_trials": grown.dropped_trials, "more": grown.open,
            });
            events::insert(&tx, "extended", &detail)?;
            let loaded = load::load(&tx, longer.audit())?;
            let artifacts = stored::artifacts_of(&tx, &loaded.stage)?;
            self.commits.count(&tx)?;
            Ok((loaded, artifacts))
        };
        let (loaded, artifacts) = work().map_err(written)?;
        tx.commit().map_err(written)?;
        self.commits.made();
        if grown.dropped_trials > 0 {
            let Grown { dropped_stages, dropped_trials, .. } = grown;
            tracing::warn!(
                "{dropped_trials} trials of {dropped_stages} stages that ended the shorter run are dropped: the longer \
                 run goes on there"
            );
        }
        if let Err(error) = self.directory.settle() {
            // Done when the run is opened next; until then readers find the files by the hash in the database.
            tracing::warn!("{}", error.chain());
        }
        (self.id, self.experiment, self.plan) = (loaded.open.run, longer.clone(), plan);
        Ok((self.stand(loaded), artifacts))
    }

    /// The run as it is, with the artifacts of its open stage.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn stands(&mut self) -> Result<(OpenRun, Blobs), Error> {
        self.renew(|_| Ok(()), self.experiment.audit())
    }

    /// Runs `work` in a transaction and reads the run again.
    fn renew(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
        audit: f64,
    ) -> Result<(OpenRun, Blobs), Error> {
        let path = self.database();
        let read = || -> rusqlite::Result<(Loaded, Blobs)> {
            let tx = begin(&mut self.conn)?;
            work(&tx)?;
            let loaded = load::load(&tx, audit)?;
            let artifacts = stored::artifacts_of(&tx, &loaded.stage)?;
            self.commits.count(&tx)?;
            tx.commit()?;
            self.commits.made();
            Ok((loaded, artifacts))
        };
        let (loaded, artifacts) = read().map_err(|error| Error::database(&path, error))?;
        Ok((self.stand(loaded), artifacts))
    }

    /// Takes over what was read of the run.
    fn stand(&mut self, loaded: Loaded) -> OpenRun {
        let Loaded { open, stage, workers, headline } = loaded;
        (self.stage, self.workers, self.headline) = (stage, workers, headline);
        self.any_quarantined = !open.quarantined.is_empty();
        self.state = open.state;
        open
    }
}
