//! Questions of a study: their tables against SciPy (studied/make.py).

use analysis::{Adjust, Options, Question, Report, Test, analyze};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    shown::{near, table},
    studied::{add_own_columns, agree, analysed, expected, meta, rows, written},
};

fn ask(test: Test, metric: &str, adjust: Adjust) -> Question {
    Question {
        name: "asked".into(),
        question: "Do they differ?".into(),
        metric: metric.into(),
        test,
        adjust,
        alpha: 0.05,
        players: Vec::new(),
    }
}

fn answered(directory: &TempDir, question: Question) -> Report {
    analyze(directory.path(), &Options { questions: vec![question], ..Options::default() }).expect("tables")
}

#[test]
fn questions_may_be_about_numbers_that_a_game_declares() {
    let directory = written(&meta());
    add_own_columns(directory.path());
    change(directory.path(), "UPDATE results_study SET kept = kept + 1 WHERE agent = 2");
    let found = rows(&answered(&directory, ask(Test::Welch, "kept", Adjust::None)), "asked");
    // The other agents have the same values. Those of ea-mcts are higher by 1, with the same variance of 25/19.
    let pair = |row: &&Value| {
        (&row["problem"], &row["a"], &row["b"]) == (&json!("f2"), &json!("ea-mcts"), &json!("siea-mcts"))
    };
    let row = found.iter().find(pair).expect("a pair");
    near(&row["statistic"], 1.0 / (2.0 * 25.0 / 19.0 / 20.0f64).sqrt());
    let refused = ask(Test::Welch, "kept-by-turn", Adjust::None);
    let error = analyze(directory.path(), &Options { questions: vec![refused], ..Options::default() });
    assert!(error.expect_err("a list is not a number").to_string().contains("semantic-choices, kept"));
}

#[test]
fn pairs_are_tested_as_scipy_does() {
    let mut questions = Vec::new();
    for (name, test, metric) in [
        ("mann-whitney", Test::MannWhitney, "by-reward"),
        ("welch", Test::Welch, "leaf-depth"),
        ("student", Test::Student, "root-share"),
        ("wilcoxon", Test::Wilcoxon, "leaf-depth"),
    ] {
        assert_eq!(Test::find(name), Some(test));
        let named = |(way, adjust)| Question { name: format!("{name}-{way}"), ..ask(test, metric, adjust) };
        questions.extend(Adjust::ALL.map(named));
    }
    let options = Options { questions: questions.clone(), ..Options::default() };
    let report = analyze(written(&meta()).path(), &options).expect("tables");
    for (question, way) in questions.iter().zip(Adjust::ALL.iter().cycle().map(|(way, _)| *way)) {
        let test = question.name.strip_suffix(&format!("-{way}")).expect("the test and the way");
        assert_eq!(table(&report, &question.name).title, "Do they differ?");
        let (found, wanted) = (rows(&report, &question.name), expected()["questions"][test].clone());
        let wanted = wanted.as_array().expect("pairs");
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            for key in ["problem", "a", "b", "p"] {
                agree(&found[key], &wanted[key], &format!("{test} {wanted} {key}"));
            }
            let decides = if way == "none" { &wanted["p"] } else { &wanted[way] };
            let shown = if way == "none" { &Value::Null } else { decides };
            agree(&found["p_adjusted"], shown, &format!("{test} {wanted} {way}"));
            let p = decides.as_f64().expect("a number");
            let stars = [0.05, 0.01, 0.001].iter().filter(|level| p < **level).count();
            assert_eq!(found["mark"], json!("*".repeat(stars)), "{found}");
        }
    }
}

/// Agents share a letter just if their adjusted p is not below the level; the highest mean has the first.
#[test]
fn letters_say_what_the_tests_say() {
    let report = answered(&written(&meta()), ask(Test::Welch, "leaf-depth", Adjust::Holm));
    let groups = rows(&report, "asked-groups");
    assert_eq!((groups.len(), table(&report, "asked-groups").title.as_str()), (8, "Do they differ? By agent"));
    let letters = |problem: &Value, agent: &Value| {
        let group = groups.iter().find(|group| group["problem"] == *problem && group["agent"] == *agent);
        group.expect("a group")["letters"].as_str().expect("letters").to_owned()
    };
    for pair in expected()["questions"]["welch"].as_array().expect("pairs") {
        let [a, b] = ["a", "b"].map(|side| letters(&pair["problem"], &pair[side]));
        let shared = a.chars().any(|letter| b.contains(letter));
        assert_eq!(shared, pair["holm"].as_f64().expect("a number") >= 0.05, "{pair} {a} {b}");
    }
    for groups in groups.chunks(4) {
        let means: Vec<f64> = groups.iter().map(|group| group["mean"]["mean"].as_f64().expect("a mean")).collect();
        assert!(means.is_sorted_by(|one, other| one >= other) && groups[0]["letters"] == json!("a"), "{groups:?}");
    }
    // By numpy: see the trees.
    let trees = expected()["trees"][0].clone();
    let first = groups.iter().find(|group| group["problem"] == "f2" && group["agent"] == "mcts-c05").expect("a group");
    near(&first["mean"]["mean"], trees["leaf_depth"]["mean"].as_f64().expect("a mean"));
    near(&first["mean"]["sd"], trees["leaf_depth_run_sd"].as_f64().expect("a deviation"));
}

#[test]
fn agents_are_tested_at_once_as_scipy_does() {
    let directory = written(&meta());
    for (name, test, metric) in [
        ("kruskal-wallis", Test::KruskalWallis, "root-share"),
        ("friedman", Test::Friedman, "leaf-depth"),
        ("normality", Test::Normality, "by-reward"),
    ] {
        let found = rows(&answered(&directory, ask(test, metric, Adjust::None)), "asked");
        let wanted = expected()["questions"][name].clone();
        assert_eq!(found.len(), wanted.as_array().expect("rows").len());
        for (found, wanted) in found.iter().zip(wanted.as_array().expect("rows")) {
            agree(found, wanted, name);
        }
    }
}

#[test]
fn runs_that_an_agent_misses_are_in_no_pair() {
    let directory = written(&meta());
    // Run 3 of the first agent and run 5 of the second.
    change(directory.path(), "DELETE FROM results_study WHERE trial IN (3, 25)");
    let found = rows(&answered(&directory, ask(Test::Wilcoxon, "leaf-depth", Adjust::None)), "asked");
    assert_eq!([&found[0]["n_a"], &found[1]["n_a"], &found[5]["n_a"]], [&json!(18), &json!(19), &json!(20)]);
    let found = rows(&answered(&directory, ask(Test::Friedman, "leaf-depth", Adjust::None)), "asked");
    assert_eq!([&found[0]["n"], &found[1]["n"]], [&json!(18), &json!(20)]);
    let found = rows(&answered(&directory, ask(Test::KruskalWallis, "leaf-depth", Adjust::None)), "asked");
    assert_eq!(found[0]["n"], json!(78));
}

#[test]
fn the_usual_question_is_asked_if_there_is_none() {
    let report = analysed(&written(&meta()));
    let found = rows(&report, "differences");
    let wanted = expected()["questions"]["mann-whitney"].clone();
    for (found, wanted) in found.iter().zip(wanted.as_array().expect("pairs")) {
        agree(&found["p_adjusted"], &wanted["holm"], "the usual");
    }
    assert_eq!(table(&report, "differences").title, "Do agents differ in points by reward?");
    let note = &table(&report, "differences").notes[0];
    assert!(
        note.contains("Mann-Whitney") && note.contains("Holm") && note.contains("over the pairs of a problem"),
        "{note}"
    );
}

#[test]
fn a_question_may_be_about_some_agents() {
    let directory = written(&meta());
    let question = Question {
        name: "trees".into(),
        players: vec!["siea-mcts".into(), "ea-mcts".into()],
        question: String::new(),
        ..ask(Test::MannWhitney, "ties", Adjust::Holm)
    };
    let report = answered(&directory, question.clone());
    // The name of another table is taken.
    let found = rows(&report, "question-trees");
    assert_eq!((found.len(), &found[0]["a"], &found[0]["b"]), (2, &json!("siea-mcts"), &json!("ea-mcts")));
    assert_eq!(table(&report, "question-trees").title, "study: ties");
    // Agents that evolve nothing have no ties.
    let report = answered(&directory, Question { players: Vec::new(), ..question.clone() });
    assert_eq!(rows(&report, "question-trees").len(), 2);
    let refused = |question: Question, says: &str| {
        let options = Options { questions: vec![question], ..Options::default() };
        let error = analyze(directory.path(), &options).expect_err("no answer");
        assert!(error.is_input() && error.to_string().contains(says), "{error}");
    };
    refused(
        Question { metric: "by-luck".into(), ..question.clone() },
        "there is no metric `by-luck`; there are points,",
    );
    refused(Question { players: vec!["x".into()], ..question }, "there is no player `x`; there are mcts-c05,");
}

/// Samples without spread have dashes, and nothing is NaN.
#[test]
fn equal_runs_have_dashes() {
    let directory = written(&meta());
    change(directory.path(), "UPDATE results_study SET leaf_depth = 3");
    let named = |(name, test): (&str, Test)| Question { name: name.into(), ..ask(test, "leaf-depth", Adjust::Holm) };
    let options = Options { questions: Test::ALL.map(named).to_vec(), ..Options::default() };
    let report = analyze(directory.path(), &options).expect("tables");
    let text = report.to_markdown().to_lowercase();
    assert!(!text.contains("nan") && !text.contains("inf "), "{text}");
    for (name, test) in Test::ALL {
        let p = &rows(&report, name)[0]["p"];
        // With all ranks equal every U is as likely.
        assert!(p.is_null() || *p == json!(1.0), "{test:?}: {p}");
    }
}
