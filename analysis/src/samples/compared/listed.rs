//! Every test of samples: its title, what is said about it, its columns and how they are computed.
//!
//! To add a test: its variant in [`Test`] and its arm in [`listed`].

use record::Test;

use crate::{
    Cell, Digits,
    statistics::{
        Reason, TTest,
        effect::{self, Magnitude},
        friedman, kruskal_wallis, mann_whitney,
        moments::Moments,
        normality, student, welch, wilcoxon,
    },
};

/// A column: (key, head).
pub(super) type Head = (&'static str, &'static str);

/// What the tables know of a test.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    /// In the title of its table.
    pub(super) title: &'static str,
    /// Below its table; `{groups}` and `{block}` stand for those words of the samples.
    pub(super) about: &'static str,
    /// Whether it is of values that belong together over groups.
    pub(super) needs_blocks: bool,
    /// Columns before p and behind the adjusted p: those of [`Found::cells`].
    pub(super) heads: [&'static [Head]; 2],
    pub(super) compares: Compares,
}

/// What a test compares.
#[derive(Clone, Copy)]
pub(super) enum Compares {
    /// Two groups: a row a pair.
    Pairs(fn(&Pair<'_>) -> Found),
    /// All groups at once, whose values at one place are of one block if it needs blocks: a row a family.
    Together(fn(&[&[f64]]) -> Found),
    /// A group with what is expected of it: a row a group.
    Each(fn(&[f64]) -> Found),
}

/// Two groups.
pub(super) struct Pair<'a> {
    /// Their values; of a test that needs blocks, those of shared blocks in order of the blocks.
    pub(super) values: [&'a [f64]; 2],
    /// Moments of these values.
    pub(super) of: [Moments; 2],
    /// Digits of a mean.
    pub(super) digits: Digits,
}

/// What a test says.
pub(super) struct Found {
    pub(super) p: Result<f64, Reason>,
    /// Cells of [`Listed::heads`].
    pub(super) cells: [Vec<Cell>; 2],
}

impl Listed {
    /// Whether it uses the values of a group that have a partner in another group, and no others.
    pub(super) fn uses_partners(&self) -> bool {
        self.needs_blocks && matches!(self.compares, Compares::Pairs(_))
    }
}

/// Columns of a t test of two samples.
const T: [&[Head]; 2] = [
    &[("difference_95", "a − b, 95 %"), ("statistic", "t"), ("df", "df")],
    &[("effect", "Cohen's d"), ("hedges_g", "Hedges' g"), ("size", "size")],
];

/// The row of a test.
pub(super) fn listed(test: Test) -> Listed {
    match test {
        Test::MannWhitney => Listed {
            title: "Mann-Whitney's U of all pairs",
            about: "Mann-Whitney's U, two-sided. method: exact where the product of the sizes is at most 200, and without ties where \
                    one size is at most 8, else by the normal approximation. A12: how often a value of a is above one of b, a tie \
                    being half; delta: 2 A12 − 1; size: Vargha and Delaney's words for A12, from 0.56, 0.64 and 0.71 or as far \
                    below a half.",
            needs_blocks: false,
            heads: [
                &[("statistic", "U"), ("method", "method")],
                &[("effect", "A12"), ("cliffs_delta", "Cliff's delta"), ("size", "size")],
            ],
            compares: Compares::Pairs(mann_whitney),
        },
        Test::Welch => Listed {
            title: "Welch's t of all pairs",
            about: "Welch's t, two-sided. d: the difference of means in pooled deviations, g: without its bias in small samples; \
                    size: Cohen's words for d, from 0.2, 0.5 and 0.8.",
            needs_blocks: false,
            heads: T,
            compares: Compares::Pairs(|pair| by_t(pair, welch::from_moments)),
        },
        Test::Student => Listed {
            title: "Student's t of all pairs",
            about: "Student's t with one variance, two-sided. d: the difference of means in pooled deviations, g: without its \
                    bias in small samples; size: Cohen's words for d, from 0.2, 0.5 and 0.8.",
            needs_blocks: false,
            heads: T,
            compares: Compares::Pairs(|pair| by_t(pair, student::from_moments)),
        },
        Test::Wilcoxon => Listed {
            title: "Wilcoxon's signed ranks of all pairs",
            about: "Wilcoxon's signed ranks, two-sided, of {block}; n and means: of such pairs; those without a difference are \
                    left out of the test. method: exact up to 50 pairs without zeros and ties, and up to 13 with them, else by the \
                    normal approximation. r: the share of ranks where a is ahead minus that where b is.",
            needs_blocks: true,
            heads: [&[("statistic", "W"), ("method", "method")], &[("effect", "rank-biserial r")]],
            compares: Compares::Pairs(wilcoxon),
        },
        Test::KruskalWallis => Listed {
            title: "Kruskal and Wallis' test",
            about: "Kruskal and Wallis' test: does one of the {groups} tend to larger values?",
            needs_blocks: false,
            heads: [&[("statistic", "H"), ("df", "df")], &[("effect", "epsilon squared")]],
            compares: Compares::Together(kruskal_wallis),
        },
        Test::Friedman => Listed {
            title: "Friedman's test",
            about: "Friedman's test: are {groups} ranked alike in every block, a block being {block}? F: Iman and Davenport's \
                    form of it, not adjusted.",
            needs_blocks: true,
            heads: [
                &[("statistic", "chi-squared"), ("df", "df")],
                &[("effect", "Kendall's W"), ("f", "F"), ("p_f", "p (F)")],
            ],
            compares: Compares::Together(friedman),
        },
        Test::Normality => Listed {
            title: "normality",
            about: "D'Agostino and Pearson's test of normality.",
            needs_blocks: false,
            heads: [&[("k2", "K²")], &[]],
            compares: Compares::Each(normality),
        },
    }
}

fn mann_whitney(pair: &Pair<'_>) -> Found {
    let [a, b] = pair.values;
    let test = mann_whitney::test(a, b);
    let size = |a12| Cell::text(Magnitude::of_a12(a12).word());
    Found {
        p: test.map(|test| test.p),
        cells: [
            vec![Cell::real(test.map(|test| test.u1), 1), method(test.map(|test| test.exact))],
            vec![
                Cell::real(test.map(|test| test.a12), 3),
                Cell::real(test.map(|test| test.cliffs_delta), 3),
                Cell::of(test.map(|test| test.a12), size),
            ],
        ],
    }
}

fn by_t(pair: &Pair<'_>, test: fn(&Moments, &Moments) -> Result<TTest, Reason>) -> Found {
    let [a, b] = &pair.of;
    let test = test(a, b);
    let interval = test.and_then(|test| Ok((in_range(test.ci95.0)?, in_range(test.ci95.1)?)));
    // Apart from the test: an effect may be there where a probability is not.
    let d = effect::cohens_d(a, b);
    let g = d.map(|_| effect::hedges_g(a, b).ok());
    let size = d.map(|d| g.ok().flatten().map(|_| Magnitude::of_cohens_d(d)));
    Found {
        p: test.map(|test| test.p),
        cells: [
            vec![
                Cell::interval(interval, pair.digits),
                Cell::real(test.and_then(|test| in_range(test.t)), 2),
                Cell::real(test.map(|test| test.df), 1),
            ],
            vec![
                Cell::real(d.and_then(in_range), 3),
                Cell::of(g.and_then(|g| g.map(in_range).transpose()), |g| Cell::real(g, 3)),
                Cell::of(size, |size| Cell::of(size, |size| Cell::text(size.word()))),
            ],
        ],
    }
}

fn wilcoxon(pair: &Pair<'_>) -> Found {
    let [a, b] = pair.values;
    let test = wilcoxon::test_decimals(a, b);
    Found {
        p: test.map(|test| test.p),
        cells: [
            vec![Cell::real(test.map(|test| test.w), 1), method(test.map(|test| test.exact))],
            vec![Cell::real(test.map(|test| test.rank_biserial), 3)],
        ],
    }
}

fn kruskal_wallis(groups: &[&[f64]]) -> Found {
    let test = kruskal_wallis::test(groups);
    Found {
        p: test.map(|test| test.p),
        cells: [
            vec![Cell::real(test.map(|test| test.h), 3), Cell::of(test, |test| Cell::Count(test.df))],
            vec![Cell::real(test.map(|test| test.epsilon_squared), 3)],
        ],
    }
}

fn friedman(groups: &[&[f64]]) -> Found {
    let test = friedman::test(groups);
    let of_f = test.and_then(|test| test.iman_davenport);
    Found {
        p: test.map(|test| test.p),
        cells: [
            vec![Cell::real(test.map(|test| test.chi_squared), 3), Cell::of(test, |test| Cell::Count(test.df))],
            vec![
                Cell::real(test.map(|test| test.kendalls_w), 3),
                Cell::real(of_f.map(|of_f| of_f.f), 3),
                Cell::probability(of_f.map(|of_f| of_f.p)),
            ],
        ],
    }
}

fn normality(values: &[f64]) -> Found {
    let test = normality::test(values);
    Found { p: test.map(|test| test.p), cells: [vec![Cell::real(test.map(|test| test.k2), 3)], Vec::new()] }
}

/// How the probability of a test of ranks was found.
fn method(exact: Result<bool, Reason>) -> Cell {
    Cell::of(exact, |exact| Cell::text(if exact { "exact" } else { "normal" }))
}

/// A figure that is a number.
fn in_range(value: f64) -> Result<f64, Reason> {
    if value.is_finite() { Ok(value) } else { Err(Reason::BeyondRange) }
}
