//! A study that is another one with more runs, or with more problems and players.

use record::study::{AGENT, PROBLEM, study_shape};

use super::Study;
use crate::growth::{Growth, places};

impl Study {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a study grows by `study.runs` (also through `scale`), and by problems and players \
                                    that leave the others in their order";

    /// This study with as much of `longer` as a longer study may have, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        let mut study = self.clone();
        if places(self.problems.iter(), longer.problems.iter()).is_some() {
            study.problems.clone_from(&longer.problems);
        }
        if places(self.players.iter(), longer.players.iter()).is_some() {
            study.players.clone_from(&longer.players);
        }
        if longer.runs(scales[1]) < self.runs(scales[0]) {
            return (study, scales[0]);
        }
        study.runs = longer.runs;
        (study, scales[1])
    }

    /// Where the runs of this study stand in a longer one.
    pub(crate) fn growth(&self, longer: &Self, scales: [f64; 2]) -> Option<Growth> {
        let runs = [self.runs(scales[0]), longer.runs(scales[1])];
        if self.problems == longer.problems && self.players == longer.players {
            return Some(Growth::of_cells(runs));
        }
        let problems = places(self.problems.iter(), longer.problems.iter())?;
        let players = places(self.players.iter(), longer.players.iter())?;
        let wide = longer.players.len() as u64;
        let cells = problems.iter().flat_map(|problem| players.iter().map(move |player| problem * wide + player));
        let cells = cells.collect();
        Some(Growth::new(runs, cells, vec![(PROBLEM, problems), (AGENT, players)], &study_shape()))
    }
}
