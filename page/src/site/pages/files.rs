//! Files of a run that may be taken away: those that it is known to have, each by its own name.

use std::{
    fs,
    path::{Path as FilePath, PathBuf},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::{Path, State},
    http::header::CONTENT_LENGTH,
    response::{IntoResponse as _, Response},
};
use maud::html;
use record::files::{EXPERIMENT, FIGURES, REPORT, RESOLVED, RESULTS, TABLES};
use tokio_util::io::ReaderStream;

use super::{Made, Tab, Wrong, champion::evolves, find, given, of_run, page};
use crate::{
    html::visible,
    site::{
        Site,
        analyses::{Have, Wanted, version_of},
        asked::Asked,
        links::encoded,
    },
};

/// Files beside the folders.
const ALONE: [&str; 3] = [EXPERIMENT, RESOLVED, REPORT];
/// Folders, and how deep they are looked into.
const FOLDERS: [(&str, usize); 3] = [(RESULTS, 2), (TABLES, 1), (FIGURES, 1)];
/// Ends of names and what is in such files.
const KINDS: [(&str, &str); 10] = [
    ("html", "text/html; charset=utf-8"),
    ("parquet", "application/vnd.apache.parquet"),
    ("toml", "application/toml; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("tex", "application/x-tex; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("pdf", "application/pdf"),
];
/// Most files of a list.
const MOST: usize = 500;

/// A file of a run.
struct Known {
    /// Its path below the run, with `/`.
    name: String,
    path: PathBuf,
    bytes: u64,
    kind: &'static str,
}

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    page(site, asked, move |site, asked| make(site, asked, &key)).await
}

fn make(site: &Site, asked: &Asked, key: &str) -> Made {
    let run = find(site, key)?;
    let files = known(&run.directory);
    let more = files.len() > MOST;
    let report = match site.analyses.get(&Wanted::Results(run.directory.clone()), &version_of(&run)) {
        Have::Ready(made) | Have::Old(made) if run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0) => {
            Some(made)
        }
        _ => None,
    };
    let shape = run.stage().map_or("", |stage| &stage.shape);
    let link = |name: &str| {
        let path: Vec<String> = name.split('/').map(encoded).collect();
        asked.links.run(&run.key, &format!("/files/{}", path.join("/")))
    };
    let body = html! {
        @if run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0) {
            p {
                a href=(asked.links.run(&run.key, "/run.tar")) download { "Everything as one file" }
                ": the experiment, results of closed stages as Parquet, tables and figures in every format, "
                @if evolves(&run) { "the champion, " }
                "and the report."
            }
        }
        h2 { "In the directory" }
        @if files.is_empty() { p { "There are none." } }
        div.table {
            div.scroll role="group" tabindex="0" aria-label="Files" {
                table {
                    caption { "Files of the run" }
                    thead { tr { th scope="col" { "file" } th.n scope="col" { "bytes" } } }
                    tbody {
                        @for file in files.iter().take(MOST) {
                            tr {
                                th scope="row" { a href=(link(&file.name)) download { (visible(&file.name)) } }
                                td.n { (crate::html::thousands(file.bytes)) }
                            }
                        }
                    }
                }
            }
        }
        @if more { p { "There are more than " (MOST) " files; the others are in the directory." } }
        p.soft {
            code { "redqueen analyze" } " writes all tables and figures into the directory, " code { "redqueen export" }
            " copies the run with its database."
        }
        @if let Some(made) = report {
            h2 { "Made from the closed stages" }
            p {
                a href=(asked.links.run(&run.key, "/report.html")) { "The report" }
                ", one document to keep or to print, and the tables and figures in it:"
            }
            p.downloads {
                @for table in &made.report.tables {
                    a href=(asked.links.run(&run.key, &format!("/tables/{}.csv", encoded(&table.name)))) download { (table.name) ".csv" } " "
                }
                @for figure in &made.report.figures {
                    @for end in ["svg", "png", "pdf"] {
                        a href=(asked.links.run(&run.key, &format!("/figures/{}.{end}", encoded(&figure.name)))) download {
                            (figure.name) "." (end)
                        } " "
                    }
                }
            }
        }
        h2 { "In Python" }
        pre tabindex="0" { "import polars as pl\npl.read_parquet(\"" (visible(&run.place())) "/" (RESULTS) "/" (shape) "/*.parquet\")" }
        p.soft { "After " code { "redqueen export" } " or " code { "redqueen analyze" } ", which write the files of closed stages there." }
    };
    Ok(of_run(&run, asked, Tab::Files, "Files", &body))
}

/// The report, made anew of what is closed.
pub(crate) async fn document(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let have = match find(&site, &key) {
        Ok(run) if run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0) => {
            let wanted = Wanted::Document(run.directory.clone());
            Some(site.analyses.get_soon(&wanted, &version_of(&run), given::PATIENCE).await)
        }
        _ => None,
    };
    super::answer(site, asked, move |site, asked| {
        find(site, &key)?;
        let none = || Wrong::NotFound("No stage is closed yet, so there is nothing to report.".to_owned());
        let made = given::made(have.ok_or_else(none)?)?;
        Ok(given::document(asked, made.document.clone()))
    })
    .await
}

pub(crate) async fn give(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((key, name)): Path<(String, String)>,
) -> Response {
    let sought = {
        let (site, name) = (Arc::clone(&site), name.clone());
        tokio::task::spawn_blocking(move || {
            let run = find(&site, &key)?;
            // What is asked for is compared with names, and never becomes a path.
            known(&run.directory)
                .into_iter()
                .find(|file| file.name == name)
                .ok_or_else(|| Wrong::NotFound("The run has no such file to give.".to_owned()))
        })
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    };
    let wrong = match sought {
        Ok(file) => match tokio::fs::File::open(&file.path).await {
            Ok(open) => {
                let short = file.name.rsplit('/').next().unwrap_or(&file.name);
                let body = Body::from_stream(ReaderStream::new(tokio::io::AsyncReadExt::take(open, file.bytes)));
                let response = given::file(body, file.kind, short);
                return ([(CONTENT_LENGTH, file.bytes.to_string())], response).into_response();
            }
            Err(error) => Wrong::Files(format!("`{name}` cannot be read: {error}")),
        },
        Err(wrong) => wrong,
    };
    super::answer(site, asked, move |_, _| Err(wrong)).await
}

/// The files that a run is known to have, in the order of a reader's interest.
fn known(directory: &FilePath) -> Vec<Known> {
    let mut files: Vec<Known> =
        ALONE.iter().filter_map(|name| file(directory.join(name), (*name).to_owned())).collect();
    for (folder, depth) in FOLDERS {
        inside(&directory.join(folder), folder, depth, &mut files);
    }
    files
}

fn inside(folder: &FilePath, name: &str, depth: usize, files: &mut Vec<Known>) {
    // A link may lead anywhere.
    if depth == 0 || !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<(String, PathBuf)> =
        entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_owned(), entry.path()))).collect();
    entries.sort();
    for (short, path) in entries {
        let name = format!("{name}/{short}");
        inside(&path, &name, depth - 1, files);
        files.extend(file(path, name));
    }
}

/// A file, if it is one that is given away.
fn file(path: PathBuf, name: String) -> Option<Known> {
    let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let end = name.rsplit_once('.')?.1;
    let (_, kind) = KINDS.into_iter().find(|(known, _)| *known == end)?;
    (!name.split('/').any(|part| part.starts_with('.'))).then_some(Known { bytes: found.len(), name, path, kind })
}
