//! A formula as tree policy.

use games::{Rng, below};
use gp::{LANES, Lanes, PrimitiveSet, Program, Register, Tree};

use crate::mcts::{Chooser, Edge, Selection};

/// How a formula is used where the opponent moves (docs/papers/siea-mcts.md, "The decision").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opponent {
    /// The sign of every Q is flipped.
    FlipQ,
    /// The formula's value is negated.
    FlipValue,
}

/// Numbers of the language by index.
pub(crate) const Q: usize = 0;
pub(crate) const VISITS: usize = 1;
pub(crate) const PARENT_VISITS: usize = 2;

/// Descends to the child for which a formula has the highest value; one of equals is drawn. NaN loses against every
/// number, and is drawn among if there is nothing else.
pub(crate) struct Formula {
    program: Program,
    registers: Vec<Register>,
    opponent: Opponent,
    /// What the rewards of both seats add up to.
    pub(super) sum: f64,
    numbers: [Lanes; 3],
    /// Places of the best children so far.
    best: Vec<usize>,
}

impl Formula {
    pub(crate) fn new(tree: &Tree, language: &PrimitiveSet, opponent: Opponent) -> Self {
        let program = compile(tree, language);
        let registers = program.registers();
        Formula { program, registers, opponent, sum: 1.0, numbers: [[0.0; LANES]; 3], best: Vec::new() }
    }

    /// Says what the rewards of both seats add up to ([`Game::reward`](games::Game::reward)): 1 if nothing is said.
    pub(crate) fn rewards_sum_to(&mut self, sum: f64) {
        self.sum = sum;
    }

    /// Goes on with another formula.
    pub(crate) fn set(&mut self, tree: &Tree, language: &PrimitiveSet) {
        self.program = compile(tree, language);
        self.registers = self.program.registers();
    }
}

pub(crate) fn compile(tree: &Tree, language: &PrimitiveSet) -> Program {
    // A height of 8 leaves fewer than 2^9 nodes; the options allow no more than 12.
    Program::new(tree, language).expect("a formula has fewer nodes than a program takes")
}

impl Selection for Formula {
    type Parent = ();
    type Prior = ();

    fn parent(&self, _visits: u32) {}

    fn score(&self, (): (), _total: f64, _visits: u32, (): ()) -> f64 {
        unreachable!("children are scored several at a time")
    }

    #[inline]
    fn best<M>(&mut self, node: Chooser, children: &[Option<Edge<M>>], rng: &mut Rng) -> Option<(usize, f64)> {
        // Rewards are of the player who chooses: where that is the other, the mean reward of the one who searches is their
        // sum less it.
        let (offset, sign) = match (node.own, self.opponent) {
            (true, _) => (0.0, 1.0),
            (false, Opponent::FlipQ) => (-self.sum, 1.0),
            (false, Opponent::FlipValue) => (-self.sum, -1.0),
        };
        self.numbers[PARENT_VISITS] = [f64::from(node.visits); LANES];
        self.best.clear();
        let mut top = f64::NEG_INFINITY;
        let mut is_nan = true;
        for (first, chunk) in (0..).step_by(LANES).zip(children.chunks(LANES)) {
            for (lane, edge) in chunk.iter().enumerate() {
                let Some(edge) = edge else { continue };
                let q = edge.total / f64::from(edge.visits) + offset;
                self.numbers[Q][lane] = if self.opponent == Opponent::FlipValue { q * sign } else { q };
                self.numbers[VISITS][lane] = f64::from(edge.visits);
            }
            let values = self.program.run(&mut self.registers, &self.numbers, &[0; LANES], &[0; LANES]);
            for (lane, edge) in chunk.iter().enumerate() {
                if edge.is_none() {
                    continue;
                }
                let value = sign * values[lane];
                let better = if is_nan { !value.is_nan() } else { value > top };
                if better {
                    (top, is_nan) = (value, false);
                    self.best.clear();
                }
                if value == top || (is_nan && value.is_nan()) {
                    self.best.push(first + lane);
                }
            }
        }
        let pick = if self.best.len() > 1 { below(rng, self.best.len() as u32) as usize } else { 0 };
        self.best.get(pick).map(|&place| (place, top))
    }
}

#[cfg(test)]
mod tests {
    use games::Seed;
    use gp::{Op, Type};

    use super::*;
    use crate::mcts::audit::{Child, audit};

    /// Searches by formulas that use Q in other ways than as a sum, so that a Q that is not flipped where the opponent
    /// moves, or is flipped about another sum of rewards than theirs, chooses another child.
    #[test]
    fn searches_flip_q_where_the_opponent_moves() {
        let differences = |text, opponent| {
            let mut formula = formula(text, opponent);
            formula.rewards_sum_to(0.0);
            formula
        };
        let flipped = |Child { own, q, .. }: &Child| if *own { *q } else { -*q };
        audit(
            || differences("(- (* Q n) (/ n N))", Opponent::FlipQ),
            |child| flipped(&child) * child.n - child.n / child.parents,
        );
        audit(
            || differences("(/ (+ Q C:2) (sqrt n))", Opponent::FlipQ),
            |child| (flipped(&child) + 2.0) / child.n.sqrt(),
        );
        audit(
            || differences("(/ (+ Q C:2) (sqrt n))", Opponent::FlipValue),
            |child| (if child.own { 1.0 } else { -1.0 }) * (child.q + 2.0) / child.n.sqrt(),
        );
    }

    fn formula(text: &str, opponent: Opponent) -> Formula {
        let language = PrimitiveSet::selection(true, Op::Ln);
        let tree = Tree::parse(text, Type::Float, &language).expect("a formula");
        Formula::new(&tree, &language, opponent)
    }

    /// Children by (points, visits).
    fn children(of: &[(f64, u32)]) -> Vec<Option<Edge<()>>> {
        of.iter().map(|&(total, visits)| Some(Edge { total, visits, child: 0, chosen: (), prior: () })).collect()
    }

    /// How often each of `of` is chosen in 600 descents.
    fn chosen(text: &str, opponent: Opponent, own: bool, of: &[(f64, u32)]) -> Vec<u32> {
        let (mut formula, children) = (formula(text, opponent), children(of));
        let mut counts = vec![0; of.len()];
        let mut rng = Seed::derive(0, 0, 0, "children").rng();
        for _ in 0..600 {
            let visits = of.iter().map(|child| child.1).sum();
            let best = formula.best(Chooser { visits, own }, &children, &mut rng).expect("there are children");
            counts[best.0] += 1;
        }
        counts
    }

    #[test]
    fn the_best_child_is_chosen_among_more_than_a_register_holds() {
        let of: Vec<(f64, u32)> = (0..11).map(|i| (f64::from((i * 7) % 11), 11)).collect();
        // 7 i is 10 modulo 11 for i = 3.
        let counts = chosen("Q", Opponent::FlipQ, true, &of);
        assert_eq!(counts.iter().position(|&count| count == 600), Some(3), "{counts:?}");
    }

    #[test]
    fn equals_are_drawn_and_nan_loses() {
        // Means 0.5, 0.5, 0.25.
        let of = [(1.0, 2), (2.0, 4), (1.0, 4)];
        let even = |counts: &[u32]| counts.iter().all(|&count| (230..370).contains(&count));
        let counts = chosen("Q", Opponent::FlipQ, true, &of);
        assert!(even(&counts[..2]) && counts[2] == 0, "{counts:?}");
        // n to the 512th is infinite from 5 on, and infinity minus itself is NaN.
        let square = |text: &str| format!("(* {text} {text})");
        let huge = (0..9).fold("n".to_owned(), |text, _| square(&text));
        let nan_where_visits_are_many = format!("(- {huge} {huge})");
        let counts = chosen(&nan_where_visits_are_many, Opponent::FlipQ, true, &[(0.0, 1), (0.0, 9), (0.0, 9)]);
        assert_eq!(counts, [600, 0, 0], "a number beats NaN");
        let counts = chosen(&nan_where_visits_are_many, Opponent::FlipQ, true, &[(0.0, 9), (0.0, 1), (0.0, 9)]);
        assert_eq!(counts, [0, 600, 0], "wherever it stands");
        let counts = chosen(&nan_where_visits_are_many, Opponent::FlipQ, true, &[(0.0, 9), (0.0, 9)]);
        assert!(even(&counts), "nothing but NaN: {counts:?}");
        assert_eq!(chosen(&huge, Opponent::FlipQ, true, &[(0.0, 3), (0.0, 9)]), [0, 600], "infinity is a number");
    }

    /// The opponent's points are what ours leave of each playout. Its child shows Q with the sign turned; turned again
    /// it is Q.
    #[test]
    fn turning_the_sign_twice_gives_q() {
        let mut formula = formula("Q", Opponent::FlipQ);
        let mut rng = Seed::derive(0, 0, 2, "children").rng();
        for visits in [1u32, 2, 8, 64, 1_024] {
            for points in 0..=visits.min(40) {
                let mut value = |total: f64, own| {
                    let children = children(&[(total, visits)]);
                    formula.best(Chooser { visits, own }, &children, &mut rng).expect("a child").1
                };
                let ours = f64::from(points);
                let (q, flipped) = (value(ours, true), value(f64::from(visits) - ours, false));
                // Shares of powers of two are exact.
                assert_eq!(q, ours / f64::from(visits));
                assert_eq!(-flipped, q);
            }
        }
    }

    /// UCB1 chooses alike from either side: the opponent's points are one minus ours, and the formula adds Q.
    #[test]
    fn the_opponent_s_q_is_flipped() {
        let ucb1 = "(+ Q (* (* 2 C:0.5) (sqrt (/ (* 2 (ln N)) n))))";
        let closed = |(total, visits): (f64, u32), all: f64| {
            total / f64::from(visits) + (2.0 * libm::log(all) / f64::from(visits)).sqrt()
        };
        let mut rng = Seed::derive(0, 0, 1, "children").rng();
        for _ in 0..200 {
            let visits: Vec<u32> = (0..5).map(|_| 1 + below(&mut rng, 40)).collect();
            let of: Vec<(f64, u32)> =
                visits.iter().map(|&visits| (f64::from(below(&mut rng, visits + 1)), visits)).collect();
            let all = f64::from(visits.iter().sum::<u32>());
            let scores: Vec<f64> = of.iter().map(|&child| closed(child, all)).collect();
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for own in [true, false] {
                let counts = chosen(ucb1, Opponent::FlipQ, own, &of);
                for (count, score) in counts.iter().zip(&scores) {
                    assert!(*count == 0 || top - score < 1e-12, "{of:?}: {counts:?}");
                }
            }
        }
        // Q n: the opponent's children have Q of -0.25 and -0.5 for us turned round, 10 and 2 visits.
        let of = [(7.5, 10), (1.0, 2)];
        assert_eq!(chosen("(* Q n)", Opponent::FlipQ, true, &of), [600, 0]);
        assert_eq!(chosen("(* Q n)", Opponent::FlipQ, false, &of), [0, 600], "-2.5 and -1");
        assert_eq!(chosen("(- Q n)", Opponent::FlipQ, false, &of), [0, 600], "-10.25 and -2.5");
        assert_eq!(chosen("(- Q n)", Opponent::FlipValue, false, &of), [600, 0], "9.75 and 1.5");
    }
}
