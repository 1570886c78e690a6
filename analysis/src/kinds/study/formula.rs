//! Formulas as texts, their constants aside: a formula that mutation left alone keeps its shape and nothing else tells.

/// The formulas that an agent begins with unless its spec gives another (docs of the players `ea-mcts`, `siea-mcts`):
/// UCB1, with and without a constant 2 to build it from.
const UCB1: [&str; 2] = ["(+ Q (* (* 2 C) (sqrt (/ (* 2 (ln N)) n))))", "(+ Q (* C (sqrt (/ (+ (ln N) (ln N)) n))))"];

/// The text with every constant `C:0.5` as `C`.
pub(crate) fn shape(formula: &str) -> String {
    let mut shape = String::new();
    let mut parts = formula.split("C:");
    shape.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find([' ', ')']).unwrap_or(part.len());
        shape.push('C');
        shape.push_str(&part[end..]);
    }
    shape
}

/// Whether `shape` is that of the formula which an agent of this spec begins with.
pub(crate) fn is_initial(shape: &str, spec: &str) -> bool {
    initial(spec).map_or(UCB1.contains(&shape), |initial| self::shape(initial) == shape)
}

/// The initial formula in a spec: `ea-mcts:playouts=5000,initial=(+ Q (* C:1 n))`.
fn initial(spec: &str) -> Option<&str> {
    let (_, parameters) = spec.split_once(':')?;
    parameters.split(',').find_map(|parameter| parameter.trim().strip_prefix("initial=")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_left_out() {
        assert_eq!(shape("(+ Q (* C:0.25 (sqrt (/ n C:10))))"), "(+ Q (* C (sqrt (/ n C))))");
        assert_eq!([shape("C:-1e-3"), shape("Q"), shape("")], ["C", "Q", ""]);
    }

    #[test]
    fn the_initial_formula_is_known() {
        let ucb1 = shape("(+ Q (* (* 2 C:7) (sqrt (/ (* 2 (ln N)) n))))");
        assert!(is_initial(&ucb1, "ea-mcts:playouts=5000"));
        assert!(is_initial(&ucb1, "ea-mcts"));
        let other = "ea-mcts:playouts=5000,initial=(+ Q (/ C:1 n)),lambda=4";
        assert!(!is_initial(&ucb1, other));
        assert!(is_initial("(+ Q (/ C n))", other));
        assert!(!is_initial("(+ Q (/ C n))", "ea-mcts:initial-c=2"));
    }
}
