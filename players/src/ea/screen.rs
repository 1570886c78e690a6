//! Offspring tested on artificial statistics before they may play (thesis, section 7.5, first proposal).

use gp::{LANES, Program};

use super::formula::{PARENT_VISITS, Q, VISITS};

/// Visits of the parent.
const PARENTS: [f64; 3] = [20.0, 200.0, 2_000.0];
/// Visits of a child as a share of them, the least first.
const SHARES: [f64; LANES] = [0.05, 0.15, 0.35, 0.6];
/// Mean rewards of a child, the least first.
const REWARDS: [f64; LANES] = [0.1, 0.35, 0.6, 0.9];

/// Whether a formula prefers a child of higher mean among equally visited ones, and one of fewer visits among those of
/// equal mean, for every pair of neighbours on a grid of artificial statistics.
pub(crate) fn passes(program: &Program) -> bool {
    if program.wanted() & (1 << Q | 1 << VISITS) != 1 << Q | 1 << VISITS {
        return false;
    }
    let mut registers = program.registers();
    let mut rises = |numbers: [[f64; LANES]; 3]| {
        let values = program.run(&mut registers, &numbers, &[0; LANES], &[0; LANES]);
        values.windows(2).all(|pair| pair[0] < pair[1])
    };
    PARENTS.iter().all(|&parent| {
        let numbers = |q: [f64; LANES], n: [f64; LANES]| {
            let mut numbers = [[parent; LANES]; 3];
            (numbers[Q], numbers[VISITS]) = (q, n);
            debug_assert_eq!(numbers[PARENT_VISITS], [parent; LANES]);
            numbers
        };
        let mut fewer = SHARES.map(|share| share * parent);
        fewer.reverse();
        fewer.iter().all(|&n| rises(numbers(REWARDS, [n; LANES])))
            && REWARDS.iter().all(|&q| rises(numbers([q; LANES], fewer)))
    })
}

#[cfg(test)]
mod tests {
    use gp::{Op, PrimitiveSet, Tree, Type};

    use super::*;

    #[test]
    fn only_formulas_that_want_rewards_and_shun_visits_pass() {
        let set = PrimitiveSet::selection(true, Op::Ln);
        for (text, wanted) in [
            ("(+ Q (* (* 2 C:1) (sqrt (/ (* 2 (ln N)) n))))", true),
            ("(+ Q (/ C:1 n))", true),
            ("(- Q n)", true),
            ("(/ Q n)", true),
            ("Q", false),
            ("(/ C:1 n)", false),
            ("(+ Q n)", false),
            ("(- (/ C:1 n) Q)", false),
        ] {
            let tree = Tree::parse(text, Type::Float, &set).expect("a formula");
            assert_eq!(passes(&Program::new(&tree, &set).expect("small")), wanted, "{text}");
        }
    }
}
