//! Everything that the repository cites can be opened by a reader of the repository: files, sections, rows and
//! invariants exist, and no text names a document that is kept elsewhere.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Folders whose files are not the repository's own: those of .gitignore, and git's.
const SKIPPED: [&str; 3] = [".git", "target", "runs"];

/// Endings of the files that are read.
const TEXTS: [&str; 8] = ["md", "proto", "py", "rs", "sh", "toml", "tsv", "json"];

/// Documents and folders that no reader of the repository has, as whole words.
const ELSEWHERE: [&str; 14] = [
    "dossier",
    "dossiers",
    "DESIGN",
    "FAILURES",
    "HOUSE",
    "SPEED",
    "LAUNCH.md",
    "PAGE.md",
    "STYLE.md",
    "limits/",
    "`limits`",
    "peers/",
    "seed_file",
    "/work/",
];

/// Stand for any name in advice about files to add.
const PLACEHOLDERS: [&str; 4] = ["NAME", "PAPER", "TABLE", "KIND"];

/// One text file of the repository.
struct Text {
    /// Relative to the root, with slashes.
    path: String,
    /// Comment markers and line breaks are single spaces, so that a citation may be broken between two lines.
    text: String,
    /// Where each line begins in `text`.
    lines: Vec<usize>,
    /// As it is on disk.
    raw: String,
}

impl Text {
    fn read(path: String, raw: String) -> Self {
        let (mut text, mut lines) = (String::new(), Vec::new());
        for line in raw.lines() {
            lines.push(text.len());
            text.push_str(line.trim_start().trim_start_matches(['/', '!', '#']).trim());
            text.push(' ');
        }
        Text { path, text, lines, raw }
    }

    /// `path:line` of a place in `text`.
    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, self.lines.partition_point(|line| *line <= at))
    }

    /// Words that look like the path of a file, with an anchor if there is one, and where they begin.
    fn paths(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#');
        let mut at = 0;
        self.text.split_inclusive(move |c| !is_path(c)).map(move |word| {
            let start = at;
            at += word.len();
            (start, word.trim_end_matches(|c| !is_path(c)).trim_end_matches(['.', '/', '#']))
        })
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace")
}

/// Paths of every file of the repository, relative to its root.
fn files() -> BTreeSet<String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else {
                let path = path.strip_prefix(root()).expect("inside");
                found.insert(path.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found
}

/// The text files, but for this one, which names what it forbids.
fn texts(files: &BTreeSet<String>) -> Vec<Text> {
    let is_text = |path: &&String| {
        let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or("");
        TEXTS.contains(&ending) && !path.ends_with("citations.rs")
    };
    let read = |path: &String| Text::read(path.clone(), fs::read_to_string(root().join(path)).expect("UTF-8"));
    files.iter().filter(is_text).map(read).collect()
}

/// Anchors of a Markdown file: its headings as GitHub spells them, and what it names with `<a id="…">`.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let slug = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect::<String>()
    };
    let headings = markdown.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| slug(line.trim_start_matches('#').trim()));
    let named = markdown.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    headings.chain(named.map(|(id, _)| id.to_owned())).collect()
}

/// `path` from `folder` on, with its `.` and `..` resolved.
fn joined(folder: &Path, path: &str) -> String {
    let mut parts: Vec<&str> = folder.to_str().expect("UTF-8").split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether `text[at..]` begins and ends a word of `length` bytes.
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let word = &text[at..at + length];
    let before = text[..at].chars().next_back().is_some_and(part) && word.starts_with(part);
    let after = text[at + length..].chars().next().is_some_and(part) && word.ends_with(part);
    !before && !after
}

/// What a cited path may be relative to: the root, the file's folder, its crate, and the crate's sources.
fn bases(path: &str) -> Vec<PathBuf> {
    let folder = Path::new(path).parent().expect("a file").to_owned();
    let crate_ = PathBuf::from(path.split('/').next().expect("a part"));
    vec![PathBuf::new(), folder, crate_.join("src"), crate_]
}

#[test]
fn no_text_cites_what_its_reader_cannot_open() {
    let mut found = Vec::new();
    for text in texts(&files()) {
        let lower = text.text.to_lowercase();
        for word in ELSEWHERE {
            let searched = if word.starts_with("dossier") { &lower } else { &text.text };
            let places = searched.match_indices(word).filter(|(at, _)| is_word(searched, *at, word.len()));
            found.extend(places.map(|(at, _)| format!("{}: {word}", text.place(at))));
        }
        for (at, issue) in lower.match_indices("issue ") {
            let number = lower[at + issue.len()..].trim_start_matches('#');
            if is_word(&lower, at, issue.len()) && number.starts_with(|c: char| c.is_ascii_digit()) {
                found.push(format!("{}: the number of an issue", text.place(at)));
            }
        }
    }
    assert!(found.is_empty(), "cited, but not in the repository:\n{}", found.join("\n"));
}

#[test]
fn links_and_paths_lead_to_files() {
    let files = files();
    let folders: BTreeSet<&str> = files.iter().filter_map(|file| file.split_once('/')).map(|(top, _)| top).collect();
    let mut found = Vec::new();
    let exists = |path: &str| files.contains(path) || (path.is_empty() || root().join(path).is_dir());
    for text in texts(&files) {
        if text.path.ends_with(".md") {
            let folder = Path::new(&text.path).parent().expect("a file");
            for (at, _) in text.raw.match_indices("](") {
                let Some((target, _)) = text.raw[at + 2..].split_once(')') else { continue };
                if target.contains("://") {
                    continue;
                }
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path = if path.is_empty() { text.path.clone() } else { joined(folder, path) };
                if !exists(&path) {
                    found.push(format!("{}: link to {target}", text.path));
                } else if !anchor.is_empty()
                    && !anchors(&fs::read_to_string(root().join(&path)).expect("UTF-8")).contains(anchor)
                {
                    found.push(format!("{}: link to {target}, which has no such anchor", text.path));
                }
            }
        }
        for (at, word) in text.paths() {
            let (path, anchor) = word.split_once('#').unwrap_or((word, ""));
            let Some((_, ending)) = path.rsplit_once('.') else { continue };
            let name = path.rsplit('/').next().expect("a part");
            let parts = || path.split(['/', '.']);
            if parts().any(|part| PLACEHOLDERS.contains(&part))
                || !TEXTS.contains(&ending)
                || name.starts_with('.')
                || path.starts_with("//")
            {
                continue;
            }
            // Sources are cited by the end of their path; files of a run have names of their own, so other paths are
            // cited from a folder of the root on, or in capitals.
            let source = matches!(ending, "rs" | "proto");
            let ours = path.split_once('/').is_some_and(|(top, _)| folders.contains(top));
            let shouted =
                ending == "md" && name == path && name[..name.len() - 3].chars().all(|c| c.is_ascii_uppercase());
            let end = path.trim_start_matches("../").trim_start_matches("./");
            let is_end =
                |file: &&String| file.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            let cited = bases(&text.path).into_iter().map(|base| joined(&base, path)).find(|path| files.contains(path));
            let cited = cited.or_else(|| files.iter().find(is_end).cloned().filter(|_| source || shouted));
            match cited {
                None if source || ours || shouted => found.push(format!("{}: {word}", text.place(at))),
                Some(file) if !anchor.is_empty() && ending == "md" => {
                    let markdown = fs::read_to_string(root().join(file)).expect("UTF-8");
                    if !anchors(&markdown).contains(anchor) {
                        found.push(format!("{}: {word}, which has no such anchor", text.place(at)));
                    }
                }
                _ => {}
            }
        }
    }
    assert!(found.is_empty(), "cited, but not in the repository:\n{}", found.join("\n"));
}

/// Tests are named by their functions.
#[test]
fn tests_that_failures_name_exist() {
    let sources: String =
        texts(&files()).into_iter().filter(|text| text.path.ends_with(".rs")).map(|text| text.raw).collect();
    let failures = fs::read_to_string(root().join("docs/failures.md")).expect("UTF-8");
    let names = failures.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| {
        name.matches('_').count() >= 3 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
    };
    let missing: Vec<&str> = names.filter(is_test).filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "named in docs/failures.md, but no test: {missing:?}");
}

/// `ARCHITECTURE.md, invariant 3`, `docs/failures.md, row 14` (or rows) and `FORMAT.md, "A heading"`.
#[test]
fn invariants_rows_and_sections_exist() {
    let files = files();
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("UTF-8");
    let (invariants, failures) = (anchors(&read("ARCHITECTURE.md")), read("docs/failures.md"));
    let mut found = Vec::new();
    for text in texts(&files) {
        let numbers = |rest: &str| -> Vec<String> {
            let list =
                rest.split_once(|c: char| !c.is_ascii_digit() && !" ,and".contains(c)).map_or(rest, |(list, _)| list);
            list.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).map(str::to_owned).collect()
        };
        for lead in ["ARCHITECTURE.md, invariant ", "ARCHITECTURE.md, invariants "] {
            for (at, _) in text.text.match_indices(lead) {
                let cited = numbers(&text.text[at + lead.len()..]);
                let missing = cited.iter().filter(|n| !invariants.contains(&format!("invariant-{n}")));
                found.extend(missing.map(|n| format!("{}: invariant {n}", text.place(at))));
            }
        }
        for lead in ["failures.md, row ", "failures.md, rows "] {
            for (at, _) in text.text.match_indices(lead) {
                let cited = numbers(&text.text[at + lead.len()..]);
                let missing = cited.iter().filter(|n| !failures.contains(&format!("\n| {n} |")));
                found.extend(missing.map(|n| format!("{}: row {n} of docs/failures.md", text.place(at))));
            }
        }
        for (at, lead) in text.text.match_indices(".md, \"").chain(text.text.match_indices(".md), \"")) {
            let start = text.text[..at].rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-/.".contains(c)));
            let path = format!("{}.md", &text.text[start.map_or(0, |start| start + 1)..at]);
            let Some((heading, _)) = text.text[at + lead.len()..].split_once('"') else { continue };
            let cited =
                bases(&text.path).into_iter().map(|base| joined(&base, &path)).find(|path| files.contains(path));
            let ends = files.iter().find(|file| file.ends_with(&format!("/{path}"))).cloned();
            let headings = cited.or(ends).map(|file| read(&file)).unwrap_or_default();
            let is_heading = |line: &str| line.starts_with('#') && line.trim_start_matches('#').trim() == heading;
            if !headings.lines().any(is_heading) {
                found.push(format!("{}: {path}, \"{heading}\"", text.place(at)));
            }
        }
    }
    assert!(found.is_empty(), "cited, but not there:\n{}", found.join("\n"));
}
