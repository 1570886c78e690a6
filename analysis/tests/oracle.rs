//! Every figure of `oracles/statistics.json` (SciPy 1.17.1, statsmodels 0.15.0) that this crate computes.

use analysis::statistics::{
    adjust, interval,
    mann_whitney::{self, MannWhitney, Method},
    moments::Moments,
    normality, welch,
};
use serde_json::Value;

fn oracle() -> Value {
    serde_json::from_str(include_str!("oracles/statistics.json")).expect("the oracle is JSON")
}

/// A number of the oracle; nan and infinities are strings there.
fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().expect("a number or its name"),
        other => other.as_f64().unwrap_or_else(|| panic!("{other} is no number")),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// Sample `x` or `y` of a case, written out or as ((a i + b) mod m) / d.
fn sample(case: &Value, name: &str) -> Vec<f64> {
    let Some(formula) = case.get(format!("{name}_formula")) else { return numbers(&case[name]) };
    let part = |key: &str| formula[key].as_u64().expect("a whole number");
    let (n, a, b, m, d) = (part("n"), part("a"), part("b"), part("m"), part("d"));
    (0..n).map(|i| ((a * i + b) % m) as f64 / d as f64).collect()
}

#[track_caller]
fn near(what: &str, found: Option<f64>, wanted: &Value, tolerance: f64) {
    let wanted = number(wanted);
    let Some(found) = found else {
        assert!(wanted.is_nan(), "{what}: nothing instead of {wanted:e}");
        return;
    };
    assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{what}: {found:e} is not {wanted:e}");
}

#[track_caller]
fn near_interval(what: &str, found: Option<(f64, f64)>, wanted: &[f64], scale: f64, tolerance: f64) {
    let Some((low, high)) = found else {
        assert!(wanted[0].is_nan() || wanted[0] == wanted[1], "{what}: nothing instead of {wanted:?}");
        return;
    };
    for (found, wanted) in [low, high].into_iter().zip(wanted) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs().max(scale), "{what}: {found:e} is not {wanted:e}");
    }
}

#[test]
fn two_sample_cases() {
    let oracle = oracle();
    let cases = oracle["two_sample"].as_array().expect("cases");
    assert!(cases.len() > 25);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let (x, y) = (sample(case, "x"), sample(case, "y"));
        check_two_sample(name, &x, &y, &case["want"]);
        if let Some(wanted) = case["want"].get("omit_nan") {
            let omit = |values: &[f64]| values.iter().copied().filter(|v| !v.is_nan()).collect::<Vec<_>>();
            check_two_sample(name, &omit(&x), &omit(&y), wanted);
        }
    }
}

fn check_two_sample(name: &str, x: &[f64], y: &[f64], wanted: &Value) {
    check_mann_whitney(name, x, y, wanted);
    check_welch(name, x, y, &wanted["ttest_welch"]);
    for (side, values) in [("x", x), ("y", y)] {
        let summary = &wanted[format!("{side}_summary")];
        let moments = Moments::of(values);
        let what = format!("{name}, {side}");
        if values.iter().all(|v| v.is_finite()) {
            near(&format!("{what}, mean"), Some(moments.mean), &summary["mean"], 1e-14);
            near(&format!("{what}, sd"), moments.deviation(), &summary["std"], 1e-12);
        }
        let test = normality::test(values);
        // SciPy gives z of smaller samples too, with a warning; the approximation is made for 8 and more. Its figures
        // for huge samples have lost digits of the skewness, which is next to nothing there.
        let normal = &wanted[format!("normaltest_{side}")];
        if values.len() < 8 || normal.is_null() {
            assert_eq!(test, None, "{what}");
        } else {
            near(&format!("{what}, K2"), test.map(|t| t.k2), &normal["k2"], 1e-11);
            near(&format!("{what}, p of K2"), test.map(|t| t.p), &normal["p"], 1e-9);
            near(&format!("{what}, z of the kurtosis"), test.map(|t| t.kurtosis_z), &normal["kurtosis_z"], 1e-11);
            let tolerance = if values.len() > 1_000 { 1e-7 } else { 1e-11 };
            near(&format!("{what}, z of the skewness"), test.map(|t| t.skew_z), &normal["skew_z"], tolerance);
        }
    }
}

fn check_mann_whitney(name: &str, x: &[f64], y: &[f64], wanted: &Value) {
    let u = &wanted["mannwhitneyu"];
    let test = mann_whitney::test(x, y);
    near(&format!("{name}, U"), test.map(|t| t.u1), &u["u1"], 0.0);
    near(&format!("{name}, A12"), test.map(|t| t.a12), &wanted["a12"], 1e-15);
    near(&format!("{name}, Cliff's delta"), test.map(|t| t.cliffs_delta), &wanted["cliffs_delta"], 1e-11);
    let methods = [
        ("auto", Method::Auto),
        ("exact", Method::Exact),
        ("asymptotic", Method::Asymptotic { continuity: false }),
        ("asymptotic_continuity", Method::Asymptotic { continuity: true }),
    ];
    for (key, method) in methods {
        let test = mann_whitney::test_by(x, y, method);
        let by = |p: fn(MannWhitney) -> f64| test.map(p);
        for (alternative, p) in
            [("two-sided", by(|t| t.p)), ("less", by(|t| t.p_less)), ("greater", by(|t| t.p_greater))]
        {
            // The exact distribution is in the oracle where the samples are small.
            if let Some(wanted) = u[alternative].get(key) {
                near(&format!("{name}, U {alternative} {key}"), p, wanted, 1e-12);
            }
        }
    }
}

fn check_welch(name: &str, x: &[f64], y: &[f64], wanted: &Value) {
    if wanted.is_null() || wanted.get("t").is_none_or(Value::is_null) {
        assert_eq!(welch::test(x, y), None, "{name}");
        return;
    }
    let test = welch::test(x, y);
    // SciPy loses digits of t to a large offset of the data; the value in 50 digits is beside it.
    let (t, tolerance) = match wanted.get("t_50_digits") {
        Some(exact) => (exact, 1e-13),
        None => (&wanted["t"], 1e-11),
    };
    near(&format!("{name}, t"), test.map(|w| w.t), t, tolerance);
    let offset = name.contains("offset");
    if test.is_some() {
        near(&format!("{name}, df"), test.map(|w| w.df), &wanted["df"], 1e-12);
    }
    let tolerance = if offset { 1e-6 } else { 1e-11 };
    near(&format!("{name}, p of t"), test.map(|w| w.p), &wanted["two-sided"], tolerance);
    near(&format!("{name}, p of t, less"), test.map(|w| w.p_less), &wanted["less"], tolerance);
    near(&format!("{name}, p of t, greater"), test.map(|w| w.p_greater), &wanted["greater"], tolerance);
    let ci = numbers(&wanted["ci95"]);
    near_interval(&format!("{name}, interval"), test.map(|w| w.ci95), &ci, (ci[1] - ci[0]).abs(), tolerance);
}

#[test]
fn wilson_cases() {
    let oracle = oracle();
    for case in oracle["wilson"].as_array().expect("cases") {
        let n = case["n"].as_u64().expect("a count");
        // Draws are half a success, and these cases have no value in 50 digits.
        let (successes, ends) = match case.get("wins") {
            Some(wins) => (number(wins) + 0.5 * number(&case["draws"]), ["low", "high"]),
            None => (number(&case["successes"]), ["low_exact", "high_exact"]),
        };
        let found = interval::wilson(successes, n, number(&case["confidence"]));
        let exact = ends.map(|end| number(&case[end]));
        near_interval(&case.to_string(), found, &exact, 0.0, 1e-13);
    }
}

#[test]
fn adjusted_probabilities() {
    let oracle = oracle();
    for case in oracle["adjusted_p"].as_array().expect("cases") {
        let p = numbers(&case["p"]);
        for (key, found) in [("holm", adjust::holm(&p)), ("benjamini_hochberg", adjust::benjamini_hochberg(&p))] {
            let wanted = numbers(&case[key]);
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert!((found - wanted).abs() <= 1e-15 * wanted, "{key} of {case}: {found} is not {wanted}");
            }
        }
    }
}
