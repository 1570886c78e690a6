//! Tables and figures as files, as they are made for pages.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use analysis::{Figure, Report, Table};
use axum::{
    body::Body,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    },
    response::Response,
};

use maud::{Markup, html};

use super::{Wrong, answer, find};
use crate::html::visible;
use crate::site::{
    Site,
    analyses::{Analyses, Have, Wanted, version_of},
    asked::Asked,
    links::encoded,
    source::Run,
};

/// How long a part of a report is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// The same of a report, beside the policy that it brings itself.
const DOCUMENT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                               sandbox allow-scripts allow-downloads allow-modals; frame-ancestors 'none'";
/// What a file may do that a browser shows by itself: nothing but look like something.
const FILE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/// Waits for the report of the run of that key, which a link to a part of it may be the first to ask for.
pub(super) async fn wait_for(site: &Site, key: &str) {
    let Ok(run) = find(site, key) else { return };
    if run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0) {
        let wanted = Wanted::Results(run.directory.clone());
        site.analyses.get_soon(&wanted, &version_of(&run), PATIENCE).await;
    }
}

/// The report of a run, if it is made.
pub(super) fn report(analyses: &Analyses, run: &Run) -> Result<Arc<crate::site::analyses::Made>, Wrong> {
    made(analyses.get(&Wanted::Results(run.directory.clone()), &version_of(run)))
}

/// What is there of a report.
pub(super) fn made(have: Have) -> Result<Arc<crate::site::analyses::Made>, Wrong> {
    match have {
        Have::Ready(made) | Have::Old(made) => Ok(made),
        Have::Working => Err(Wrong::Files("The tables are being made; ask again in a moment.".to_owned())),
        Have::Failed(why) => Err(Wrong::NotFound(format!("There are no tables: {why}"))),
    }
}

/// Where a figure is. Its version stands in the link, so that a newer one is another picture.
pub(super) fn figure_link(base: &str, figure: &Figure, version: &str) -> String {
    let hash = blake3::hash(version.as_bytes()).to_hex();
    format!("{base}/figures/{}.svg?of={}", encoded(&figure.name), &hash[..8])
}

pub(crate) async fn figure(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((key, name)): Path<(String, String)>,
) -> Response {
    wait_for(&site, &key).await;
    answer(site, asked, move |site, asked| {
        let run = find(site, &key)?;
        let made = report(&site.analyses, &run)?;
        figure_of(site, asked, &made.report, &name)
    })
    .await
}

/// A figure of a report as SVG, PNG or PDF.
pub(super) fn figure_of(site: &Site, asked: &Asked, report: &Report, name: &str) -> Result<Response, Wrong> {
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let figure = report.figures.iter().find(|figure| figure.name == stem);
    let figure = figure.ok_or_else(|| Wrong::NotFound("There is no such figure.".to_owned()))?;
    match end {
        "svg" => {
            let kind = "image/svg+xml";
            let mut response = crate::site::answer::text(asked, StatusCode::OK, kind, figure.svg.clone(), "");
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
            Ok(response)
        }
        "png" => {
            let _one = site.drawing.lock().unwrap_or_else(PoisonError::into_inner);
            let png = figure.to_png().map_err(|error| Wrong::Files(error.to_string()))?;
            Ok(file(Body::from(png), "image/png", name))
        }
        "pdf" => {
            let _one = site.drawing.lock().unwrap_or_else(PoisonError::into_inner);
            let pdf = figure.to_pdf().map_err(|error| Wrong::Files(error.to_string()))?;
            Ok(file(Body::from(pdf), "application/pdf", name))
        }
        _ => Err(Wrong::NotFound("Figures are SVG, PNG and PDF.".to_owned())),
    }
}

/// Ends of the names of a table's files.
const FORMS: [&str; 5] = ["csv", "parquet", "md", "tex", "json"];

/// Links to a table as files; `link` leads to its page.
pub(super) fn forms(table: &Table, link: &str) -> Markup {
    html! {
        p.forms {
            span.soft { "As a file: " }
            @for form in FORMS {
                a href={ (link) "." (form) } download { (form) span.unseen { " of " (visible(&table.name)) } } " "
            }
        }
    }
}

/// A table as a file, if `end` is one of [`FORMS`].
pub(super) fn table_as(asked: &Asked, table: &Table, end: &str) -> Result<Option<Response>, Wrong> {
    let name = format!("{}.{end}", table.name);
    let (kind, text) = match end {
        "csv" => ("text/csv; charset=utf-8", table.to_csv()),
        "md" => ("text/markdown; charset=utf-8", table.to_markdown()),
        "tex" => ("application/x-tex; charset=utf-8", table.to_latex()),
        "json" => ("application/json", format!("{:#}\n", table.to_json())),
        "parquet" => {
            let bytes = table.to_parquet().map_err(|error| Wrong::Files(error.to_string()))?;
            return Ok(Some(file(Body::from(bytes), "application/vnd.apache.parquet", &name)));
        }
        _ => return Ok(None),
    };
    let mut response = crate::site::answer::text(asked, StatusCode::OK, kind, text, "");
    attach(response.headers_mut(), &name);
    Ok(Some(response))
}

/// A report. It holds its own style and script, which run apart from these pages and reach nothing.
pub(super) fn document(asked: &Asked, html: String) -> Response {
    let mut response = crate::site::answer::text(asked, StatusCode::OK, "text/html; charset=utf-8", html, "");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(DOCUMENT_POLICY));
    response
}

/// A file to be kept.
pub(super) fn file(body: Body, kind: &'static str, name: &str) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    attach(headers, name);
    response
}

/// A name of letters, digits and a few signs, which means the same file everywhere. One that begins with a dot could lead
/// upwards or hide the file.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |place: usize, c: char| c.is_ascii_alphanumeric() || "_-=".contains(c) || (c == '.' && place > 0);
    name.chars().enumerate().map(|(place, c)| if is_plain(place, c) { c } else { '_' }).collect()
}

/// Says that a file is to be kept, not shown, and under which name.
fn attach(headers: &mut HeaderMap, name: &str) {
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{}\"", plain(name))) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for (name, safe) in [
            ("stage=00000.parquet", "stage=00000.parquet"),
            ("..", "_."),
            (".hidden", "_hidden"),
            ("../../a\\b\n\u{202e}\"é", "_._.._a_b____"),
        ] {
            assert_eq!(plain(name), safe);
        }
    }
}
