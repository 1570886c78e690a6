//! The works that a report's methods are of. Which are cited follows from the tables that the report has.

use analysis::Table;

use super::gathered::{Beside, Gathered};

/// A work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// Its key in BibTeX.
    key: &'static str,
    /// `article`, `inproceedings` or `techreport`.
    form: &'static str,
    authors: &'static str,
    year: u16,
    title: &'static str,
    /// Journal, proceedings or institution.
    place: &'static str,
    /// Volume, with the issue in brackets, and pages; empty where there is none.
    volume: &'static str,
    pages: &'static str,
}

impl Reference {
    /// For people, in a line.
    pub(super) fn text(&self) -> String {
        let Reference { authors, year, title, place, volume, pages, .. } = self;
        let volume = if volume.is_empty() { String::new() } else { format!(" {volume}") };
        let pages = if pages.is_empty() { String::new() } else { format!(", {pages}") };
        format!("{authors} ({year}). {title}. {place}{volume}{pages}.")
    }

    /// As an entry of BibTeX.
    pub(super) fn bibtex(&self) -> String {
        let place = match self.form {
            "article" => "journal",
            "inproceedings" => "booktitle",
            _ => "institution",
        };
        let mut fields = vec![
            ("author", self.authors.replace("; ", " and ")),
            ("title", format!("{{{}}}", self.title)),
            (place, self.place.to_owned()),
            ("year", self.year.to_string()),
        ];
        let (volume, number) = self.volume.split_once('(').unwrap_or((self.volume, ""));
        let more = [("volume", volume), ("number", number.trim_end_matches(')')), ("pages", self.pages)];
        fields.extend(
            more.into_iter().filter(|(_, value)| !value.is_empty()).map(|(key, value)| (key, value.replace('–', "--"))),
        );
        let lines: String = fields.iter().map(|(key, value)| format!("  {key} = {{{value}}},\n")).collect();
        format!("@{}{{{},\n{lines}}}\n", self.form, self.key)
    }
}

/// An article in a journal.
const fn article(
    key: &'static str,
    authors: &'static str,
    year: u16,
    title: &'static str,
    [place, volume, pages]: [&'static str; 3],
) -> Reference {
    Reference { key, form: "article", authors, year, title, place, volume, pages }
}

const WILSON: Reference = article(
    "wilson1927",
    "Wilson, E. B.",
    1927,
    "Probable inference, the law of succession, and statistical inference",
    ["Journal of the American Statistical Association", "22(158)", "209–212"],
);
const STUDENT: Reference =
    article("student1908", "Student", 1908, "The probable error of a mean", ["Biometrika", "6(1)", "1–25"]);
const WELCH: Reference = article(
    "welch1947",
    "Welch, B. L.",
    1947,
    "The generalization of ‘Student’s’ problem when several different population variances are involved",
    ["Biometrika", "34(1–2)", "28–35"],
);
const SATTERTHWAITE: Reference = article(
    "satterthwaite1946",
    "Satterthwaite, F. E.",
    1946,
    "An approximate distribution of estimates of variance components",
    ["Biometrics Bulletin", "2(6)", "110–114"],
);
const MANN_WHITNEY: Reference = article(
    "mann1947",
    "Mann, H. B.; Whitney, D. R.",
    1947,
    "On a test of whether one of two random variables is stochastically larger than the other",
    ["The Annals of Mathematical Statistics", "18(1)", "50–60"],
);
const VARGHA_DELANEY: Reference = article(
    "vargha2000",
    "Vargha, A.; Delaney, H. D.",
    2000,
    "A critique and improvement of the CL common language effect size statistics of McGraw and Wong",
    ["Journal of Educational and Behavioral Statistics", "25(2)", "101–132"],
);
const HEDGES: Reference = article(
    "hedges1981",
    "Hedges, L. V.",
    1981,
    "Distribution theory for Glass’s estimator of effect size and related estimators",
    ["Journal of Educational Statistics", "6(2)", "107–128"],
);
const HOLM: Reference = article(
    "holm1979",
    "Holm, S.",
    1979,
    "A simple sequentially rejective multiple test procedure",
    ["Scandinavian Journal of Statistics", "6(2)", "65–70"],
);
const BENJAMINI_HOCHBERG: Reference = article(
    "benjamini1995",
    "Benjamini, Y.; Hochberg, Y.",
    1995,
    "Controlling the false discovery rate: a practical and powerful approach to multiple testing",
    ["Journal of the Royal Statistical Society B", "57(1)", "289–300"],
);
const BRADLEY_TERRY: Reference = article(
    "bradley1952",
    "Bradley, R. A.; Terry, M. E.",
    1952,
    "Rank analysis of incomplete block designs: I. The method of paired comparisons",
    ["Biometrika", "39(3–4)", "324–345"],
);
const KRUSKAL_WALLIS: Reference = article(
    "kruskal1952",
    "Kruskal, W. H.; Wallis, W. A.",
    1952,
    "Use of ranks in one-criterion variance analysis",
    ["Journal of the American Statistical Association", "47(260)", "583–621"],
);
const WILCOXON: Reference = article(
    "wilcoxon1945",
    "Wilcoxon, F.",
    1945,
    "Individual comparisons by ranking methods",
    ["Biometrics Bulletin", "1(6)", "80–83"],
);
const FRIEDMAN: Reference = article(
    "friedman1937",
    "Friedman, M.",
    1937,
    "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
    ["Journal of the American Statistical Association", "32(200)", "675–701"],
);
const IMAN_DAVENPORT: Reference = article(
    "iman1980",
    "Iman, R. L.; Davenport, J. M.",
    1980,
    "Approximations of the critical region of the Friedman statistic",
    ["Communications in Statistics – Theory and Methods", "9(6)", "571–595"],
);
const PIEPHO: Reference = article(
    "piepho2004",
    "Piepho, H.-P.",
    2004,
    "An algorithm for a letter-based representation of all-pairwise comparisons",
    ["Journal of Computational and Graphical Statistics", "13(2)", "456–466"],
);
const DAGOSTINO_PEARSON: Reference = article(
    "dagostino1973",
    "D’Agostino, R.; Pearson, E. S.",
    1973,
    "Tests for departure from normality. Empirical results for the distributions of b2 and √b1",
    ["Biometrika", "60(3)", "613–622"],
);
const FISHER: Reference = article(
    "fisher1922",
    "Fisher, R. A.",
    1922,
    "On the interpretation of χ² from contingency tables, and the calculation of P",
    ["Journal of the Royal Statistical Society", "85(1)", "87–94"],
);
const BLACKMAN_VIGNA: Reference = article(
    "blackman2021",
    "Blackman, D.; Vigna, S.",
    2021,
    "Scrambled linear pseudorandom number generators",
    ["ACM Transactions on Mathematical Software", "47(4)", ""],
);
const STORN_PRICE: Reference = article(
    "storn1997",
    "Storn, R.; Price, K.",
    1997,
    "Differential evolution – a simple and efficient heuristic for global optimization over continuous spaces",
    ["Journal of Global Optimization", "11(4)", "341–359"],
);
const KARNIN: Reference = Reference {
    key: "karnin2013",
    form: "inproceedings",
    authors: "Karnin, Z.; Koren, T.; Somekh, O.",
    year: 2013,
    title: "Almost optimal exploration in multi-armed bandits",
    place: "International Conference on Machine Learning",
    volume: "",
    pages: "",
};
const KINGMA_BA: Reference = Reference {
    key: "kingma2015",
    form: "inproceedings",
    authors: "Kingma, D. P.; Ba, J.",
    year: 2015,
    title: "Adam: a method for stochastic optimization",
    place: "International Conference on Learning Representations",
    volume: "",
    pages: "",
};
const EVOMCTS: Reference = Reference {
    key: "benbassat2013",
    form: "inproceedings",
    authors: "Benbassat, A.; Sipper, M.",
    year: 2013,
    title: "EvoMCTS: enhancing MCTS-based players through genetic programming",
    place: "IEEE Conference on Computational Intelligence in Games",
    volume: "",
    pages: "1–8",
};
const BOOP: Reference = Reference {
    key: "richoux2024",
    form: "inproceedings",
    authors: "Richoux, F.",
    year: 2024,
    title: "Injecting combinatorial optimization into MCTS: application to the board game boop.",
    place: "IEEE Conference on Games",
    volume: "",
    pages: "",
};
const DOTS_AND_BOXES: Reference = article(
    "cotarelo2021",
    "Cotarelo, A.; García-Díaz, V.; Núñez-Valdez, E. R.; González García, C.; Gómez, A.; Lin, J. C.-W.",
    2021,
    "Improving Monte Carlo tree search with artificial neural networks without heuristics",
    ["Applied Sciences", "11(5)", "2056"],
);
const CHECKERS: Reference = Reference {
    key: "abdulsater2022",
    form: "techreport",
    authors: "Abdul Sater, S.; Flachs, A.; Rubas, D.; Szpirer, J.",
    year: 2022,
    title: "Monte-Carlo tree-search for Checkers",
    place: "École polytechnique de Bruxelles, project report PROJ-H418",
    volume: "",
    pages: "",
};

/// Works that tables of a kind are of, by their entry in docs/tables.md.
const OF_TABLES: [(&str, &[Reference]); 17] = [
    ("pairs", &[WILSON, STUDENT]),
    ("seats", &[WILSON]),
    ("tests", &[MANN_WHITNEY, VARGHA_DELANEY, WELCH, HEDGES, HOLM, STUDENT]),
    ("contrasts", &[MANN_WHITNEY, VARGHA_DELANEY, WELCH, HEDGES, HOLM]),
    ("influence", &[KRUSKAL_WALLIS]),
    ("ratings", &[BRADLEY_TERRY, SATTERTHWAITE]),
    ("benchmarks", &[STUDENT, WILSON]),
    ("search", &[WILSON]),
    ("retest", &[WILSON, WELCH, SATTERTHWAITE, STUDENT, HOLM]),
    ("mann-whitney", &[MANN_WHITNEY, VARGHA_DELANEY]),
    ("welch", &[WELCH, HEDGES]),
    ("student", &[STUDENT, HEDGES]),
    ("wilcoxon", &[WILCOXON]),
    ("kruskal-wallis", &[KRUSKAL_WALLIS]),
    ("friedman", &[FRIEDMAN, IMAN_DAVENPORT]),
    ("normality", &[DAGOSTINO_PEARSON]),
    ("settings", &[WELCH, HEDGES, HOLM, MANN_WHITNEY, VARGHA_DELANEY]),
];

/// What a report cites, by author.
pub(super) fn cited(gathered: &Gathered) -> Vec<Reference> {
    let mut cited = vec![BLACKMAN_VIGNA];
    let own = gathered.report.tables.iter();
    let replicates = gathered.replicates.iter().flat_map(|report| &report.tables);
    let tables: Vec<&Table> = own.chain(replicates).collect();
    for (kind, works) in OF_TABLES {
        if tables.iter().any(|table| table.kind == kind) {
            cited.extend(works);
        }
    }
    let notes = |word: &str| tables.iter().flat_map(|table| &table.notes).any(|note| note.contains(word));
    let by_words = [("Holm", HOLM), ("Benjamini", BENJAMINI_HOCHBERG), ("Piepho", PIEPHO)];
    cited.extend(by_words.iter().filter(|(word, _)| notes(word)).map(|(_, work)| work));
    if matches!(gathered.beside, Beside::Compared(_)) {
        cited.push(FISHER);
    }
    cited.extend(of_experiment(gathered));
    cited.sort_by_key(|work| (work.authors, work.year));
    cited.dedup();
    cited
}

/// The paper that the experiment names, and what its algorithm is of.
fn of_experiment(gathered: &Gathered) -> Vec<Reference> {
    use record::facts::Kind;
    let mut cited = Vec::new();
    let paper = gathered.header.as_ref().and_then(|header| header.paper.as_deref()).unwrap_or_default();
    cited.extend(match paper.split('/').next() {
        Some("evomcts") => Some(EVOMCTS),
        Some("boop") => Some(BOOP),
        Some("dots-and-boxes") => Some(DOTS_AND_BOXES),
        Some("checkers") => Some(CHECKERS),
        _ => None,
    });
    match gathered.kind() {
        Some(Kind::Coevolution) => cited.push(EVOMCTS),
        Some(Kind::Learning) => cited.push(KINGMA_BA),
        Some(Kind::Tuning) => cited.extend(match gathered.stages[0].stage.meta["algorithm"].as_str() {
            Some("successive-halving") => Some(KARNIN),
            Some("differential-evolution") => Some(STORN_PRICE),
            _ => None,
        }),
        _ => {}
    }
    cited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_for_people_and_for_bibtex() {
        assert_eq!(
            MANN_WHITNEY.text(),
            "Mann, H. B.; Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically larger \
             than the other. The Annals of Mathematical Statistics 18(1), 50–60."
        );
        assert_eq!(
            WILSON.bibtex(),
            "@article{wilson1927,\n  author = {Wilson, E. B.},\n  title = {{Probable inference, the law of succession, and \
             statistical inference}},\n  journal = {Journal of the American Statistical Association},\n  year = {1927},\n  \
             volume = {22},\n  number = {158},\n  pages = {209--212},\n}\n"
        );
        assert!(MANN_WHITNEY.bibtex().contains("author = {Mann, H. B. and Whitney, D. R.}"));
    }
}
