//! That every form of figure is drawn in bounded time and memory, whatever its data.

use proptest::{prelude::*, sample::select, test_runner::TestCaseResult};

use super::*;

/// Bytes of a drawing that no data exceed.
const SVG_MAX: usize = 40_000_000;

/// A drawing, or a reason in words.
fn check(drawn: Drawn, picture: bool) -> TestCaseResult {
    match drawn {
        Ok(None) => {}
        Ok(Some(figure)) => {
            prop_assert!(figure.svg.len() < SVG_MAX, "{} bytes", figure.svg.len());
            let lower = figure.svg.to_ascii_lowercase();
            prop_assert!(!lower.contains("nan") && !lower.contains("\"inf") && !lower.contains("\"-inf"), "{lower}");
            // Millions of pixels away is outside of any drawing.
            prop_assert!(
                !figure.svg.split(['"', ' ', ',']).any(|part| part.len() > 300 && part.parse::<f64>().is_ok())
            );
            if picture {
                prop_assert!(figure.to_png().is_ok_and(|png| png.starts_with(b"\x89PNG")));
                prop_assert!(figure.to_pdf().is_ok_and(|pdf| pdf.ends_with(b"%%EOF\n")));
            }
        }
        Err(left_out) => prop_assert!(left_out.to_string().starts_with("figure `f` is left out: ")),
    }
    Ok(())
}

/// Numbers as no experiment should have them.
fn number() -> impl Strategy<Value = f64> {
    let odd = vec![
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN,
        f64::MAX,
        1e300,
        -1e300,
        2.3e-308,
        f64::from_bits(1),
        -f64::from_bits(1),
        1e-10,
        1e15,
        1e15 + 1.0,
        5.0,
        1.0,
        1.0 + f64::EPSILON,
    ];
    prop_oneof![3 => select(odd), 2 => -10.0..10.0, 1 => any::<f64>()]
}

fn numbers(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        prop::collection::vec(number(), 0..8),
        (number(), 1..most).prop_map(|(value, count)| vec![value; count]),
        (number(), number(), 1..most).prop_map(|(from, to, count)| {
            (0..count).map(|i| from + (to - from) * (i as f64 / count as f64)).collect()
        }),
    ]
}

fn ends() -> impl Strategy<Value = (f64, f64)> {
    (number(), number()).prop_map(|(one, other)| (one.min(other), one.max(other)))
}

fn text() -> impl Strategy<Value = String> {
    let odd = ["", "a", "<&>\"'", "\u{1b}[1m\n\u{0}", "é∞–\u{ffff}"].map(str::to_owned).to_vec();
    prop_oneof![select(odd), (1usize..5_000).prop_map(|length| "long ".repeat(length))]
}

fn count(most: usize) -> impl Strategy<Value = usize> {
    prop_oneof![4 => 1..4usize, 1 => 1..most]
}

fn panel() -> impl Strategy<Value = Panel> {
    let scale = prop_oneof![
        Just(Scale::Linear),
        Just(Scale::Log),
        count(3_000).prop_map(|count| Scale::Levels(vec!["level".to_owned(); count])),
    ];
    let looks = vec![Look::Line, Look::DashedBand, Look::Dashed, Look::Marked, Look::Points];
    let series = (text(), 0..9usize, select(looks), numbers(12_000), prop::option::of(ends()), any::<bool>());
    let series = series.prop_map(|(name, colour, look, values, spread, swapped)| {
        let point = |(i, value): (usize, &f64)| match swapped {
            false => Point { x: i as f64, y: *value, spread },
            true => Point { x: *value, y: i as f64, spread },
        };
        Series { name, colour, look, points: values.iter().enumerate().map(point).collect() }
    });
    let data = (count(60), prop::collection::vec(series, 1..4));
    let x_scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log)];
    let axes = (x_scale, scale, prop::option::of(ends()), prop::option::of(number()), prop::option::of(number()));
    (text(), axes, data).prop_map(|(title, (x_scale, y_scale, y_range, y_step, level), (count, series))| Panel {
        title,
        x: "x".into(),
        x_scale,
        y: "y".into(),
        y_range,
        y_scale,
        y_step,
        level: level.map(|level| (level, "level")),
        series: series.into_iter().cycle().take(count).collect(),
    })
}

/// A level to compare with may lie where no point does.
#[test]
fn a_level_far_from_the_points() {
    for (values, level) in [(vec![0.0, 6.4], f64::MIN), (vec![], 5.0), (vec![0.5, 0.7], 1e300)] {
        let points: Vec<Point> = values.iter().map(|y| Point { x: 1.0, y: *y, spread: None }).collect();
        let one = |points: Vec<Point>| Panel {
            title: String::new(),
            x: "x".into(),
            y: "y".into(),
            x_scale: Scale::Linear,
            y_range: None,
            y_scale: Scale::Linear,
            y_step: None,
            level: Some((level, "level")),
            series: vec![Series { name: "s".into(), colour: 0, look: Look::Line, points }],
        };
        let known = vec![Point { x: 0.0, y: 0.0, spread: None }];
        check(Chart { name: "f".into(), panels: vec![one(points), one(known)] }.draw(), true).expect("a drawing");
    }
}

/// A spread that ends far from the names of the levels: no tick for each whole number on the way.
#[test]
fn levels_far_from_a_spread_s_end() {
    let point = |x| Point { x, y: 0.0, spread: Some((0.0, 70_679.6)) };
    let panel = Panel {
        title: String::new(),
        x: "x".into(),
        y: "y".into(),
        x_scale: Scale::Linear,
        y_range: None,
        y_scale: Scale::Levels(vec!["level".to_owned()]),
        y_step: None,
        level: None,
        series: vec![Series { name: "s".into(), colour: 0, look: Look::Line, points: vec![point(0.0), point(1.0)] }],
    };
    check(Chart { name: "f".into(), panels: vec![panel.clone(), panel] }.draw(), true).expect("a drawing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn charts(panel in panel(), panels in count(60), picture in prop::bool::weighted(0.2)) {
        let panels = (0..panels).map(|_| panel.clone()).collect();
        check(Chart { name: "f".into(), panels }.draw(), picture)?;
    }

    #[test]
    fn bars(values in numbers(12), parts in count(12), groups in count(200), panels in count(60), name in text()) {
        let group = |_| Parts { name: name.clone(), values: values.clone() };
        let panel = |_| Stacked { title: name.clone(), groups: (0..groups).map(group).collect() };
        let parts = vec![name.clone(); parts];
        let panels = (0..panels).map(panel).collect();
        check(Bars { name: "f".into(), title: name.clone(), x: "x".into(), parts, panels }.draw(), false)?;
    }

    #[test]
    fn boxes(values in prop::collection::vec(numbers(3_000), 1..4), groups in count(1_500), panels in count(60),
             level in prop::option::of(number()), name in text()) {
        let group = |i: usize| Group { name: name.clone(), values: values[i % values.len()].clone() };
        let groups = || (0..groups).map(group).collect();
        let panels = (0..panels).map(|_| Distribution { title: name.clone(), level, groups: groups() }).collect();
        check(Boxes { name: "f".into(), title: name.clone(), x: "x".into(), panels }.draw(), false)?;
    }

    #[test]
    fn heats(values in numbers(500), rows in count(200), columns in count(200), line in text()) {
        let square = |i: usize| {
            values.get(i % (values.len() + 1)).map(|value| Square { value: *value, lines: vec![line.clone(); 3] })
        };
        let row = |r: usize| (line.clone(), (0..columns).map(|c| square(r * columns + c)).collect());
        let heat = Heat {
            name: "f".into(),
            title: line.clone(),
            x: line.clone(),
            y: "y".into(),
            columns: vec![line.clone(); columns],
            rows: (0..rows).map(row).collect(),
        };
        check(heat.draw(), rows * columns < 50)?;
    }

    #[test]
    fn histograms(values in prop::collection::vec(numbers(3_000), 1..4), groups in count(200), panels in count(60),
                  times in select(vec![0, 1, 7, u64::MAX]), name in text()) {
        let values: Vec<Vec<(f64, u64)>> =
            values.iter().map(|values| values.iter().map(|value| (*value, times)).collect()).collect();
        let group = |i: usize| Counted { name: name.clone(), values: values[i % values.len()].clone() };
        let spread = |_| Spread { title: name.clone(), groups: (0..groups).map(group).collect() };
        let panels = (0..panels).map(spread).collect();
        check(Histograms { name: "f".into(), x: "x".into(), y: "y".into(), panels }.draw(), false)?;
    }

    #[test]
    fn intervals(values in numbers(50), rows in count(2_500), range in ends(), level in number(), name in text(),
                 ends in prop::option::of(ends())) {
        let row = |i: usize| Interval { name: name.clone(), value: values[i % values.len()], ends };
        let rows = if values.is_empty() { Vec::new() } else { (0..rows).map(row).collect() };
        let title = name.clone();
        check(Intervals { name: "f".into(), title, x: "x".into(), x_range: range, level, rows }.draw(), true)?;
    }

    #[test]
    fn places(values in numbers(1_500), stacks in count(200), points in numbers(20_000), name in text(),
              optima in numbers(100)) {
        let layers = [values.clone(), values.iter().rev().copied().collect(), values.clone()];
        let stack = |_| Stack { name: name.clone(), layers: layers.clone() };
        let length = points.len() as f64;
        let points = points.iter().enumerate().map(|(i, y)| (i as f64 / length, *y)).collect();
        let curve = Some(Curve { title: name.clone(), y: "y".into(), points, optima });
        let (x, y) = ("x".to_owned(), "y".to_owned());
        let stacks = (0..stacks).map(stack).collect();
        check(Places { name: "f".into(), x, curve, y, layers: ["a", "b", "c"], stacks }.draw(), false)?;
    }
}

/// What an evolution of 10,000 generations and a tuning of half a million candidates would draw.
#[test]
fn much_data_is_thinned_and_says_so() {
    let points = |count: usize| (0..count).map(|i| Point { x: (i / 50) as f64, y: (i % 97) as f64, spread: None });
    let series =
        |name: &str, look, count| Series { name: name.into(), colour: 0, look, points: points(count).collect() };
    let panel = Panel {
        title: "t".into(),
        x: "x".into(),
        y: "y".into(),
        x_scale: Scale::Linear,
        y_range: None,
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series: vec![
            series("line", Look::Line, 10_000),
            series("points", Look::Points, 500_000),
            series("marks", Look::Marked, 10_000),
        ],
    };
    let figure = Chart { name: "f".into(), panels: vec![panel] }.draw().expect("drawn").expect("a figure");
    assert!(figure.svg.contains(">points, one of 13 drawn<") && figure.svg.contains(">marks, one of 40 drawn<"));
    assert!(figure.svg.contains(">line<") && figure.svg.len() < 8_000_000, "{} bytes", figure.svg.len());
}

#[test]
fn too_much_to_read_has_a_reason() {
    let row = |i: usize| Interval { name: format!("p{i}"), value: 0.5, ends: None };
    let intervals = |rows: usize| Intervals {
        name: "pairs".into(),
        title: "t".into(),
        x: "x".into(),
        x_range: (0.0, 1.0),
        level: 0.5,
        rows: (0..rows).map(row).collect(),
    };
    let left_out = intervals(2_000).draw().expect_err("too many");
    let reason = "figure `pairs` is left out: it has 2000 rows, and at most 100 can be read";
    assert_eq!(left_out.to_string(), reason);
    assert_eq!(intervals(0).draw(), Ok(None));
}
