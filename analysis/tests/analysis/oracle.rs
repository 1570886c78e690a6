//! Every figure of `oracles/statistics.json` and `oracles/more.json` (SciPy 1.17.1, statsmodels 0.15.0).

use analysis::statistics::{
    Reason, adjust, effect, fisher, friedman, interval, kruskal_wallis,
    mann_whitney::{self, MannWhitney, Method},
    moments::Moments,
    normality, regression, student, welch, wilcoxon,
};
use serde_json::Value;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracles/statistics.json")).expect("the oracle is JSON")
}

/// A list of cases of the other one (oracles/more.py).
fn more(name: &str) -> Vec<Value> {
    let oracle: Value = serde_json::from_str(include_str!("../oracles/more.json")).expect("the oracle is JSON");
    oracle[name].as_array().expect("cases").clone()
}

fn samples(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("samples").iter().map(numbers).collect()
}

fn slices(samples: &[Vec<f64>]) -> Vec<&[f64]> {
    samples.iter().map(Vec::as_slice).collect()
}

/// A number of the oracle; nan and infinities are strings there.
fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().expect("a number or its name"),
        other => other.as_f64().unwrap_or_else(|| panic!("{other} is not a number")),
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

/// What this crate says.
struct Found<T>(Result<T, Reason>);

impl<T> From<T> for Found<T> {
    fn from(found: T) -> Self {
        Found(Ok(found))
    }
}

impl<T> From<Result<T, Reason>> for Found<T> {
    fn from(found: Result<T, Reason>) -> Self {
        Found(found)
    }
}

#[track_caller]
fn near(what: &str, found: impl Into<Found<f64>>, wanted: &Value, tolerance: f64) {
    let wanted = number(wanted);
    let found = match found.into() {
        Found(Ok(found)) => found,
        Found(Err(reason)) => {
            assert!(wanted.is_nan(), "{what}: {reason} instead of {wanted:e}");
            return;
        }
    };
    assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{what}: {found:e} is not {wanted:e}");
}

#[track_caller]
fn near_interval(what: &str, found: impl Into<Found<(f64, f64)>>, wanted: &[f64], scale: f64, tolerance: f64) {
    let (low, high) = match found.into() {
        Found(Ok(found)) => found,
        Found(Err(reason)) => {
            assert!(wanted[0].is_nan() || wanted[0] == wanted[1], "{what}: {reason} instead of {wanted:?}");
            return;
        }
    };
    for (found, wanted) in [low, high].into_iter().zip(wanted) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs().max(scale), "{what}: {found:e} is not {wanted:e}");
    }
}

/// How near the t tests of a case come to SciPy, relative: its means of many values and of values with a large offset
/// have lost digits (the exact t of `100000 v 100000`, by fractions, is -0.031905950792033955).
fn t_tolerance(case: &str) -> f64 {
    match case {
        case if case.contains("offset") => 1e-6,
        case if case.starts_with("100000 v") || case.starts_with("1000000 v") => 1e-11,
        _ => 1e-12,
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
    check_student(name, x, y, &wanted["ttest_student"]);
    for (side, values) in [("x", x), ("y", y)] {
        let summary = &wanted[format!("{side}_summary")];
        let moments = Moments::of(values);
        let what = format!("{name}, {side}");
        if values.iter().all(|v| v.is_finite()) {
            near(&format!("{what}, mean"), moments.mean, &summary["mean"], 1e-14);
            near(&format!("{what}, sd"), moments.deviation().ok_or(Reason::NoSpread), &summary["std"], 1e-12);
        }
        let test = normality::test(values);
        // SciPy gives z of smaller samples too, with a warning; the approximation is made for 8 and more. Its figures
        // for huge samples have lost digits of the skewness, which is next to nothing there.
        let normal = &wanted[format!("normaltest_{side}")];
        if values.len() < 8 || normal.is_null() {
            assert!(test.is_err(), "{what}: {test:?}");
        } else {
            // SciPy takes moments about a rounded mean; of values with a large offset that shows. `magnitudes` has the same in
            // 60 digits.
            let offset = name.contains("offset");
            let tolerance = |small: f64| if offset { 1e-6 } else { small };
            near(&format!("{what}, K2"), test.map(|t| t.k2), &normal["k2"], tolerance(1e-12));
            // p = exp(-K2 / 2): its relative error is half of the absolute one of K2.
            let of_p = tolerance(1e-14 * number(&normal["k2"]).max(100.0));
            near(&format!("{what}, p of K2"), test.map(|t| t.p), &normal["p"], of_p);
            let of_z = test.map(|t| t.kurtosis_z);
            near(&format!("{what}, z of the kurtosis"), of_z, &normal["kurtosis_z"], tolerance(1e-12));
            let tolerance = if values.len() > 1_000 { 1e-7 } else { tolerance(1e-12) };
            near(&format!("{what}, z of the skewness"), test.map(|t| t.skew_z), &normal["skew_z"], tolerance);
        }
    }
}

fn check_mann_whitney(name: &str, x: &[f64], y: &[f64], wanted: &Value) {
    let u = &wanted["mannwhitneyu"];
    let test = mann_whitney::test(x, y);
    near(&format!("{name}, U"), test.map(|t| t.u1), &u["u1"], 0.0);
    near(&format!("{name}, A12"), test.map(|t| t.a12), &wanted["a12"], 1e-15);
    near(&format!("{name}, Cliff's delta"), test.map(|t| t.cliffs_delta), &wanted["cliffs_delta"], 1e-12);
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
        assert!(welch::test(x, y).is_err(), "{name}");
        return;
    }
    let test = welch::test(x, y);
    // SciPy loses digits of t to a large offset of the data; the value in 50 digits is beside it.
    let (t, tolerance) = match wanted.get("t_50_digits") {
        Some(exact) => (exact, 1e-13),
        None => (&wanted["t"], t_tolerance(name)),
    };
    near(&format!("{name}, t"), test.map(|w| w.t), t, tolerance);
    if test.is_ok() {
        near(&format!("{name}, df"), test.map(|w| w.df), &wanted["df"], 1e-12);
    }
    let tolerance = t_tolerance(name);
    near(&format!("{name}, p of t"), test.map(|w| w.p), &wanted["two-sided"], tolerance);
    near(&format!("{name}, p of t, less"), test.map(|w| w.p_less), &wanted["less"], tolerance);
    near(&format!("{name}, p of t, greater"), test.map(|w| w.p_greater), &wanted["greater"], tolerance);
    let ci = numbers(&wanted["ci95"]);
    near_interval(&format!("{name}, interval"), test.map(|w| w.ci95), &ci, (ci[1] - ci[0]).abs(), tolerance);
}

fn check_student(name: &str, x: &[f64], y: &[f64], wanted: &Value) {
    let test = student::test(x, y);
    if wanted.get("t").is_none_or(Value::is_null) {
        assert!(test.is_err(), "{name}: {test:?}");
        return;
    }
    let (t, tolerance) = match wanted.get("t_50_digits") {
        Some(exact) => (exact, 1e-13),
        None => (&wanted["t"], t_tolerance(name)),
    };
    near(&format!("{name}, Student's t"), test.map(|s| s.t), t, tolerance);
    if test.is_ok() {
        near(&format!("{name}, df"), test.map(|s| s.df), &wanted["df"], 0.0);
    }
    let tolerance = t_tolerance(name);
    near(&format!("{name}, p of t"), test.map(|s| s.p), &wanted["two-sided"], tolerance);
    near(&format!("{name}, p of t, less"), test.map(|s| s.p_less), &wanted["less"], tolerance);
    near(&format!("{name}, p of t, greater"), test.map(|s| s.p_greater), &wanted["greater"], tolerance);
    let ci = numbers(&wanted["ci95"]);
    near_interval(&format!("{name}, interval"), test.map(|s| s.ci95), &ci, (ci[1] - ci[0]).abs(), tolerance);
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
        let found =
            interval::wilson(successes, n, number(&case["confidence"])).ok_or(Reason::TooFew { needed: 1, found: 0 });
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

#[test]
fn pairs() {
    for case in more("paired") {
        let (name, x, y, wanted) = (&case["name"], numbers(&case["x"]), numbers(&case["y"]), &case["want"]);
        let found = wilcoxon::test(&x, &y);
        for (what, found, key) in [
            ("W", found.map(|t| t.w), "w"),
            ("W+", found.map(|t| t.w_plus), "w_plus"),
            ("p", found.map(|t| t.p), "two-sided"),
            ("p, less", found.map(|t| t.p_less), "less"),
            ("p, greater", found.map(|t| t.p_greater), "greater"),
            ("r", found.map(|t| t.rank_biserial), "rank_biserial"),
        ] {
            near(&format!("{name}, {what}"), found, &wanted[key], 1e-12);
        }
        let (found, wanted) = (student::paired(&x, &y), &wanted["t"]);
        for (what, found, key) in [
            ("t", found.map(|t| t.t), "t"),
            ("df", found.map(|t| t.df), "df"),
            ("p of t", found.map(|t| t.p), "two-sided"),
            ("p of t, less", found.map(|t| t.p_less), "less"),
            ("p of t, greater", found.map(|t| t.p_greater), "greater"),
            ("d", found.map(|t| t.cohens_d), "d"),
        ] {
            near(&format!("{name}, {what}"), found, &wanted[key], 1e-12);
        }
        near_interval(&format!("{name}, interval"), found.map(|t| t.ci95), &numbers(&wanted["ci95"]), 1.0, 1e-12);
    }
}

/// Small samples with ties, every way to deal them; what is exact without ties is what it was.
#[test]
fn small_samples_with_ties() {
    for case in more("dealt") {
        let (name, x, y, wanted) = (&case["name"], numbers(&case["x"]), numbers(&case["y"]), &case["want"]);
        let test = mann_whitney::test(&x, &y);
        assert!(test.is_ok_and(|test| test.exact), "{name}: {test:?}");
        near(&format!("{name}, p"), test.map(|t| t.p), &wanted["two-sided"], 1e-12);
        near(&format!("{name}, p, less"), test.map(|t| t.p_less), &wanted["less"], 1e-12);
        near(&format!("{name}, p, greater"), test.map(|t| t.p_greater), &wanted["greater"], 1e-12);
    }
}

#[test]
fn pairs_of_decimals() {
    for case in more("decimals") {
        let (name, x, y, wanted) = (&case["name"], numbers(&case["x"]), numbers(&case["y"]), &case["want"]);
        let found = wilcoxon::test_decimals(&x, &y);
        near(&format!("{name}, W"), found.map(|t| t.w), &wanted["w"], 0.0);
        near(&format!("{name}, p"), found.map(|t| t.p), &wanted["two-sided"], 1e-12);
        near(&format!("{name}, p, less"), found.map(|t| t.p_less), &wanted["less"], 1e-12);
        near(&format!("{name}, p, greater"), found.map(|t| t.p_greater), &wanted["greater"], 1e-12);
    }
}

/// Values far from 0 and of any size, against 60 digits.
#[test]
fn magnitudes() {
    for case in more("magnitudes") {
        let (name, x, y, wanted) = (&case["name"], numbers(&case["x"]), numbers(&case["y"]), &case["want"]);
        let of_x = Moments::of(&x);
        near(&format!("{name}, mean"), of_x.mean, &wanted["mean"], 1e-15);
        near(&format!("{name}, sd"), of_x.spread(), &wanted["sd"], 1e-14);
        let normal = normality::test(&x);
        near(&format!("{name}, K2"), normal.map(|t| t.k2), &wanted["k2"], 1e-12);
        near(&format!("{name}, p of K2"), normal.map(|t| t.p), &wanted["p_normal"], 1e-12);
        let of_t = welch::test(&x, &y);
        near(&format!("{name}, t"), of_t.map(|t| t.t), &wanted["t"], 1e-13);
        near(&format!("{name}, df"), of_t.map(|t| t.df), &wanted["df"], 1e-13);
        near(&format!("{name}, p of t"), of_t.map(|t| t.p), &wanted["p"], 1e-12);
        near(&format!("{name}, d"), of_t.map(|t| t.cohens_d), &wanted["d"], 1e-13);
        near(&format!("{name}, d of Student"), student::test(&x, &y).map(|t| t.cohens_d), &wanted["d"], 1e-13);
        let of_pairs = student::paired(&x, &y).map(|t| t.t);
        near(&format!("{name}, t of pairs"), of_pairs, &wanted["t_pairs"], 1e-12);
    }
}

#[test]
fn several_samples() {
    for case in more("several") {
        let (name, groups, wanted) = (&case["name"], samples(&case["groups"]), &case["want"]);
        let found = kruskal_wallis::test(&slices(&groups));
        near(&format!("{name}, H"), found.map(|t| t.h), &wanted["h"], 1e-12);
        near(&format!("{name}, df"), found.map(|t| t.df as f64), &wanted["df"], 0.0);
        near(&format!("{name}, p"), found.map(|t| t.p), &wanted["p"], 1e-12);
        near(&format!("{name}, effect"), found.map(|t| t.epsilon_squared), &wanted["epsilon_squared"], 1e-12);
    }
}

#[test]
fn blocks() {
    for case in more("blocks") {
        let (name, treatments, wanted) = (&case["name"], samples(&case["treatments"]), &case["want"]);
        let found = friedman::test(&slices(&treatments));
        near(&format!("{name}, chi-squared"), found.map(|t| t.chi_squared), &wanted["chi_squared"], 1e-12);
        near(&format!("{name}, p"), found.map(|t| t.p), &wanted["p"], 1e-12);
        near(&format!("{name}, W"), found.map(|t| t.kendalls_w), &wanted["kendalls_w"], 1e-12);
        let of_f = found.and_then(|t| t.iman_davenport);
        near(&format!("{name}, F"), of_f.map(|t| t.f), &wanted["f"], 1e-12);
        assert_eq!(of_f.map(|t| [t.df.0 as f64, t.df.1 as f64].to_vec()), Ok(numbers(&wanted["df"])), "{name}");
        near(&format!("{name}, p of F"), of_f.map(|t| t.p), &wanted["p_f"], 1e-12);
    }
}

#[test]
fn effect_sizes() {
    for case in more("effects") {
        let (name, x, y, wanted) = (&case["name"], numbers(&case["x"]), numbers(&case["y"]), &case["want"]);
        near(&format!("{name}, A12"), effect::a12(&x, &y), &wanted["a12"], 1e-15);
        near(&format!("{name}, Cliff's delta"), effect::cliffs_delta(&x, &y), &wanted["cliffs_delta"], 1e-15);
        let (of_x, of_y) = (Moments::of(&x), Moments::of(&y));
        near(&format!("{name}, d"), effect::cohens_d(&of_x, &of_y), &wanted["d"], 1e-12);
        near(&format!("{name}, g"), effect::hedges_g(&of_x, &of_y), &wanted["g"], 1e-12);
        if x.len() > 1 && y.len() > 1 {
            near(&format!("{name}, g of Welch"), welch::test(&x, &y).map(|t| t.hedges_g), &wanted["g"], 1e-12);
        }
    }
}

#[test]
fn regressions() {
    for case in more("regressions") {
        let (name, y, x, wanted) = (&case["name"], numbers(&case["y"]), samples(&case["x"]), &case["want"]);
        let found = regression::slopes(&y, &slices(&x)).expect("points that spread");
        for (i, slope) in found.iter().enumerate() {
            near(&format!("{name}, slope {i}"), slope.slope, &wanted["slopes"][i], 1e-10);
            near(&format!("{name}, error {i}"), slope.error, &wanted["errors"][i], 1e-10);
            near(&format!("{name}, low {i}"), slope.ci95.0, &wanted["low"][i], 1e-9);
            near(&format!("{name}, high {i}"), slope.ci95.1, &wanted["high"][i], 1e-9);
            near(&format!("{name}, p {i}"), slope.p, &wanted["p"][i], 1e-8);
        }
        assert_eq!(found.len(), x.len(), "{name}");
    }
}

#[test]
fn two_shares() {
    for case in more("shares") {
        let pair = |key: &str| [0, 1].map(|i| case[key][i].as_u64().expect("a count"));
        let (successes, trials) = (pair("successes"), pair("trials"));
        // SciPy's own sums of far tails have eight digits of it.
        near(&format!("{successes:?} of {trials:?}"), fisher::test(successes, trials), &case["p"], 1e-8);
    }
}
