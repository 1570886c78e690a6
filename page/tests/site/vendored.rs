//! Scripts of others are the bytes that their table says.

use std::{fs, path::Path, process::Command};

#[test]
fn scripts_of_others_are_as_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/vendor");
    let table = fs::read_to_string(folder.join("README.md")).expect("a table");
    let mut listed = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let (file, hash) = (cells[1], cells[5]);
        let output = Command::new("sha256sum").arg(folder.join(file)).output().expect("sha256sum runs");
        let found = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(found.split_whitespace().next(), Some(hash), "{file}");
        assert!(folder.join("idiomorph-LICENSE").exists());
        listed.push(file.to_owned());
    }
    let scripts =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut scripts: Vec<String> = scripts.filter(|name| name.ends_with(".js")).collect();
    scripts.sort();
    assert_eq!(listed, scripts);
}
