//! The parts of a crate, which are the files and folders right under its sources, import one another in one direction.
//!
//! Paths of `use` are read as text: `crate::PART` and as many `super::` as lead up to the crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

type Edges = BTreeMap<String, BTreeSet<String>>;

#[test]
fn parts_of_a_crate_import_one_another_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut found = Vec::new();
    for name in ["analysis", "cli", "coordinator", "experiments", "games", "gp", "players", "record", "spec", "worker"]
    {
        let sources = format!("{name}/src");
        found.extend(circles(&edges(&root.join(&sources))).into_iter().map(|circle| (sources.clone(), circle)));
    }
    assert_eq!(found, [], "parts that import one another");
}

/// Which part imports which.
fn edges(sources: &Path) -> Edges {
    let mut edges = Edges::new();
    for file in files(sources) {
        let relative = file.strip_prefix(sources).expect("inside");
        let mut modules: Vec<String> =
            relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if modules.last().is_some_and(|last| last == "mod") {
            modules.pop();
        }
        let part = modules[0].clone();
        if part == "lib" || part == "main" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("text");
        // Comments may name anything, and so may tests in the file.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
        let product: String =
            code.filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
        let up = "super::".repeat(modules.len());
        let imported = [imports(&product, "crate::"), imports(&product, &up)].concat();
        edges.entry(part.clone()).or_default().extend(imported.into_iter().filter(|other| *other != part));
    }
    let parts: BTreeSet<String> = edges.keys().cloned().collect();
    edges.values_mut().for_each(|others| others.retain(|other| parts.contains(other)));
    edges
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The first names behind `root` in paths: one, or those of a list in braces.
fn imports(text: &str, root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices(root) {
        let inside = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        if text[..at].ends_with(inside) {
            continue;
        }
        let rest = &text[at + root.len()..];
        match rest.strip_prefix('{') {
            None => names.extend(word(rest)),
            Some(list) => {
                let (mut depth, mut starts) = (0, true);
                for (place, c) in list.char_indices() {
                    if starts && !c.is_whitespace() {
                        names.extend(word(&list[place..]));
                        starts = false;
                    }
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => starts = true,
                        _ => {}
                    }
                }
            }
        }
    }
    names
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// Parts that reach one another, at least two together.
fn circles(edges: &Edges) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(part) = next.pop() {
            next.extend(edges[part].iter().filter(|other| reached.insert((*other).clone())));
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = edges.keys().map(|part| (part, reach(part))).collect();
    let circle = |part: &String| -> Vec<String> {
        reached[part].iter().filter(|other| reached[other].contains(part)).cloned().collect()
    };
    let all: BTreeSet<Vec<String>> = edges.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

#[test]
fn a_circle_is_found() {
    let one = imports("use crate::{b::{C, d}, e};\nlet x = crate::f::g();", "crate::");
    assert_eq!(one, ["b", "e", "f"]);
    assert_eq!(imports("use super::super::{b, c};", "super::super::"), ["b", "c"]);
    let edges = |pairs: &[(&str, &str)]| {
        let mut edges = Edges::new();
        for (from, to) in pairs {
            edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            edges.entry((*to).to_owned()).or_default();
        }
        edges
    };
    assert_eq!(circles(&edges(&[("a", "b"), ("b", "c"), ("a", "c")])), Vec::<Vec<String>>::new());
    assert_eq!(circles(&edges(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])), [["b", "c"]]);
}
