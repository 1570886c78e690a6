//! From the rows of closed stages to folds and artifacts.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use nets::{Architecture, Net};
use record::{
    Row, Stage, Value, columns,
    folds::{PairScore, PlayFold, TrainedNet, TrainingFold},
};

use crate::plan::{Artifact, ClosedRows, PlanError};

/// Kind of the artifacts that are networks.
pub(super) const NET: &str = "net";
/// Kind of those that are games with positions.
const POSITIONS: &str = "positions";

/// Place of a column.
fn place(stage: &Stage, name: &'static str) -> Result<usize, PlanError> {
    stage.shape.index(name).ok_or(PlanError::Fact { stage: stage.index, fact: name })
}

/// The fold of games that give positions, and the positions: the games one behind the other.
pub(super) fn played(stage: &Stage, rows: &mut dyn ClosedRows) -> Result<(PlayFold, Artifact), PlanError> {
    let [points_at, plies_at, positions_at, solved_at, samples_at] =
        [columns::FIRST_POINTS, columns::PLIES, columns::POSITIONS, columns::SOLVED, columns::SAMPLES]
            .map(|name| place(stage, name));
    let at = [points_at?, plies_at?, positions_at?, solved_at?, samples_at?];
    let mut fold = PlayFold { games: 0, positions: 0, plies: 0, first_points: 0.0, solved: 0, headline: String::new() };
    let (mut data, mut wrong) = (Vec::new(), None);
    rows.for_each(&mut |trial, row| {
        let [points, plies, positions, solved, samples] = at.map(|at| row.get(at));
        let (
            Some(Value::Real(points)),
            Some(Value::Int(plies)),
            Some(Value::Int(positions)),
            Some(Value::Int(solved)),
            Some(Value::Text(samples)),
        ) = (points, plies, positions, solved, samples)
        else {
            wrong = Some(trial);
            return;
        };
        if BASE64_STANDARD.decode_vec(samples, &mut data).is_err() {
            wrong = Some(trial);
        }
        fold.games += 1;
        fold.positions += positions.unsigned_abs();
        fold.plies += plies.unsigned_abs();
        fold.first_points += points;
        fold.solved += solved.unsigned_abs();
    })?;
    if let Some(trial) = wrong {
        return Err(PlanError::Row { trial, reason: "it is not a game with positions".to_owned() });
    }
    fold.headline = format!(
        "{} games, {} positions, first seat {:.3}",
        fold.games,
        fold.positions,
        fold.first_points / fold.games.max(1) as f64
    );
    Ok((fold, Artifact { kind: POSITIONS.to_owned(), data }))
}

/// The file of each net; `None` of one whose training was given up.
pub(super) type NetFiles = Vec<Option<Vec<u8>>>;

/// The fold of a training, and the nets.
pub(super) fn trained(
    stage: &Stage,
    rows: &mut dyn ClosedRows,
    nets: &[(String, Architecture)],
) -> Result<(TrainingFold, NetFiles), PlanError> {
    let [net_at, positions_at, epochs_at, tested_at, weights_at] =
        [columns::NET, columns::POSITIONS, columns::EPOCHS, columns::TESTED, columns::WEIGHTS]
            .map(|name| place(stage, name));
    let at = [net_at?, positions_at?, epochs_at?, tested_at?, weights_at?];
    let mut files: NetFiles = vec![None; nets.len()];
    let (mut found, mut wrong) = (Vec::new(), None);
    rows.for_each(&mut |trial, row| match read_trained(row, at, nets) {
        Ok((place, net, file)) => {
            files[place] = Some(file);
            found.push(net);
        }
        Err(reason) => wrong = Some((trial, reason)),
    })?;
    if let Some((trial, reason)) = wrong {
        return Err(PlanError::Row { trial, reason });
    }
    let headline = found.first().map_or_else(String::new, |net: &TrainedNet| {
        let last = net.epochs.last();
        let loss = last.map_or(f64::NAN, |epoch| epoch.held_out.unwrap_or(epoch.loss));
        let right = last.and_then(|epoch| epoch.right).map_or_else(String::new, |right| format!(", {right:.3} right"));
        format!("{}: {} positions, loss {loss:.4}{right}", net.name, net.positions)
    });
    Ok((TrainingFold { nets: found, headline }, files))
}

/// What a row says of a net: its place, its part of the fold, and its file.
fn read_trained(
    row: &Row,
    at: [usize; 5],
    nets: &[(String, Architecture)],
) -> Result<(usize, TrainedNet, Vec<u8>), String> {
    let [place, positions, epochs, tested, weights] = at.map(|at| row.get(at));
    let (
        Some(Value::Int(place)),
        Some(Value::Int(positions)),
        Some(Value::Text(epochs)),
        Some(Value::Text(tested)),
        Some(Value::Text(weights)),
    ) = (place, positions, epochs, tested, weights)
    else {
        return Err("it is not a training".to_owned());
    };
    let place = usize::try_from(*place).ok().filter(|place| *place < nets.len());
    let place = place.ok_or_else(|| format!("its net is not one of {}", nets.len()))?;
    let file = BASE64_STANDARD.decode(weights).map_err(|error| format!("its net is damaged: {error}"))?;
    let net = Net::read(&file).map_err(|error| format!("its net is damaged: {error}"))?;
    if *net.architecture() != nets[place].1 {
        return Err("its net has another architecture".to_owned());
    }
    let unreadable = |error: serde_json::Error| format!("its epochs cannot be read: {error}");
    let trained = TrainedNet {
        name: nets[place].0.clone(),
        hash: Artifact::hash_of(&file),
        positions: positions.unsigned_abs(),
        epochs: serde_json::from_str(epochs).map_err(unreadable)?,
        tested: serde_json::from_str(tested).map_err(unreadable)?,
    };
    Ok((place, trained, file))
}

/// Standard error of the share of the first player of pair 0, whose games come in units of two; `None` with fewer than two
/// whole units.
pub(super) fn error_of_first(stage: &Stage, rows: &mut dyn ClosedRows) -> Result<Option<f64>, PlanError> {
    let (pair_at, points_at) = (place(stage, columns::PAIR)?, place(stage, columns::FIRST_POINTS)?);
    let (mut half, mut count, mut sum, mut squares) = (None, 0u64, 0.0, 0.0);
    rows.for_each(&mut |trial, row| {
        let (Some(Value::Int(0)), Some(Value::Real(first))) = (row.get(pair_at), row.get(points_at)) else { return };
        let points = if trial % 2 == 1 { 1.0 - first } else { *first };
        match half.take() {
            Some((other, before)) if other + 1 == trial && trial % 2 == 1 => {
                let share = (points + before) / 2.0;
                count += 1;
                sum += share;
                squares += share * share;
            }
            _ => half = (trial % 2 == 0).then_some((trial, points)),
        }
    })?;
    if count < 2 {
        return Ok(None);
    }
    let n = count as f64;
    let variance = ((squares - sum * sum / n) / (n - 1.0)).max(0.0);
    Ok(Some((variance / n).sqrt()))
}

pub(super) fn gate_headline(scores: &[PairScore], accepted: bool) -> String {
    let what = if accepted { "the new net plays" } else { "the old net stays" };
    format!("{what}; {}", final_headline(scores))
}

pub(super) fn final_headline(scores: &[PairScore]) -> String {
    let share =
        |score: &PairScore| score.share().map(|share| format!("{} v {}: {share:.3}", score.contestant, score.opponent));
    scores.iter().filter_map(share).collect::<Vec<_>>().join(", ")
}
