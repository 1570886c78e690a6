//! Tables of groups against one another, of inputs that are easily got wrong. Figures are SciPy's (1.17.1) unless a comment
//! says where they come from.

use std::fmt::Write as _;

use analysis::{
    Adjust, Report, Test,
    samples::{self, Columns, Reading, Request},
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The tables of rows (group, block, value) in CSV.
fn compared(rows: &str, tests: &[Test], adjust: Adjust) -> Report {
    let place = TempDir::new().expect("a directory");
    let path = place.path().join("t.csv");
    std::fs::write(&path, format!("g,b,v\n{rows}")).expect("written");
    let columns = Columns { value: "v".into(), group: "g".into(), by: None, block: Some("b".into()) };
    let reading = Reading::default();
    let request = Request { columns, reading, tests: tests.to_vec(), adjust, alpha: 0.05 };
    samples::report(&path, &request).expect("tables")
}

/// Rows of groups whose values are numbered by their blocks.
fn groups(groups: &[(&str, &[&str])]) -> String {
    let mut rows = String::new();
    for (name, values) in groups {
        values.iter().enumerate().for_each(|(b, v)| writeln!(rows, "{name},{b},{v}").expect("text"));
    }
    rows
}

fn json_of(report: &Report, name: &str) -> Value {
    report.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table `{name}`")).to_json()
}

fn rows(report: &Report, name: &str) -> Vec<Value> {
    json_of(report, name)["rows"].as_array().expect("rows").clone()
}

#[track_caller]
fn near(found: &Value, wanted: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is not a number"));
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found:e} is not {wanted:e}");
}

fn reasons(report: &Report, name: &str) -> Vec<String> {
    let reasons = json_of(report, name)["reasons"].as_array().expect("reasons").clone();
    reasons.iter().map(|reason| reason["reason"].as_str().expect("text").to_owned()).collect()
}

/// Four values above five: of 126 ways to deal them one is as far, and one on the other side.
#[test]
fn small_samples_with_ties_are_exact_and_say_so() {
    let old_and_new = groups(&[("old", &["115", "114", "115", "115"]), ("new", &["78.8"; 5])]);
    let report = compared(&old_and_new, &[Test::MannWhitney], Adjust::None);
    let row = &rows(&report, "mann-whitney")[0];
    near(&row["p"], 2.0 / 126.0);
    assert_eq!((&row["method"], &row["effect"]), (&json!("exact"), &json!(0.0)));
    // Beyond it is the normal approximation: 15 against 15.
    let many: Vec<String> = (0..15).map(|i| (i / 2).to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let report = compared(&groups(&[("a", &many), ("b", &many)]), &[Test::MannWhitney], Adjust::None);
    let row = &rows(&report, "mann-whitney")[0];
    assert_eq!((&row["method"], &row["p"]), (&json!("normal"), &json!(1.0)));
    assert!(report.to_markdown().contains("| method"), "{}", report.to_markdown());
}

/// Eight values of any scale, of which one is far off: p by SciPy of the scale that it can do.
#[test]
fn normality_is_the_same_of_any_size_and_what_has_no_p_takes_no_part() {
    let values = ["1.2", "-0.7", "0.3", "2.1", "-1.4", "0.5", "-0.2", "9.9"];
    let scaled = |power: &str| values.map(|value| format!("{value}{power}"));
    let (tiny, plain, huge) = (scaled("e-90"), scaled(""), scaled("e90"));
    let slices = [&tiny, &plain, &huge].map(|of| of.each_ref().map(String::as_str));
    let all = [("tiny", &slices[0][..]), ("plain", &slices[1][..]), ("huge", &slices[2][..])];
    let report = compared(&groups(&all), &[Test::Normality], Adjust::Holm);
    for row in rows(&report, "normality") {
        near(&row["p"], 0.0002907802843021217);
        near(&row["p_adjusted"], 3.0 * 0.0002907802843021217);
        assert_eq!(row["mark"], "***");
    }
    // A group without spread has no p: of two tests two are adjusted for, not three.
    let with = [("tiny", &slices[0][..]), ("equal", &["0.1"; 8][..]), ("huge", &slices[2][..])];
    for adjust in [Adjust::Holm, Adjust::BenjaminiHochberg] {
        let report = compared(&groups(&with), &[Test::Normality], adjust);
        let found = rows(&report, "normality");
        let factor = if adjust == Adjust::Holm { 2.0 } else { 1.0 };
        near(&found[1]["p_adjusted"], factor * 0.0002907802843021217);
        assert_eq!(
            (&found[0]["p"], &found[0]["p_adjusted"], &found[0]["mark"]),
            (&Value::Null, &Value::Null, &json!(""))
        );
        assert_eq!(reasons(&report, "normality"), ["all values are equal"; 3]);
    }
}

/// Six pairs, in each of which `old` is ahead, and values without a partner that say the opposite.
const PARTIAL: &str = "new,0,50\nold,0,52.0\nnew,1,51\nold,1,53.1\nnew,2,52\nold,2,54.2\nnew,3,53\nold,3,55.3\nnew,4,54\n\
                       old,4,56.4\nnew,5,55\nold,5,57.5\nnew,6,101\nnew,7,102\nnew,8,103\nold,9,14\nold,10,15\nold,11,16\n";

#[test]
fn a_row_of_pairs_is_of_the_pairs() {
    let report = compared(PARTIAL, &[Test::Wilcoxon], Adjust::None);
    let row = &rows(&report, "wilcoxon")[0];
    assert_eq!(
        (&row["n_a"], &row["n_b"], &row["mean_a"], &row["mean_b"]),
        (&json!(6), &json!(6), &json!(52.5), &json!(54.75))
    );
    assert_eq!((&row["effect"], &row["p"], &row["method"]), (&json!(-1.0), &json!(0.03125), &json!("exact")));
    let found = rows(&report, "groups");
    let of = |i: usize| ["group", "n", "mean", "median", "letters_wilcoxon"].map(|key| found[i][key].clone());
    assert_eq!(of(0), [json!("new"), json!(6), json!(52.5), json!(52.5), json!("b")]);
    assert_eq!(of(1), [json!("old"), json!(6), json!(54.75), json!(54.75), json!("a")]);
    assert!(
        json_of(&report, "groups")["notes"][0]
            .as_str()
            .expect("a note")
            .contains("as far as they are in another group")
    );
    // Beside a test of all values the row is of all of them, and has no letters of others.
    let report = compared(PARTIAL, &[Test::Wilcoxon, Test::Welch], Adjust::None);
    let found = rows(&report, "groups");
    assert_eq!(
        (&found[0]["n"], &found[0]["mean"], &found[0]["letters_wilcoxon"]),
        (&json!(9), &json!(69.0), &Value::Null)
    );
    assert!(found[0]["letters_welch"].is_string());
    assert_eq!(rows(&report, "wilcoxon")[0]["mean_a"], json!(52.5));
    // Whole blocks of three groups.
    let report =
        compared("x,0,1\ny,0,2\nz,0,3\nx,1,4\ny,1,5\nz,1,9\nx,2,50\ny,2,60\n", &[Test::Friedman], Adjust::None);
    assert_eq!(rows(&report, "groups")[0]["n"], json!(2));
}

/// Shares of two decimals and the same in percent: SciPy of the whole numbers.
#[test]
fn shares_say_what_percentages_say() {
    let pairs =
        [(79, 82), (46, 43), (81, 74), (52, 52), (30, 23), (66, 60), (97, 91), (12, 9), (58, 55), (71, 75), (35, 28)];
    let of = |write: &dyn Fn(i32) -> String| {
        let values = |side: fn(&(i32, i32)) -> i32| pairs.iter().map(|pair| write(side(pair))).collect::<Vec<_>>();
        let (x, y) = (values(|pair| pair.0), values(|pair| pair.1));
        let slices = [&x, &y].map(|of| of.iter().map(String::as_str).collect::<Vec<_>>());
        let report = compared(&groups(&[("a", &slices[0]), ("b", &slices[1])]), &[Test::Wilcoxon], Adjust::None);
        let row = rows(&report, "wilcoxon")[0].clone();
        ["statistic", "p", "effect"].map(|key| row[key].clone())
    };
    let percent = of(&|value| value.to_string());
    assert_eq!(of(&|value| format!("0.{value:02}")), percent);
    assert_eq!(of(&|value| format!("{value}e-7")), percent);
    assert_eq!(of(&|value| format!("10000.{value:02}")), percent);
}

#[test]
fn an_effect_is_not_lost_with_a_p() {
    // One value against three: Welch has no variance of it, d takes that of the others, 1: (5 - 2) / 1.
    let report = compared(&groups(&[("a", &["5"]), ("b", &["1", "2", "3"])]), &[Test::Welch], Adjust::None);
    let row = &rows(&report, "welch")[0];
    assert_eq!((&row["p"], &row["effect"], &row["size"]), (&Value::Null, &json!(3.0), &json!("large")));
    assert_eq!(reasons(&report, "welch").iter().filter(|reason| reason.contains("2 needed, 1 found")).count(), 4);
}

/// Two groups that differ and have no spread: no test says so, and no letter.
#[test]
fn groups_without_a_test_share_no_letter() {
    let equal = groups(&[("low", &["0.1"; 3]), ("high", &["0.3"; 3])]);
    let report = compared(&equal, &[Test::Welch], Adjust::Holm);
    for row in rows(&report, "groups") {
        assert_eq!((&row["letters_welch"], &row["sd"]), (&Value::Null, &json!(0.0)));
    }
    assert_eq!(reasons(&report, "groups"), ["within each sample all values are equal"; 2]);
    assert!(reasons(&report, "welch").iter().all(|reason| reason == "within each sample all values are equal"));
    // A third group that was tested against both has letters, and so have they.
    let report = compared(&format!("{equal}mid,0,0.2\nmid,1,0.3\nmid,2,0.1\n"), &[Test::Welch], Adjust::Holm);
    let letters: Vec<Value> = rows(&report, "groups").iter().map(|row| row["letters_welch"].clone()).collect();
    assert_eq!(letters, ["a", "b", "ab"].map(Value::from));
}

/// Values whose squares are beyond the range of numbers: SciPy of -1, 0, 1 and 1, 2, 3.
#[test]
fn squares_beyond_the_range_are_none_of_a_reader_s_business() {
    for power in ["", "e180", "e-200", "e307", "e-307"] {
        let of = |values: [&str; 3]| values.map(|value| format!("{value}{power}"));
        let (x, y) = (of(["-1", "0", "1"]), of(["1", "2", "3"]));
        let slices = [&x, &y].map(|of| of.each_ref().map(String::as_str));
        let rows_of = groups(&[("x", &slices[0]), ("y", &slices[1])]);
        for test in [Test::Welch, Test::Student] {
            let report = compared(&rows_of, &[test], Adjust::None);
            let row = &rows(&report, test.name())[0];
            near(&row["p"], 0.07048399691021992);
            near(&row["statistic"], -2.449489742783178);
            near(&row["difference_95"][0], format!("-4.266957935527519{power}").parse().expect("a number"));
            near(&row["effect"], -2.0);
            assert_eq!(reasons(&report, test.name()), Vec::<String>::new());
            near(&rows(&report, "groups")[1]["sd"], format!("1{power}").parse().expect("a number"));
        }
    }
    // Where a figure itself is beyond, its reason says so.
    let far = groups(&[("x", &["-1.7e308", "-1.6e308"]), ("y", &["1.7e308", "1.6e308"])]);
    let report = compared(&far, &[Test::Welch], Adjust::None);
    assert_eq!(reasons(&report, "welch"), ["the figure is beyond the largest number (1.8e308)"]);
    assert!(rows(&report, "welch")[0]["p"].is_number());
}

#[test]
fn numbers_of_any_size_are_readable() {
    let tiny = groups(&[("op", &["3.1e-21", "2.9e-21", "3.3e-21"]), ("sr", &["8.1e-20", "7.9e-20", "8.3e-20"])]);
    let text = compared(&tiny, &[Test::Welch], Adjust::Holm).to_markdown();
    for part in ["3.100e-21", "2.000e-22", "8.100e-20", "e-20 to "] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    assert!(!text.contains("0.0000000"), "{text}");
    let orders = groups(&[("a", &["1e308", "1.2e308"]), ("b", &["0.00123", "0.00125"]), ("c", &["5000", "5100"])]);
    let report = compared(&orders, &[Test::MannWhitney], Adjust::Holm);
    let text = report.to_markdown();
    assert!(text.contains("1.100e308") && text.contains("0.00124") && text.contains("5050"), "{text}");
    assert!(text.lines().filter(|line| line.starts_with('|')).all(|line| line.len() < 200), "{text}");
    let latex = report.tables[0].to_latex();
    assert!(latex.contains("$1.100 \\cdot 10^{308}$"), "{latex}");
    assert!(report.tables[0].to_csv().contains(",a,2,1.1e308,"), "{}", report.tables[0].to_csv());
}

/// Heads of CSV and keys of JSON: the same without intervals, without p, without an adjustment.
#[test]
fn columns_do_not_follow_data_or_adjustment() {
    let normal = groups(&[("a", &["1", "2", "4"]), ("b", &["2", "5", "7"]), ("c", &["1", "1", "3"])]);
    let equal = groups(&[("a", &["1"; 3]), ("b", &["2"; 3])]);
    let alone = groups(&[("a", &["1"])]);
    for (_, test) in Test::ALL {
        let heads = |rows: &str, adjust| {
            let report = compared(rows, &[test], adjust);
            report.tables.iter().map(|t| t.to_csv().lines().next().map(str::to_owned)).collect::<Vec<_>>()
        };
        let wanted = heads(&normal, Adjust::Holm);
        for rows in [&normal, &equal, &alone] {
            for (_, adjust) in Adjust::ALL {
                assert_eq!(heads(rows, adjust), wanted, "{test:?} {adjust:?}");
            }
        }
    }
}

/// Names that would break a format.
#[test]
fn names_break_no_format() {
    let names = ["\"[64, 64]\"", "\"a\nb\"", "x|y", "*", "50% & $5 #1 _{~^\\}", "naïve λ 中"];
    let all: Vec<(&str, &[&str])> = names.iter().map(|name| (*name, &["1", "2", "3"][..])).collect();
    let report = compared(&groups(&all), &[Test::MannWhitney], Adjust::None);
    let markdown = report.tables[0].to_markdown();
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(lines.len(), 8, "{markdown}");
    assert!(lines.iter().all(|line| bars(line) == bars(lines[0])) && markdown.contains("a<br>b"), "{markdown}");
    let latex = report.tables[0].to_latex();
    for part in [
        "{}[64, 64] &",
        "a b &",
        "{}* &",
        "50\\% \\& \\$5 \\#1 \\_\\{\\textasciitilde{}",
        "$\\lambda$ \\rquchar{4E2D}{中}",
    ] {
        assert!(latex.contains(part), "`{part}` is not in {latex}");
    }
    let csv = report.tables[0].to_csv();
    let mut reader = csv_lines(&csv);
    assert_eq!(reader.len(), 7, "{csv}");
    assert!(reader.all(|fields| fields == 7), "{csv}");
}

/// Fields of each record, by RFC 4180.
fn csv_lines(text: &str) -> impl ExactSizeIterator<Item = usize> + use<> {
    let (mut quoted, mut fields, mut records) = (false, 1, Vec::new());
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields += 1,
            '\n' if !quoted => records.push(std::mem::replace(&mut fields, 1)),
            _ => {}
        }
    }
    records.into_iter()
}
