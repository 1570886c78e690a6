//! What a net is made of, as one line of text.

use std::{fmt, str::FromStr};

/// Most inputs, and most numbers of a policy.
const WIDTH_MAX: usize = 65_535;
/// Most units of a hidden layer.
const UNITS_MAX: usize = 4_096;
/// Most hidden layers.
const LAYERS_MAX: usize = 128;
/// Most weights.
const WEIGHTS_MAX: usize = 16 << 20;

/// A function of one number behind a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The number, or 0 if that is greater.
    Relu,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
}

impl Activation {
    const ALL: [(&'static str, Activation); 3] =
        [("relu", Activation::Relu), ("sigmoid", Activation::Sigmoid), ("tanh", Activation::Tanh)];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|known| known.1 == self).expect("all are listed").0
    }
}

/// A hidden layer. W and b are tensors of its own, `a` its activation, and h what the layer before it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// `a(W h + b)`, with so many units.
    Dense(usize, Activation),
    /// `h + a(W h + b)`.
    Residual(Activation),
    /// `a(h + W2 a(W1 h + b1) + b2)`.
    Block(Activation),
}

/// What the three numbers of an outcome (the viewer wins, draw, the viewer loses) pass through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Each a sigmoid of its own.
    Sigmoid,
    /// Probabilities that sum to 1.
    Softmax,
}

/// What the number of a value passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOutput {
    /// From 0 for a loss of the viewer to 1 for a win.
    Sigmoid,
    /// From -1 to 1.
    Tanh,
}

/// Layers and heads of a net, and what its inputs mean.
///
/// As text, words between blanks in this order: `encoding=NAME inputs=N hidden=LAYER,… outcome=… value=… policy=N`. A layer is
/// `UNITS:ACTIVATION`, `residual:ACTIVATION` or `block:ACTIVATION`; activations are `relu`, `sigmoid` and `tanh`. Heads are
/// `outcome=sigmoid|softmax`, `value=sigmoid|tanh` and `policy=N`; at least one is there. `hidden` may be absent. So
/// `encoding=dots-and-boxes/paper inputs=85 hidden=100:sigmoid outcome=sigmoid`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architecture {
    encoding: String,
    inputs: usize,
    hidden: Vec<Layer>,
    outcome: Option<Outcome>,
    value: Option<ValueOutput>,
    policy: Option<usize>,
}

/// Why a text is not an architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an architecture: {reason}; one is `{EXAMPLE}`")]
pub struct ArchitectureError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

/// An architecture for error messages.
const EXAMPLE: &str = "encoding=dots-and-boxes/paper inputs=85 hidden=100:sigmoid outcome=sigmoid";

/// One linear map of a net: a tensor of weights `[outputs, inputs]` and one of biases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear {
    /// Name of its tensors without `.weight` and `.bias`.
    pub(crate) name: String,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// What a linear map of the hidden layers adds from an earlier buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    None,
    /// The buffer before the last is added to the sums, before the activation.
    Before,
    /// The map's own inputs are added behind the activation.
    After,
}

/// A step of the hidden layers: a linear map of the last buffer, which makes the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) activation: Activation,
    pub(crate) skip: Skip,
}

impl Architecture {
    /// Name of what its inputs are, for those who make them: without blanks.
    pub fn encoding(&self) -> &str {
        &self.encoding
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The hidden layers, from the inputs on.
    pub fn hidden(&self) -> &[Layer] {
        &self.hidden
    }

    /// The head of three numbers, if there is one.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The head of one number, if there is one.
    pub fn value(&self) -> Option<ValueOutput> {
        self.value
    }

    /// Numbers of the policy, if there is one.
    pub fn policy(&self) -> Option<usize> {
        self.policy
    }

    /// Number of outputs: those of the outcome, the value and the policy, in this order.
    pub fn outputs(&self) -> usize {
        self.policy_at() + self.policy.unwrap_or(0)
    }

    /// Place of the value among the outputs.
    pub fn value_at(&self) -> usize {
        if self.outcome.is_some() { 3 } else { 0 }
    }

    /// Place of the policy's first number among the outputs.
    pub fn policy_at(&self) -> usize {
        self.value_at() + usize::from(self.value.is_some())
    }

    /// Points that the viewer of a row of outputs expects, from 0 to 1: of the value, or of the outcome (its share of a win
    /// and half its share of a draw); `None` if the net has neither.
    pub fn points(&self, outputs: &[f32]) -> Option<f64> {
        let value = || f64::from(outputs[self.value_at()]);
        match self.value {
            Some(ValueOutput::Sigmoid) => return Some(value()),
            Some(ValueOutput::Tanh) => return Some(0.5 + 0.5 * value()),
            None => {}
        }
        self.outcome.map(|_| {
            let [win, draw, loss] = [0, 1, 2].map(|at| f64::from(outputs[at]));
            let sum = win + draw + loss;
            if sum > 0.0 { (win + 0.5 * draw) / sum } else { 0.5 }
        })
    }

    /// Number of weights, biases included.
    pub fn weights(&self) -> usize {
        self.linears().iter().map(|linear| linear.outputs * (linear.inputs + 1)).sum()
    }

    /// Width of the last hidden layer, which heads read.
    pub(crate) fn top(&self) -> usize {
        self.steps().last().map_or(self.inputs, |step| step.outputs)
    }

    /// The steps of the hidden layers.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for layer in &self.hidden {
            let width = steps.last().map_or(self.inputs, |step| step.outputs);
            let same = |activation, skip| Step { inputs: width, outputs: width, activation, skip };
            match *layer {
                Layer::Dense(outputs, activation) => {
                    steps.push(Step { inputs: width, outputs, activation, skip: Skip::None });
                }
                Layer::Residual(activation) => steps.push(same(activation, Skip::After)),
                Layer::Block(activation) => {
                    steps.extend([same(activation, Skip::None), same(activation, Skip::Before)]);
                }
            }
        }
        steps
    }

    /// All linear maps: those of the steps, then those of the heads.
    pub(crate) fn linears(&self) -> Vec<Linear> {
        let mut names = Vec::new();
        for (place, layer) in self.hidden.iter().enumerate() {
            match layer {
                Layer::Dense(..) | Layer::Residual(_) => names.push(format!("hidden.{place}")),
                Layer::Block(_) => names.extend(["first", "second"].map(|map| format!("hidden.{place}.{map}"))),
            }
        }
        let of_step = |(name, step): (String, Step)| Linear { name, inputs: step.inputs, outputs: step.outputs };
        let mut linears: Vec<Linear> = names.into_iter().zip(self.steps()).map(of_step).collect();
        let heads = [("outcome", self.outcome.map(|_| 3)), ("value", self.value.map(|_| 1)), ("policy", self.policy)];
        let top = self.top();
        let of_head = |(name, outputs): (&str, Option<usize>)| {
            Some(Linear { name: name.to_owned(), inputs: top, outputs: outputs? })
        };
        linears.extend(heads.into_iter().filter_map(of_head));
        linears
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "encoding={} inputs={}", self.encoding, self.inputs)?;
        for (place, layer) in self.hidden.iter().enumerate() {
            f.write_str(if place == 0 { " hidden=" } else { "," })?;
            match layer {
                Layer::Dense(units, activation) => write!(f, "{units}:{}", activation.name())?,
                Layer::Residual(activation) => write!(f, "residual:{}", activation.name())?,
                Layer::Block(activation) => write!(f, "block:{}", activation.name())?,
            }
        }
        match self.outcome {
            Some(Outcome::Sigmoid) => f.write_str(" outcome=sigmoid")?,
            Some(Outcome::Softmax) => f.write_str(" outcome=softmax")?,
            None => {}
        }
        match self.value {
            Some(ValueOutput::Sigmoid) => f.write_str(" value=sigmoid")?,
            Some(ValueOutput::Tanh) => f.write_str(" value=tanh")?,
            None => {}
        }
        self.policy.map_or(Ok(()), |numbers| write!(f, " policy={numbers}"))
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Self, ArchitectureError> {
        parse(text).map_err(|reason| ArchitectureError { text: text.chars().take(400).collect(), reason })
    }
}

/// Reads an architecture, or says why it is none.
fn parse(text: &str) -> Result<Architecture, String> {
    let mut found = Architecture {
        encoding: String::new(),
        inputs: 0,
        hidden: Vec::new(),
        outcome: None,
        value: None,
        policy: None,
    };
    let mut seen: Vec<&str> = Vec::new();
    for word in text.split_ascii_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`"))?;
        if seen.contains(&key) {
            return Err(format!("`{key}` stands there twice"));
        }
        seen.push(key);
        match key {
            "encoding" => found.encoding = encoding(value)?,
            "inputs" => found.inputs = number(value, key, WIDTH_MAX)?,
            "hidden" => found.hidden = layers(value)?,
            "outcome" => {
                found.outcome = Some(match value {
                    "sigmoid" => Outcome::Sigmoid,
                    "softmax" => Outcome::Softmax,
                    _ => return Err(format!("`outcome` is `sigmoid` or `softmax`, not `{value}`")),
                });
            }
            "value" => {
                found.value = Some(match value {
                    "sigmoid" => ValueOutput::Sigmoid,
                    "tanh" => ValueOutput::Tanh,
                    _ => return Err(format!("`value` is `sigmoid` or `tanh`, not `{value}`")),
                });
            }
            "policy" => found.policy = Some(number(value, key, WIDTH_MAX)?),
            _ => return Err(format!("`{key}` is not one of encoding, inputs, hidden, outcome, value, policy")),
        }
    }
    for key in ["encoding", "inputs"] {
        if !seen.contains(&key) {
            return Err(format!("`{key}` is missing"));
        }
    }
    if found.outcome.is_none() && found.value.is_none() && found.policy.is_none() {
        return Err("it has no head: outcome, value or policy".to_owned());
    }
    if found.weights() > WEIGHTS_MAX {
        return Err(format!("it has {} weights, more than {WEIGHTS_MAX}", found.weights()));
    }
    Ok(found)
}

fn encoding(value: &str) -> Result<String, String> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-_/.:+".contains(c);
    if value.is_empty() || value.len() > 200 || !value.chars().all(is_known) {
        return Err(format!("`encoding` is up to 200 letters, digits and -_/.:+, not `{value}`"));
    }
    Ok(value.to_owned())
}

fn number(value: &str, key: &str, most: usize) -> Result<usize, String> {
    let number = value.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("`{key}` is a whole number from 1 to {most}, not `{value}`"))
}

fn layers(value: &str) -> Result<Vec<Layer>, String> {
    let layer = |text: &str| {
        let form = || format!("`{text}` is not a layer: UNITS:ACTIVATION, residual:ACTIVATION or block:ACTIVATION");
        let (kind, activation) = text.split_once(':').ok_or_else(form)?;
        let known = Activation::ALL.iter().find(|(name, _)| *name == activation);
        let activation = known.ok_or_else(|| format!("`{activation}` is not one of relu, sigmoid, tanh"))?.1;
        Ok(match kind {
            "residual" => Layer::Residual(activation),
            "block" => Layer::Block(activation),
            units => Layer::Dense(number(units, "units", UNITS_MAX)?, activation),
        })
    };
    let layers = value.split(',').map(layer).collect::<Result<Vec<Layer>, String>>()?;
    if !matches!(layers[0], Layer::Dense(..)) {
        return Err("the first layer is UNITS:ACTIVATION, since the others are as wide as the layer before".to_owned());
    }
    if layers.len() > LAYERS_MAX {
        return Err(format!("it has {} layers, more than {LAYERS_MAX}", layers.len()));
    }
    Ok(layers)
}
