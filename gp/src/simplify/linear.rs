//! Numbers as linear combinations of atoms.

use super::{Condition, condition::Question, steps};
use crate::{
    Inputs,
    evaluate::{divide, ln},
};

/// A number that is not a sum.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// The position's number of this index.
    Number(u8),
    /// The first number where the condition holds, else the second.
    Either(Box<Condition>, Linear, Linear),
    /// A product, neither side constant.
    Times(Linear, Linear),
    /// A protected quotient.
    Divide(Linear, Linear),
    /// Square root of the absolute value.
    Sqrt(Linear),
    /// Protected logarithm.
    Ln(Linear),
    /// Logarithm of the absolute value.
    LnAbs(Linear),
}

/// A constant and multiples of different atoms, none by 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Linear {
    pub(super) constant: f64,
    pub(super) terms: Vec<(Atom, f64)>,
}

impl Linear {
    pub(super) fn constant(constant: f64) -> Self {
        Linear { constant, terms: Vec::new() }
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Linear { constant: 0.0, terms: vec![(atom, 1.0)] }
    }

    /// Its value, if it does not depend on the position.
    pub(super) fn is_constant(&self) -> Option<f64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        if factor == 0.0 {
            return Linear::constant(0.0);
        }
        let terms = self.terms.into_iter().map(|(atom, times)| (atom, times * factor));
        Linear { constant: self.constant * factor, terms: terms.filter(|(_, times)| *times != 0.0).collect() }
    }

    /// The sum of this and `factor` times `other`.
    pub(super) fn plus(mut self, other: &Linear, factor: f64) -> Self {
        self.constant += factor * other.constant;
        for (atom, times) in &other.terms {
            match self.terms.iter_mut().find(|(known, _)| known == atom) {
                Some((_, known)) => *known += factor * times,
                None => self.terms.push((atom.clone(), factor * times)),
            }
        }
        self.terms.retain(|(_, times)| *times != 0.0);
        // The position's numbers first, by index, so that equal sums get equal forms; then in order of appearance.
        self.terms.sort_by_key(|(atom, _)| match atom {
            Atom::Number(index) => u32::from(*index),
            _ => u32::MAX,
        });
        self
    }

    pub(super) fn times(self, other: Linear) -> Self {
        match (self.is_constant(), other.is_constant()) {
            (_, Some(constant)) => self.scaled(constant),
            (Some(constant), _) => other.scaled(constant),
            _ => Linear::atom(Atom::Times(self, other)),
        }
    }

    pub(super) fn divide(x: Linear, y: Linear) -> Self {
        match (x.is_constant(), y.is_constant()) {
            (Some(x), Some(y)) => Linear::constant(divide(x, y)),
            (None, Some(y)) if y.abs() >= 0.001 => x.scaled(1.0 / y),
            (None, Some(_)) => Linear::constant(1.0),
            _ => Linear::atom(Atom::Divide(x, y)),
        }
    }

    pub(super) fn sqrt(x: Linear) -> Self {
        match x.is_constant() {
            Some(x) => Linear::constant(x.abs().sqrt()),
            None => Linear::atom(Atom::Sqrt(x)),
        }
    }

    pub(super) fn ln(x: Linear) -> Self {
        match x.is_constant() {
            Some(x) => Linear::constant(ln(x)),
            None => Linear::atom(Atom::Ln(x)),
        }
    }

    pub(super) fn ln_abs(x: Linear) -> Self {
        match x.is_constant() {
            Some(x) => Linear::constant(libm::log(x.abs())),
            None => Linear::atom(Atom::LnAbs(x)),
        }
    }

    pub(super) fn either(condition: Condition, then: Linear, otherwise: Linear) -> Self {
        match condition.decided() {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        // The condition is known in its own branches.
        let then = then.under(&condition.facts());
        let otherwise = otherwise.under(&condition.clone().not().facts());
        if then == otherwise {
            return then;
        }
        // Common summands of both branches are taken out.
        let mut common = Linear::constant(0.0);
        for (atom, times) in &then.terms {
            if otherwise.terms.contains(&(atom.clone(), *times)) {
                common.terms.push((atom.clone(), *times));
            }
        }
        let (then, otherwise) = (then.plus(&common, -1.0), otherwise.plus(&common, -1.0));
        // A plain question reads better than a negated one.
        let (condition, then, otherwise) = match condition {
            Condition::Is(question, false) => (Condition::Is(question, true), otherwise, then),
            other => (other, then, otherwise),
        };
        // One branch of another that hangs on the same outcome: if a then x else (if b then x else y).
        let (condition, then, otherwise) = match only_either(&otherwise) {
            Some((inner, same, other)) if same == then => (Condition::any(vec![condition, inner]), then, other),
            Some((inner, other, same)) if same == then => (Condition::any(vec![condition, inner.not()]), then, other),
            _ => match only_either(&then) {
                Some((inner, other, same)) if same == otherwise => {
                    (Condition::all(vec![condition, inner]), other, otherwise)
                }
                Some((inner, same, other)) if same == otherwise => {
                    (Condition::all(vec![condition, inner.not()]), other, otherwise)
                }
                _ => (condition, then, otherwise),
            },
        };
        if let Some(truth) = condition.decided() {
            return common.plus(if truth { &then } else { &otherwise }, 1.0);
        }
        common.plus(&Linear::atom(Atom::Either(Box::new(condition), then, otherwise)), 1.0)
    }

    /// Whether it asks one of these questions.
    pub(super) fn asks(&self, facts: &[(Question, bool)]) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::Number(_) => false,
            Atom::Either(condition, then, otherwise) => {
                condition.asks(facts) || then.asks(facts) || otherwise.asks(facts)
            }
            Atom::Times(x, y) | Atom::Divide(x, y) => x.asks(facts) || y.asks(facts),
            Atom::Sqrt(x) | Atom::Ln(x) | Atom::LnAbs(x) => x.asks(facts),
        })
    }

    /// The number simplified where `facts` hold.
    pub(super) fn under(&self, facts: &[(Question, bool)]) -> Linear {
        // A number that does not depend on the facts is as simple as it can be. Simplifying it once more for each condition
        // around it would double the work with each of them.
        if facts.is_empty() || !steps::take() || !self.asks(facts) {
            return self.clone();
        }
        let mut sum = Linear::constant(self.constant);
        for (atom, times) in &self.terms {
            let atom = match atom {
                Atom::Number(_) => Linear::atom(atom.clone()),
                Atom::Either(condition, then, otherwise) => {
                    Linear::either(condition.under(facts), then.under(facts), otherwise.under(facts))
                }
                Atom::Times(x, y) => x.under(facts).times(y.under(facts)),
                Atom::Divide(x, y) => Linear::divide(x.under(facts), y.under(facts)),
                Atom::Sqrt(x) => Linear::sqrt(x.under(facts)),
                Atom::Ln(x) => Linear::ln(x.under(facts)),
                Atom::LnAbs(x) => Linear::ln_abs(x.under(facts)),
            };
            sum = sum.plus(&atom, *times);
        }
        sum
    }

    pub(super) fn evaluate(&self, inputs: &Inputs<'_>, columns: u8) -> f64 {
        let value = |atom: &Atom| match atom {
            Atom::Number(index) => inputs.numbers[usize::from(*index)],
            Atom::Either(condition, then, otherwise) => {
                let chosen = if condition.evaluate(inputs, columns) { then } else { otherwise };
                chosen.evaluate(inputs, columns)
            }
            Atom::Times(x, y) => x.evaluate(inputs, columns) * y.evaluate(inputs, columns),
            Atom::Divide(x, y) => divide(x.evaluate(inputs, columns), y.evaluate(inputs, columns)),
            Atom::Sqrt(x) => x.evaluate(inputs, columns).abs().sqrt(),
            Atom::Ln(x) => ln(x.evaluate(inputs, columns)),
            Atom::LnAbs(x) => libm::log(x.evaluate(inputs, columns).abs()),
        };
        self.terms.iter().fold(self.constant, |sum, (atom, times)| sum + times * value(atom))
    }

    pub(super) fn size(&self) -> usize {
        let atom = |atom: &Atom| match atom {
            Atom::Number(_) => 1,
            Atom::Either(condition, then, otherwise) => 1 + condition.size() + then.size() + otherwise.size(),
            Atom::Times(x, y) | Atom::Divide(x, y) => 1 + x.size() + y.size(),
            Atom::Sqrt(x) | Atom::Ln(x) | Atom::LnAbs(x) => 1 + x.size(),
        };
        let terms: usize = self.terms.iter().map(|(a, times)| atom(a) + usize::from(*times != 1.0)).sum();
        terms + usize::from(self.constant != 0.0 || self.terms.is_empty())
    }
}

/// Condition and branches of a number that is a single choice.
fn only_either(number: &Linear) -> Option<(Condition, Linear, Linear)> {
    match &number.terms[..] {
        [(Atom::Either(condition, then, otherwise), times)] => {
            // A constant and a factor belong to both branches.
            let whole = |branch: &Linear| branch.clone().scaled(*times).plus(&Linear::constant(number.constant), 1.0);
            Some(((**condition).clone(), whole(then), whole(otherwise)))
        }
        _ => None,
    }
}
