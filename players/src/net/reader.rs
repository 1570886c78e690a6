//! Positions into a network, and what comes out.

use games::{Game, Moves as _, Seat, Turn, View};
use nets::{Architecture, Evaluator, Incremental, Net};

/// How the first layer is computed.
#[derive(Clone, Debug)]
enum Arithmetic {
    Float(Box<Evaluator>),
    Fixed(Box<Incremental>),
}

/// A network that fits a game.
#[derive(Clone, Debug)]
pub struct NetReader {
    arithmetic: Arithmetic,
    architecture: Architecture,
    /// Place of its encoding among the game's.
    encoding: usize,
    view: View,
    inputs: Vec<f32>,
    outputs: Vec<f32>,
    /// Outputs of rows that were read together.
    together: Vec<f32>,
    priors: Vec<f32>,
}

impl NetReader {
    /// The network, for the game of `start`.
    ///
    /// # Errors
    /// How it does not fit.
    pub fn new<G: Game>(net: &Net, start: &G) -> Result<Self, String> {
        let evaluator = Arithmetic::Float(Box::new(Evaluator::new(net)));
        NetReader::with(net.architecture(), start, |_| Ok(evaluator))
    }

    /// The same with the first layer in fixed point.
    ///
    /// # Errors
    /// How it does not fit.
    pub fn in_fixed_point<G: Game>(net: &Net, start: &G) -> Result<Self, String> {
        NetReader::with(net.architecture(), start, |limit| {
            let incremental = Incremental::new(net, limit);
            let made = incremental.map(|incremental| Arithmetic::Fixed(Box::new(incremental)));
            made.ok_or_else(|| "the network has no hidden layer that could be in fixed point".to_owned())
        })
    }

    fn with<G: Game>(
        architecture: &Architecture,
        start: &G,
        arithmetic: impl FnOnce(u32) -> Result<Arithmetic, String>,
    ) -> Result<Self, String> {
        let (game, encodings) = (start.facts().name, start.encodings());
        let reads = architecture.encoding();
        let Some((of, name)) = reads.split_once('/') else {
            return Err(format!("the network reads `{reads}`, and players take GAME/ENCODING such as `{game}/mover`"));
        };
        if of != game {
            return Err(format!("the network reads positions of {of}, and the game is {game}"));
        }
        let Some(place) = encodings.iter().position(|encoding| encoding.name == name) else {
            let known = encodings.iter().map(|encoding| encoding.name).collect::<Vec<_>>().join(", ");
            return Err(format!("the network reads `{name}`, and {game} has {known}"));
        };
        let encoding = &encodings[place];
        if architecture.inputs() != encoding.inputs {
            return Err(format!(
                "the network has {} inputs, and `{name}` has {} on this board",
                architecture.inputs(),
                encoding.inputs
            ));
        }
        if let (Some(numbers), Some(size)) = (architecture.policy(), start.policy_size())
            && numbers != size
        {
            return Err(format!("the network's policy has {numbers} numbers, and this board takes {size}"));
        }
        Ok(NetReader {
            arithmetic: arithmetic(encoding.limit)?,
            encoding: place,
            view: encoding.view,
            inputs: vec![0.0; encoding.inputs],
            outputs: vec![0.0; architecture.outputs()],
            together: Vec::new(),
            priors: Vec::new(),
            architecture: architecture.clone(),
        })
    }

    /// Its layers and heads.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Place of the encoding that it reads among those of the game.
    pub fn encoding(&self) -> usize {
        self.encoding
    }

    /// Reads a position at which a player moves.
    pub fn read<G: Game>(&mut self, position: &G) {
        position.encode(self.encoding, &mut self.inputs);
        match &mut self.arithmetic {
            Arithmetic::Float(evaluator) => evaluator.evaluate(&self.inputs, &mut self.outputs),
            Arithmetic::Fixed(incremental) => {
                incremental.set_all(&self.inputs);
                incremental.outputs(&mut self.outputs);
            }
        }
    }

    /// Reads positions together and calls `take` after each, in their order, as if it had been read alone.
    pub fn read_all<'a, G: Game>(
        &mut self,
        positions: impl Iterator<Item = &'a G> + Clone,
        mut take: impl FnMut(&mut Self, usize),
    ) {
        let Arithmetic::Float(evaluator) = &mut self.arithmetic else {
            for (place, position) in positions.enumerate() {
                self.read(position);
                take(self, place);
            }
            return;
        };
        let (width, outs) = (self.architecture.inputs(), self.architecture.outputs());
        let count = positions.clone().count();
        self.inputs.resize(count.max(1) * width, 0.0);
        for (position, inputs) in positions.zip(self.inputs.chunks_exact_mut(width)) {
            position.encode(self.encoding, inputs);
        }
        let mut together = std::mem::take(&mut self.together);
        together.resize(count * outs, 0.0);
        evaluator.evaluate(&self.inputs[..count * width], &mut together);
        self.inputs.truncate(width);
        for (place, outputs) in together.chunks_exact(outs).enumerate() {
            self.outputs.copy_from_slice(outputs);
            take(self, place);
        }
        self.together = together;
    }

    /// The seat whose view inputs and outputs are of.
    fn viewer<G: Game>(&self, position: &G) -> Seat {
        match (self.view, position.mover()) {
            (View::Mover, Turn::Player(seat)) => seat,
            _ => 0,
        }
    }

    /// Points of each seat that the network expects at the position read last; draws where it says nothing of them.
    pub fn points<G: Game>(&self, position: &G) -> [f64; 2] {
        let points = self.architecture.points(&self.outputs).unwrap_or(0.5);
        of_viewer(self.viewer(position), points)
    }

    /// Points of each seat of the likeliest outcome at the position read last, if its output is at least `threshold`; of equal
    /// ones a win of the viewer, then a draw. `None` also in a network without an outcome.
    pub fn decided<G: Game>(&self, position: &G, threshold: f32) -> Option<[f64; 2]> {
        self.architecture.outcome()?;
        let (mut best, mut points) = (self.outputs[0], 1.0);
        for (&output, of) in self.outputs[1..3].iter().zip([0.5, 0.0]) {
            if output > best {
                (best, points) = (output, of);
            }
        }
        (best >= threshold).then(|| of_viewer(self.viewer(position), points))
    }

    /// The policy's probabilities of the moves of the position read last, in the game's order; all alike in a network without a
    /// policy.
    pub fn priors<G: Game>(&mut self, position: &G) -> &[f32] {
        let moves = position.moves();
        self.priors.clear();
        if self.architecture.policy().is_some() {
            let logits = &self.outputs[self.architecture.policy_at()..];
            self.priors.extend((0..moves.len()).map(|index| logits[position.policy_index(moves.get(index))]));
        } else {
            self.priors.resize(moves.len(), 0.0);
        }
        nets::softmax(&mut self.priors);
        &self.priors
    }
}

/// Points by seat.
fn of_viewer(viewer: Seat, points: f64) -> [f64; 2] {
    if viewer == 0 { [points, 1.0 - points] } else { [1.0 - points, points] }
}
