//! Positions with a name, from which games may start.

/// Names of the positions that stand for State S of Cotarelo et al. (2021, section 4), whose 40 edges are known from a figure
/// alone. Each has 40 drawn edges and seven boxes a side, after a legal game of 26 completed turns with the first player to
/// move. With best play the second player wins S1 by one box and S2 by three, the first player S3 by three.
pub(super) const STARTS: [(&str, &str); 3] = [
    ("S1", "-----/|A|A|A|B|B|/-----/|B|B|B|B|../----./|A|B|A|..../---../|A|A|....../--.../..........|/.-.-. A"),
    ("S2", ".----/..|B|B|B|B|/.----/..|A|B|B|A|/.----/|.|A|A|A|A|/.----/....|A|B|../..--./|.......|../.-... A"),
    ("S3", "...../.........../.-.--/|.....|A|A|/-----/|A|A|B|B|A|/-----/|A|A|B|B|B|/-----/......|B|B|/.-.-- A"),
];
