//! What a net is trained from: rows of inputs with what their outputs should be.

/// What the outputs of a row should be. Heads that the net does not have are passed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target<'a> {
    /// Shares of a win of the viewer, a draw and a loss.
    pub outcome: [f32; 3],
    /// Points of the viewer, from 0 to 1.
    pub value: f32,
    /// The legal moves' places in the policy, each with its share; shares sum to 1. Empty where nothing is known: then the row
    /// teaches the policy nothing. Moves that are not listed are taken for illegal, and their logits are not trained.
    pub policy: &'a [(u16, f32)],
}

impl<'a> Target<'a> {
    /// The target of a game that ended with these points of the viewer: 1 for a win, 0.5 for a draw, 0 for a loss. Points
    /// between are those of a win with that probability, and else a loss.
    pub fn of_points(points: f32, policy: &'a [(u16, f32)]) -> Self {
        let outcome = if points == 0.5 { [0.0, 1.0, 0.0] } else { [points, 0.0, 1.0 - points] };
        Target { outcome, value: points, policy }
    }
}

/// Inputs of all rows. Quarters from -32 to 31.75 take a byte each; if there is any other number, all take four.
#[derive(Clone, Debug)]
enum Rows {
    Quarters(Vec<i8>),
    Floats(Vec<f32>),
}

/// Rows of inputs with their targets.
#[derive(Clone, Debug)]
pub struct Data {
    width: usize,
    rows: Rows,
    outcomes: Vec<[f32; 3]>,
    values: Vec<f32>,
    /// Policies of all rows, one behind the other.
    policies: Vec<(u16, f32)>,
    /// Where each row's policy ends.
    ends: Vec<usize>,
}

impl Data {
    /// No rows yet; each will have so many inputs, at least 1.
    pub fn new(inputs: usize) -> Self {
        Data {
            width: inputs.max(1),
            rows: Rows::Quarters(Vec::new()),
            outcomes: Vec::new(),
            values: Vec::new(),
            policies: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// It has another number of inputs.
    pub fn push(&mut self, inputs: &[f32], target: &Target<'_>) {
        assert_eq!(inputs.len(), self.width, "inputs of a row");
        if let Rows::Quarters(rows) = &mut self.rows {
            let before = rows.len();
            rows.extend(inputs.iter().map_while(|&x| quarters(x)));
            if rows.len() < before + self.width {
                rows.truncate(before);
                self.rows = Rows::Floats(rows.iter().map(|&x| f32::from(x) / 4.0).collect());
            }
        }
        if let Rows::Floats(rows) = &mut self.rows {
            rows.extend_from_slice(inputs);
        }
        self.outcomes.push(target.outcome);
        self.values.push(target.value);
        self.policies.extend_from_slice(target.policy);
        self.ends.push(self.policies.len());
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Number of inputs of a row.
    pub fn inputs(&self) -> usize {
        self.width
    }

    /// Writes the inputs of a row into `inputs`.
    ///
    /// # Panics
    /// There is no such row, or `inputs` has another length.
    pub fn row(&self, row: usize, inputs: &mut [f32]) {
        let range = row * self.width..(row + 1) * self.width;
        match &self.rows {
            Rows::Quarters(rows) => {
                assert_eq!(inputs.len(), self.width, "inputs of a row");
                for (input, &x) in inputs.iter_mut().zip(&rows[range]) {
                    *input = f32::from(x) * 0.25;
                }
            }
            Rows::Floats(rows) => inputs.copy_from_slice(&rows[range]),
        }
    }

    /// The target of a row.
    ///
    /// # Panics
    /// There is no such row.
    pub fn target(&self, row: usize) -> Target<'_> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Target { outcome: self.outcomes[row], value: self.values[row], policy: &self.policies[start..self.ends[row]] }
    }

    /// The first place of a policy that is not below `numbers`.
    pub(crate) fn beyond(&self, numbers: usize) -> Option<u16> {
        self.policies.iter().map(|&(place, _)| place).find(|&place| usize::from(place) >= numbers)
    }

    /// Whether all inputs and targets are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let rows = match &self.rows {
            Rows::Quarters(_) => true,
            Rows::Floats(rows) => rows.iter().all(|x| x.is_finite()),
        };
        rows && self.outcomes.as_flattened().iter().chain(&self.values).all(|x| x.is_finite())
            && self.policies.iter().all(|(_, share)| share.is_finite())
    }
}

/// A number in quarters, if it is a multiple of them that fits.
fn quarters(x: f32) -> Option<i8> {
    let quarters = (4.0 * x) as i8;
    (f32::from(quarters) == 4.0 * x).then_some(quarters)
}
