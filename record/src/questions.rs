//! Questions that an experiment asks of its results (`[[analysis]]`), and the tests that answer them.

/// A question asked of the results: one test within each problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Names its tables: lower-case words joined by hyphens, another one for each question.
    pub name: String,
    /// What is asked, for people.
    pub question: String,
    /// A column of the results, its words joined by hyphens: `leaf-depth`.
    pub metric: String,
    /// The test that answers it.
    pub test: Test,
    /// What is done about many tests at once.
    pub adjust: Adjust,
    /// Level of significance, above 0 and below 1.
    pub alpha: f64,
    /// Players whose results are tested, in the order given.
    pub players: Vec<String>,
}

/// Names as people read them in a list.
macro_rules! one_of {
    ($first:literal $(, $rest:literal)*) => {
        concat!("one of `", $first, "`" $(, ", `", $rest, "`")*)
    };
}

/// Makes the tests: a row each, so that none lacks a name.
macro_rules! tests {
    ($($(#[$doc:meta])+ $test:ident: $name:literal, of $players_min:literal players or more;)+) => {
        /// A test of hypotheses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Test {
            $($(#[$doc])+ $test,)+
        }

        impl Test {
            /// Every test by its name in files and on the command line.
            pub const ALL: [(&'static str, Test); [$($name),+].len()] = [$(($name, Test::$test)),+];

            /// Every name, for people.
            pub const NAMES: &'static str = one_of!($($name),+);

            /// Least number of players that it takes.
            pub fn players_min(self) -> usize {
                match self {
                    $(Test::$test => $players_min,)+
                }
            }
        }
    };
}

tests! {
    /// Mann-Whitney's U: every pair of players.
    MannWhitney: "mann-whitney", of 2 players or more;
    /// Welch's t, variances not taken to be equal: every pair.
    Welch: "welch", of 2 players or more;
    /// Student's t, variances taken to be equal: every pair.
    Student: "student", of 2 players or more;
    /// Wilcoxon's signed ranks: every pair, equal runs against one another.
    Wilcoxon: "wilcoxon", of 2 players or more;
    /// Kruskal and Wallis' H: all players at once.
    KruskalWallis: "kruskal-wallis", of 2 players or more;
    /// Friedman's: all players at once, equal runs against one another; with two players it would be a sign test.
    Friedman: "friedman", of 3 players or more;
    /// Whether each player's results may be normal.
    Normality: "normality", of 1 players or more;
}

impl Test {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        name(&Test::ALL, self)
    }

    /// The test of this name.
    pub fn find(name: &str) -> Option<Test> {
        find(&Test::ALL, name)
    }
}

/// What is done about many tests at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjust {
    /// Nothing.
    None,
    /// Holm's step-down: the probability of any false finding stays below alpha.
    Holm,
    /// Benjamini and Hochberg's: the expected share of false findings stays below alpha.
    BenjaminiHochberg,
}

impl Adjust {
    /// Every adjustment by its name in files and on the command line.
    pub const ALL: [(&'static str, Adjust); 3] =
        [("none", Adjust::None), ("holm", Adjust::Holm), ("benjamini-hochberg", Adjust::BenjaminiHochberg)];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        name(&Adjust::ALL, self)
    }

    /// The adjustment of this name.
    pub fn find(name: &str) -> Option<Adjust> {
        find(&Adjust::ALL, name)
    }
}

fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], meaning: T) -> &'static str {
    names.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| name)
}

fn find<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_and_adjustment_has_a_name() {
        assert!(Test::ALL.iter().all(|(name, test)| test.name() == *name && Test::find(name) == Some(*test)));
        assert!(Test::NAMES.starts_with("one of `mann-whitney`, `welch`, ") && Test::NAMES.ends_with(", `normality`"));
        assert!(Adjust::ALL.iter().all(|(name, adjust)| adjust.name() == *name));
    }
}
