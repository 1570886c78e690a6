//! Conditions: questions, possibly negated, joined by all and any.

use super::{Linear, steps};
use crate::Inputs;

/// A question about a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    /// A friendly piece is on the square.
    Friendly {
        /// From 0.
        row: u8,
        /// From 0.
        column: u8,
    },
    /// Any piece is on the square.
    Occupied {
        /// From 0.
        row: u8,
        /// From 0.
        column: u8,
    },
    /// The number is at most 0.
    NotAbove0(Linear),
}

/// A condition in negation normal form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// The question has this answer.
    Is(Question, bool),
    /// All parts hold; true if empty. Otherwise it has at least two parts, and none of them is an `All`.
    All(Vec<Condition>),
    /// At least one part holds; false if empty. Otherwise it has at least two parts, and none of them is an `Any`.
    Any(Vec<Condition>),
}

impl Condition {
    pub(super) fn constant(truth: bool) -> Self {
        if truth { Condition::All(Vec::new()) } else { Condition::Any(Vec::new()) }
    }

    /// Its truth, if it does not depend on the position.
    pub(super) fn decided(&self) -> Option<bool> {
        match self {
            Condition::All(parts) if parts.is_empty() => Some(true),
            Condition::Any(parts) if parts.is_empty() => Some(false),
            _ => None,
        }
    }

    pub(super) fn ask(question: Question) -> Self {
        Condition::Is(question, true)
    }

    pub(super) fn not_above_0(number: Linear) -> Self {
        match number.is_constant() {
            Some(constant) => Condition::constant(constant <= 0.0),
            None => Condition::ask(Question::NotAbove0(number)),
        }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Condition::Is(question, truth) => Condition::Is(question, !truth),
            Condition::All(parts) => Condition::Any(parts.into_iter().map(Condition::not).collect()),
            Condition::Any(parts) => Condition::All(parts.into_iter().map(Condition::not).collect()),
        }
    }

    /// All of `parts`.
    pub(super) fn all(parts: Vec<Condition>) -> Self {
        Condition::join(parts, true)
    }

    /// Any of `parts`.
    pub(super) fn any(parts: Vec<Condition>) -> Self {
        Condition::join(parts, false)
    }

    fn join(parts: Vec<Condition>, all: bool) -> Self {
        let mut kept: Vec<Condition> = Vec::new();
        for part in parts {
            let inner = match part {
                Condition::All(inner) if all => inner,
                Condition::Any(inner) if !all => inner,
                other => vec![other],
            };
            for part in inner {
                match part.decided() {
                    Some(truth) if truth == all => {}
                    Some(truth) => return Condition::constant(truth),
                    None if kept.contains(&part) => {}
                    None => kept.push(part),
                }
            }
        }
        // A part and its negation decide the whole.
        if kept.iter().any(|part| kept.contains(&part.clone().not())) {
            return Condition::constant(!all);
        }
        // A question that one part answers can be dropped from the others.
        let mut index = 0;
        while index < kept.len() && !steps::are_spent() {
            if let Condition::Is(question, truth) = kept[index].clone() {
                // The other parts matter only if this one holds (all) or does not (any).
                let facts = [(question, truth == all)];
                let others: Vec<Condition> = kept
                    .iter()
                    .enumerate()
                    .map(|(i, part)| if i == index { part.clone() } else { part.under(&facts) })
                    .collect();
                if others != kept {
                    return Condition::join(others, all);
                }
            }
            index += 1;
        }
        match kept.len() {
            1 => kept.remove(0),
            _ if all => Condition::All(kept),
            _ => Condition::Any(kept),
        }
    }

    /// Whether it asks one of these questions.
    pub(super) fn asks(&self, facts: &[(Question, bool)]) -> bool {
        match self {
            Condition::Is(question, _) => {
                let inside = || matches!(question, Question::NotAbove0(number) if number.asks(facts));
                facts.iter().any(|(known, _)| known == question) || inside()
            }
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| part.asks(facts)),
        }
    }

    /// The condition simplified where `facts` hold.
    pub(super) fn under(&self, facts: &[(Question, bool)]) -> Condition {
        if !steps::take() || !self.asks(facts) {
            return self.clone();
        }
        match self {
            Condition::Is(question, truth) => match facts.iter().find(|(known, _)| known == question) {
                Some((_, answer)) => Condition::constant(answer == truth),
                None => match question {
                    Question::NotAbove0(number) => {
                        let inside = Condition::not_above_0(number.under(facts));
                        if *truth { inside } else { inside.not() }
                    }
                    _ => self.clone(),
                },
            },
            Condition::All(parts) => Condition::all(parts.iter().map(|part| part.under(facts)).collect()),
            Condition::Any(parts) => Condition::any(parts.iter().map(|part| part.under(facts)).collect()),
        }
    }

    /// Answers that follow from the condition.
    pub(super) fn facts(&self) -> Vec<(Question, bool)> {
        let of = |part: &Condition| match part {
            Condition::Is(question, truth) => Some((question.clone(), *truth)),
            _ => None,
        };
        match self {
            Condition::Is(..) => of(self).into_iter().collect(),
            Condition::All(parts) => parts.iter().filter_map(of).collect(),
            Condition::Any(_) => Vec::new(),
        }
    }

    pub(super) fn evaluate(&self, inputs: &Inputs<'_>, columns: u8) -> bool {
        let on = |pieces: u64, row: u8, column: u8| {
            pieces >> (u32::from(row) * u32::from(columns) + u32::from(column)) & 1 == 1
        };
        match self {
            Condition::Is(question, truth) => {
                let answer = match question {
                    Question::Friendly { row, column } => on(inputs.friendly, *row, *column),
                    Question::Occupied { row, column } => on(inputs.friendly | inputs.enemy, *row, *column),
                    Question::NotAbove0(number) => number.evaluate(inputs, columns) <= 0.0,
                };
                answer == *truth
            }
            Condition::All(parts) => parts.iter().all(|part| part.evaluate(inputs, columns)),
            Condition::Any(parts) => parts.iter().any(|part| part.evaluate(inputs, columns)),
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Condition::Is(Question::NotAbove0(number), _) => 1 + number.size(),
            Condition::Is(..) => 1,
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().map(Condition::size).sum::<usize>() + parts.len().saturating_sub(1)
            }
        }
    }
}
