//! FORMAT.md against the list of keys, and the list against what is read.

use experiments::{
    Experiment, Overrides,
    keys::{self, Change, LeftOut},
};

const FORMAT: &str = include_str!("../../FORMAT.md");

/// The TOML examples of FORMAT.md.
fn examples() -> Vec<&'static str> {
    let blocks = FORMAT.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("a first part")).collect()
}

fn resolved(text: &str) -> toml::Table {
    let experiment =
        Experiment::parse(text, "FORMAT.md", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"));
    experiment.to_resolved_toml().parse().expect("resolved files are TOML")
}

#[test]
fn every_key_has_its_row_with_type_and_default() {
    for key in keys::ALL {
        let start = format!("| `{}` | {} | ", key.path, key.takes);
        let row = FORMAT.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row `{start}`"));
        let left_out = match key.left_out {
            LeftOut::Fault => "a fault".to_owned(),
            LeftOut::Nothing => "nothing".to_owned(),
            LeftOut::Value(value) => format!("`{value}`"),
            LeftOut::Derived(how) => how.to_owned(),
        };
        assert_eq!(row[start.len()..].split(" | ").next(), Some(left_out.as_str()), "{row}");
    }
    let rows = FORMAT.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, keys::ALL.len(), "a row for no key");
}

#[test]
fn keys_that_may_change_while_a_run_stands_are_told_of() {
    let (_, section) = FORMAT.split_once("## One run, and another\n").expect("a section");
    let (free, longer) = section.split_once("### Longer runs\n").expect("a part");
    for key in keys::ALL.iter().filter(|key| key.change != Change::Another) {
        let reported = if key.change == Change::Free { free } else { longer };
        // By the whole path, the table that it is in, or its last part behind another of the same table.
        let above = key.path.rsplit_once('.').map_or(key.path, |(above, _)| above);
        let last = key.path.rsplit('.').next().expect("a part");
        let names = [key.path, above, last];
        assert!(names.iter().any(|name| reported.contains(&format!("`{name}`"))), "{}", key.path);
    }
}

#[test]
fn the_examples_can_be_read_and_have_the_defaults_of_the_list() {
    let [grid, _, evolution, learning, study, synthetic, tuning] = examples()[..] else { panic!("seven examples") };
    // These have other values than the default.
    let grid = grid.replace("opening-plies = 4\n", "");
    let synthetic = synthetic.replace("cost-us = 1000\n", "");
    let evolution: String =
        ["population", "generations", "games-as-first", "every"].iter().fold(evolution.to_owned(), |text, key| {
            text.lines().filter(|line| !line.starts_with(&format!("{key} "))).map(|line| format!("{line}\n")).collect()
        });
    let own = ["population = ", "generations = ", "games = ", "opening-plies = "];
    let kept = |line: &&str| !own.iter().any(|start| line.starts_with(start));
    let tuning: String = tuning.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    let texts = [&grid, &evolution, learning, study, &synthetic, &tuning];
    for table in texts.map(resolved) {
        for key in keys::ALL {
            let mut value = Some(toml::Value::Table(table.clone()));
            for part in key.path.split('.') {
                // The first of a list of tables.
                value = value.and_then(|value| value.get(0).unwrap_or(&value).get(part).cloned());
            }
            if let (Some(value), LeftOut::Value(default)) = (value, key.left_out) {
                assert_eq!(value.to_string(), default, "{}", key.path);
            }
        }
    }
}

/// Documented defaults that FORMAT.md's examples fill in, every key of a resolved file being on the list.
#[test]
fn a_resolved_file_has_listed_keys_only() {
    let [grid, _, evolution, learning, study, synthetic, tuning] = examples()[..] else { panic!("seven examples") };
    for table in [grid, evolution, learning, study, synthetic, tuning].map(resolved) {
        for (key, value) in &table {
            assert!(keys::ALL.iter().any(|known| known.path == key), "{key}");
            let toml::Value::Table(inner) = value.get(0).unwrap_or(value) else { continue };
            for inner in inner.keys().filter(|_| !["players", "problems"].contains(&key.as_str())) {
                let path = format!("{key}.{inner}");
                assert!(keys::ALL.iter().any(|known| known.path == path), "{path}");
            }
        }
    }
}

#[test]
fn the_two_forms_of_a_spec_are_one() {
    let table = examples()[1];
    let file = format!(
        "format = 1\nname = \"x\"\nkind = \"match-grid\"\n\n{table}\n[match-grid]\npairing = \"round-robin\"\n\
         games-per-pair = 2\n[game]\nname = \"reversi\"\n"
    );
    let resolved = resolved(&file);
    assert_eq!(resolved["players"]["short"], resolved["players"]["long"]);
    assert_eq!(resolved["game"].as_str(), Some("reversi"));
}
