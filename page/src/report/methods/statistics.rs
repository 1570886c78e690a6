//! Tests, corrections and intervals by name. What is said follows from the tables that the report has; the works are among
//! the references.

use super::Part;
use crate::report::gathered::{Beside, Gathered};

/// What tables of a kind (docs/tables.md) compute.
const OF_TABLES: [(&str, &str); 19] = [
    (
        "pairs",
        "A share of the points counts a draw as half. Its 95 % intervals are Wilson's score interval over games (Wilson 1927), \
         and over units Wilson's for as many games as the spread over units is worth, with Student's quantile (Student 1908).",
    ),
    (
        "tests",
        "Pairs of the grid are tested against one another by the Mann-Whitney U test (Mann and Whitney 1947) with the effect size A12 \
         (Vargha and Delaney 2000) and by Welch's t test (Welch 1947) with Hedges' g (Hedges 1981), two-sided.",
    ),
    ("contrasts", "Pairs that were asked for are tested by the Mann-Whitney U test and by Welch's t test, two-sided."),
    (
        "influence",
        "What a parameter does is tested by the test of Kruskal and Wallis (1952), with ε² as its effect size.",
    ),
    (
        "ratings",
        "Ratings are those of Bradley and Terry (1952) on the Elo scale, with intervals over units whose degrees of freedom are \
         Satterthwaite's (1946).",
    ),
    (
        "benchmarks",
        "Points of 1,000 games count a draw as half; their 95 % intervals take the two games of a unit as one observation \
         (Student 1908), or are Wilson's over games (1927) where all units are equal.",
    ),
    ("search", "Shares in the search have Wilson's 95 % interval over games (Wilson 1927), of a single candidate."),
    (
        "retest",
        "The final stage compares the winner with the defaults by Welch's t test over units (Welch 1947), with degrees of freedom \
         by Satterthwaite (1946) over several opponents.",
    ),
    ("trees", "Means over runs have Student's 95 % interval (Student 1908)."),
    ("points", "Mean points have Wilson's 95 % interval for as many games as their spread over runs is worth."),
    (
        "mann-whitney",
        "Agents are compared by the Mann-Whitney U test (Mann and Whitney 1947), two-sided, with A12 (Vargha and Delaney 2000).",
    ),
    ("welch", "Agents are compared by Welch's t test (Welch 1947), two-sided, with Hedges' g (Hedges 1981)."),
    ("student", "Agents are compared by Student's t test (Student 1908), two-sided."),
    ("wilcoxon", "Runs of the same number are compared by Wilcoxon's signed-rank test (Wilcoxon 1945), two-sided."),
    ("kruskal-wallis", "All agents at once are compared by the test of Kruskal and Wallis (1952)."),
    (
        "friedman",
        "Runs of the same number are compared by Friedman's test (1937) with the F of Iman and Davenport (1980).",
    ),
    ("normality", "Normality is tested as D'Agostino and Pearson (1973) do."),
    ("learning-rounds", "Shares of gates have the same intervals as those of other games."),
    (
        "settings",
        "Two settings are compared over runs, each of which is one observation: by Welch's t test and the Mann-Whitney U test.",
    ),
];

pub(super) fn part(gathered: &Gathered) -> Part {
    let own = gathered.report.tables.iter();
    let replicates = gathered.replicates.iter().flat_map(|report| &report.tables);
    let tables: Vec<_> = own.chain(replicates).collect();
    let has = |kind: &str| tables.iter().any(|table| table.kind == kind);
    let mut sentences: Vec<String> =
        OF_TABLES.iter().filter(|(kind, _)| has(kind)).map(|(_, says)| (*says).to_owned()).collect();
    let notes = |word: &str| tables.iter().flat_map(|table| &table.notes).any(|note| note.contains(word));
    if has("tests") || has("retest") || notes("Holm") {
        sentences.push(
            "Where several tests stand together, p is adjusted by Holm's method (1979) as the notes of a table say."
                .to_owned(),
        );
    }
    if notes("Benjamini") {
        sentences
            .push("Where the notes say so, p is adjusted by the method of Benjamini and Hochberg (1995).".to_owned());
    }
    if matches!(gathered.beside, Beside::Compared(_)) {
        sentences.push(
            "A figure is inside of the paper's if their difference is one that chance and rounding explain at 95 %: by both \
             standard errors, or of counts by Fisher's exact test (1922)."
                .to_owned(),
        );
    }
    Part::new("Statistics", sentences)
}
