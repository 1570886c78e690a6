//! Samples compared: all pairs, all at once, or each by itself, with adjusted probabilities, effect sizes, marks and
//! letters.

mod described;
mod listed;
mod pairs;
mod together;

use record::{Adjust, Test};

use crate::{
    Cell, Digits, Table,
    forms::table::level,
    samples::Family,
    statistics::{Reason, adjust, moments::Moments},
};

pub use described::{groups, plain, summary};
use listed::{Compares, Listed, listed};
pub use pairs::Letters;

/// What is asked of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Name of the table: lower-case words joined by `-`.
    pub name: String,
    /// The line above it.
    pub title: String,
    /// How it is answered.
    pub test: Test,
    /// What is done about the number of tests in a family.
    pub adjust: Adjust,
    /// Level below which an adjusted p counts, in (0, 1).
    pub alpha: f64,
}

/// Words for what the samples are.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// What the numbers are, unit in brackets: `points by reward`.
    pub value: String,
    /// After the point of such a number, for people.
    pub digits: usize,
    /// A group, as column: (key, head).
    pub group: (String, String),
    /// Groups: `agents`.
    pub groups: String,
    /// Values that belong together over groups: `runs with the same number`.
    pub block: String,
    /// What families are by; `None` of a single one.
    pub by: Option<By>,
}

/// What families are by.
#[derive(Clone, Debug, PartialEq)]
pub struct By {
    /// As column: (key, head).
    pub column: (String, String),
    /// One of them: `a problem`.
    pub one: String,
    /// All of them: `the problems`.
    pub all: String,
}

impl Words {
    /// The column of families, which is always there for machines.
    fn by_head(&self) -> (&str, &str) {
        self.by.as_ref().map_or(("by", "by"), |by| (by.column.0.as_str(), by.column.1.as_str()))
    }

    /// Which of several families.
    fn by_cell(&self, family: &Family) -> Cell {
        self.by.as_ref().map_or(Cell::Missing, |_| Cell::text(&family.name))
    }
}

/// A mean, or why there is none.
fn mean_cell(of: &Moments, digits: Digits) -> Cell {
    let mean = of.mean().ok_or(Reason::TooFew { needed: 1, found: 0 });
    Cell::real(mean.and_then(|mean| if mean.is_finite() { Ok(mean) } else { Err(Reason::NotFinite) }), digits)
}

/// In the title of a table of `test`.
pub fn title(test: Test) -> &'static str {
    listed(test).title
}

/// Whether `test` needs to know which values of different samples belong together.
pub fn needs_blocks(test: Test) -> bool {
    listed(test).needs_blocks
}

/// Whether `test` uses the values of a sample that have a partner in another sample, and no others.
pub(crate) fn uses_partners(test: Test) -> bool {
    listed(test).uses_partners()
}

/// The table that answers `asked`: of a test of two samples a row a pair of groups of a family, with the letters that
/// summarise it; of a test of all at once a row a family, of a test of one sample a row a group. p are adjusted over the
/// pairs of a family, over the families, or over the groups of a family.
///
/// Every test has its columns, whatever the data are and whatever is asked besides (docs/tables.md). Where a test says
/// nothing there are dashes with their reason, and its row takes no part in the adjustment.
pub fn compare(families: &[Family], words: &Words, asked: &Comparison) -> (Table, Option<Letters>) {
    let asking = Asking { asked, words };
    match asking.listed().compares {
        Compares::Pairs(test) => {
            let (table, letters) = asking.pairs(families, test);
            (table, Some(letters))
        }
        Compares::Together(test) => (asking.together(families, test), None),
        Compares::Each(test) => (asking.each(families, test), None),
    }
}

#[derive(Clone, Copy)]
struct Asking<'a> {
    asked: &'a Comparison,
    words: &'a Words,
}

impl Asking<'_> {
    fn listed(&self) -> Listed {
        listed(self.asked.test)
    }

    /// What is said about the test, in the words of the samples.
    fn about(&self) -> String {
        self.listed().about.replace("{groups}", &self.words.groups).replace("{block}", &self.words.block)
    }

    fn table(&self, heads: &[(&str, &str)]) -> Table {
        let heads: Vec<_> = [self.words.by_head()].into_iter().chain(heads.iter().copied()).collect();
        let by = heads[0].0;
        Table::new(&self.asked.name, &self.asked.title, &heads)
            .of_kind(self.asked.test.name())
            .optional(&[by, "p_adjusted"])
    }

    /// The cell before a row: its family.
    fn family_cell(&self, family: &Family) -> Cell {
        self.words.by_cell(family)
    }

    fn adjusted_head(&self) -> (&'static str, &'static str) {
        match self.asked.adjust {
            Adjust::None => ("p_adjusted", "p (adjusted)"),
            Adjust::Holm => ("p_adjusted", "p (Holm)"),
            Adjust::BenjaminiHochberg => ("p_adjusted", "p (Benjamini-Hochberg)"),
        }
    }

    /// Nothing where nothing is adjusted.
    fn adjusted_cell(&self, adjusted: Result<f64, Reason>) -> Cell {
        if self.asked.adjust == Adjust::None { Cell::Missing } else { Cell::probability(adjusted) }
    }

    /// Adjusts the probabilities of a family. Those that are missing or NaN are left out.
    fn adjust(&self, family: &[Result<f64, Reason>]) -> Vec<Result<f64, Reason>> {
        let family = &family.iter().map(|p| p.and_then(|p| if p.is_nan() { Err(Reason::NotANumber) } else { Ok(p) }));
        let family = &family.clone().collect::<Vec<_>>();
        match self.asked.adjust {
            Adjust::None => family.clone(),
            Adjust::Holm => adjust::known(family, adjust::holm),
            Adjust::BenjaminiHochberg => adjust::known(family, adjust::benjamini_hochberg),
        }
    }

    /// Which tests an adjustment counts; `what` of a family.
    fn family(&self, what: &str) -> String {
        match &self.words.by {
            Some(by) => self.adjusted_over(&format!("{what} of {}", by.one)),
            None => self.adjusted_over(what),
        }
    }

    fn adjusted_over(&self, what: &str) -> String {
        let way = match self.asked.adjust {
            Adjust::None => return "p are not adjusted for their number.".to_owned(),
            Adjust::Holm => "Holm (against any false alarm)",
            Adjust::BenjaminiHochberg => "Benjamini and Hochberg (the share of false ones among the alarms)",
        };
        format!("p adjusted by {way} over {what}.")
    }

    /// ` within a problem`.
    fn within(&self) -> String {
        self.words.by.as_ref().map_or(String::new(), |by| format!(" within {}", by.one))
    }

    /// Stars below alpha, a fifth and a fiftieth of alpha: the usual 0.05, 0.01 and 0.001.
    fn mark(&self, p: Result<f64, Reason>) -> Cell {
        let alpha = self.asked.alpha;
        Cell::text(match p {
            Ok(p) if p < alpha / 50.0 => "***",
            Ok(p) if p < alpha / 5.0 => "**",
            Ok(p) if p < alpha => "*",
            _ => "",
        })
    }

    fn marks(&self) -> String {
        let [one, two, three] = [1.0, 5.0, 50.0].map(|part| level(self.asked.alpha / part));
        format!("* below {one}, ** below {two}, *** below {three}.")
    }
}
