//! Answers of a process: checked against what it was given, then passed on to the outbox.

use std::collections::VecDeque;

use record::{
    Column,
    ColumnType::{Int, Label, Real, Text},
};
use redqueen_wire::{self as wire, column::Values, slot_column::Values as SlotValues};

use crate::{
    job::Portion,
    outbox::{Outbox, Rows},
};

/// Takes `count` trials from `start` off the front of `pending`; `None` if they are not what comes next.
fn settle(pending: &mut VecDeque<Portion>, start: u64, count: u64) -> Option<Portion> {
    let front = pending.front_mut()?;
    let end = start.checked_add(count)?;
    if count == 0 || start != front.trials.start || end > front.trials.end {
        return None;
    }
    let settled = front.part(start..end);
    front.trials.start = end;
    if front.trials.is_empty() {
        pending.pop_front();
    }
    Some(settled)
}

/// Takes in rows; `None` if they are not those of the next trials.
pub(super) fn rows(pending: &mut VecDeque<Portion>, outbox: &Outbox, rows: wire::TrialRows) -> Option<()> {
    let count = rows.elapsed_us.len();
    let settled = settle(pending, rows.start, count as u64)?;
    settled.job.learn(&rows.elapsed_us);
    let columns = columns(&settled, rows.columns, count)?;
    outbox.put(&settled.job.stage, Rows { start: rows.start, elapsed_us: rows.elapsed_us, columns });
    Some(())
}

/// The columns as a batch has them; `None` if they are not those of the stage.
fn columns(settled: &Portion, columns: Vec<wire::SlotColumn>, count: usize) -> Option<Vec<Values>> {
    let shape = &settled.job.shape.columns;
    if columns.len() != shape.len() {
        return None;
    }
    let column = |(column, shape): (wire::SlotColumn, &Column)| {
        let (length, values) = match (column.values?, shape.kind) {
            (SlotValues::Ints(ints), Int | Label) => {
                (ints.values.len(), Values::Ints(wire::Ints { values: ints.values }))
            }
            (SlotValues::Reals(reals), Real) => (reals.values.len(), Values::Reals(reals)),
            (SlotValues::Texts(texts), Text) => (texts.values.len(), Values::Texts(texts)),
            _ => return None,
        };
        (length == count).then_some(values)
    };
    columns.into_iter().zip(shape).map(column).collect()
}

/// Takes in a failure; `None` if it is not that of the next trial.
pub(super) fn failure(pending: &mut VecDeque<Portion>, outbox: &Outbox, failure: wire::TrialFailure) -> Option<()> {
    let settled = settle(pending, failure.trial, 1)?;
    let stage = Some(settled.job.stage.to_wire());
    outbox.fail(wire::TrialFailed { stage, trial: failure.trial, error: failure.error });
    Some(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::job::tests::job;

    fn answer(start: u64, count: usize, texts: usize) -> wire::TrialRows {
        let ints = SlotValues::Ints(wire::FixedInts { values: vec![7; count] });
        let texts = SlotValues::Texts(wire::Texts { values: vec![String::new(); texts] });
        let columns = [ints, texts].map(|values| wire::SlotColumn { values: Some(values) }).to_vec();
        wire::TrialRows { start, elapsed_us: vec![1; count], columns }
    }

    #[test]
    fn answers_settle_trials_in_order_and_nothing_else() {
        let job = Arc::new(job(0));
        let mut pending = VecDeque::from([Portion::new(Arc::clone(&job), 3..6), Portion::new(job, 6..8)]);
        let outbox = Outbox::default();
        for wrong in [answer(4, 1, 1), answer(3, 4, 4), answer(3, 0, 0)] {
            assert_eq!(rows(&mut pending, &outbox, wrong), None);
        }
        assert_eq!(rows(&mut pending, &outbox, answer(3, 2, 2)), Some(()));
        let failed = |trial| wire::TrialFailure { trial, error: "no".to_owned() };
        assert_eq!(failure(&mut pending, &outbox, failed(6)), None);
        assert_eq!(failure(&mut pending, &outbox, failed(5)), Some(()));
        assert_eq!(pending.len(), 1);
        assert_eq!(pending[0].trials, 6..8);
        assert_eq!(rows(&mut pending, &outbox, answer(6, 2, 1)), None, "a column is short");
        assert_eq!(outbox.next_batch().expect("a batch").trials, [3, 4]);
        assert_eq!(outbox.next_failure().expect("a failure").trial, 5);
    }
}
