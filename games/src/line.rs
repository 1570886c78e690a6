//! The function that a game searches on a line ([`Game::place`]), for figures.

use crate::{Game, GameSpec, Moves, Visitor, visit};

/// Whether positions of the game have a place on a line.
pub fn is_line(game: &GameSpec) -> bool {
    struct Ask;
    impl Visitor for Ask {
        type Output = bool;
        fn visit<G: Game>(self, start: G) -> bool {
            start.place().is_some()
        }
    }
    visit(game, Ask)
}

/// The line as `[place, points]`, places ascending from 0 to 1: [`Game::points`] of the first seat at the positions of
/// the least depth with at least `count` of them, or at the ends of the game if no depth has so many. `None` if the
/// game's positions have no place.
///
/// A finished position counts at its own depth and at all depths below.
pub fn sample(game: &GameSpec, count: usize) -> Option<Vec<[f64; 2]>> {
    struct Sample(usize);
    impl Visitor for Sample {
        type Output = Option<Vec<[f64; 2]>>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            start.place()?;
            let mut line = vec![start];
            while line.len() < self.0 {
                let below: Vec<G> = line.iter().flat_map(children).collect();
                if below == line {
                    break;
                }
                line = below;
            }
            let mut line: Vec<[f64; 2]> =
                line.iter().filter_map(|position| Some([position.place()?, position.points()[0]])).collect();
            line.sort_by(|one, other| one[0].total_cmp(&other[0]));
            Some(line)
        }
    }
    visit(game, Sample(count))
}

/// The positions after one move from `position`, or `position` itself if the game is over.
fn children<G: Game>(position: &G) -> Vec<G> {
    let moves = position.moves();
    if moves.is_empty() {
        return vec![position.clone()];
    }
    let behind = |index| {
        let mut child = position.clone();
        child.play(moves.get(index));
        child
    };
    (0..moves.len()).map(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(spec: &str, count: usize) -> Option<Vec<[f64; 2]>> {
        sample(&spec.parse().expect("a game"), count)
    }

    /// f1 is sin(pi x) (thesis, equation 4.2).
    #[test]
    fn the_line_is_the_function_at_the_centres_of_equal_parts() {
        for (count, parts) in [(1, 1), (2, 2), (1_000, 1_024), (1_024, 1_024), (1_025, 2_048)] {
            let line = line("fop:function=f1", count).expect("a line");
            assert_eq!(line.len(), parts);
            for (i, [x, y]) in line.into_iter().enumerate() {
                let centre = (i as f64 + 0.5) / parts as f64;
                assert!((x - centre).abs() < 1e-15, "{x} instead of {centre}");
                assert!((y - libm::sin(std::f64::consts::PI * centre)).abs() < 1e-12, "{y} at {x}");
            }
        }
    }

    #[test]
    fn a_short_game_gives_its_ends() {
        let line = line("fop:expression=x,width-min=0.2,branching=3", 1_000).expect("a line");
        assert_eq!(line.len(), 9);
        assert!(line.iter().all(|[x, y]| (x - y).abs() < 1e-15), "{line:?}");
    }

    #[test]
    fn a_board_has_no_line() {
        assert_eq!(line("reversi", 10), None);
        assert!(!is_line(&"reversi".parse().expect("a game")));
        assert!(is_line(&"fop".parse().expect("a game")));
    }
}
