//! Everything of a run as one file: a tar that is written while it is sent, so that it never stands in memory or on a disk.
//!
//! Its content is made of what the run's database says, not of what lies in its directory, and every name in it is made here. So
//! a finished run gives the same bytes each time, before and after its tables were written to files.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek as _, Write},
    path::Path as FilePath,
    sync::{Arc, PoisonError},
};

use analysis::Format;
use axum::{
    body::Body,
    extract::{Path, State},
    response::Response,
};
use record::files::{EXPERIMENT, FIGURES, REPORT, RESOLVED, TABLES};
use tar::{Builder, Header};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::{Wrong, find, given};
use crate::{
    champion,
    site::{
        Site,
        analyses::{Have, Made, Wanted, version_of},
        asked::Asked,
        source::Run,
    },
};

/// Name of the file of an evolution's champion.
const CHAMPION: &str = "champion.toml";
/// Bytes of a piece of the answer, and pieces that wait for a slow reader.
const PIECE: usize = 64 << 10;
const WAITING: usize = 4;
/// Letters of the folder's name.
const NAME_MAX: usize = 80;
/// The time of every file, 1 January 1980: of equal content equal bytes are made, and no program takes it for a mistake.
const TIME: u64 = 315_532_800;

/// What is put into an archive, beside files.
struct Content {
    run: Arc<Run>,
    /// Tables and figures, of kinds that have them.
    results: Option<Arc<Made>>,
    document: Option<Arc<Made>>,
    /// One of the places of those who take archives.
    place: OwnedSemaphorePermit,
}

pub(crate) async fn give(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    match content(&site, &key).await {
        Ok(content) => {
            let name = given::plain(&content.run.name()).chars().take(NAME_MAX).collect::<String>();
            let (send, pieces) = mpsc::channel(WAITING);
            let folder = name.clone();
            tokio::task::spawn_blocking(move || {
                if let Err(error) = write(&site, &content, folder, Pieces(send.clone())) {
                    // An answer that breaks off is seen to have done so. Nobody is there if its reader left.
                    let _ = send.blocking_send(Err(error));
                }
                drop(content.place);
            });
            given::file(Body::from_stream(ReceiverStream::new(pieces)), "application/x-tar", &format!("{name}.tar"))
        }
        Err(wrong) => super::answer(site, asked, move |_, _| Err(wrong)).await,
    }
}

async fn content(site: &Arc<Site>, key: &str) -> Result<Content, Wrong> {
    let run = {
        let (site, key) = (Arc::clone(site), key.to_owned());
        let found = tokio::task::spawn_blocking(move || find(&site, &key)).await;
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?
    };
    if run.outline.as_ref().map_or(0, |outline| outline.closed()) == 0 {
        return Err(Wrong::NotFound("No stage is closed yet, so there is nothing to take away.".to_owned()));
    }
    let busy = || Wrong::Files("Others take archives now; ask again in a moment.".to_owned());
    let place = Arc::clone(&site.archives).try_acquire_owned().map_err(|_| busy())?;
    let results = made(site, &run, Wanted::Results(run.directory.clone())).await?;
    let document = made(site, &run, Wanted::Document(run.directory.clone())).await?;
    Ok(Content { run, results, document, place })
}

/// What there is of a report. Some kinds of runs have none; of a run that has ended nothing but the whole is given.
async fn made(site: &Site, run: &Run, wanted: Wanted) -> Result<Option<Arc<Made>>, Wrong> {
    match site.analyses.get_soon(&wanted, &version_of(run), given::PATIENCE).await {
        Have::Ready(made) => Ok(Some(made)),
        Have::Old(made) if !run.state.is_ended() => Ok(Some(made)),
        Have::Failed(_) => Ok(None),
        have @ Have::Working => given::made(have).map(Some),
        Have::Old(_) => given::made(Have::Working).map(Some),
    }
}

fn write(site: &Site, content: &Content, folder: String, pieces: Pieces) -> io::Result<()> {
    let directory = &content.run.directory;
    let mut archive = Archive { tar: Builder::new(BufWriter::with_capacity(PIECE, pieces)), folder };
    for name in [EXPERIMENT, RESOLVED] {
        // A copy that holds nothing but results has no such file.
        if let Ok(file) = File::open(directory.join(name)) {
            archive.file(&[name], file)?;
        }
    }
    if let Some(made) = &content.document {
        archive.bytes(&[REPORT], made.document.as_bytes())?;
    }
    if let Some(text) = champion::file(directory).map_err(io::Error::other)? {
        archive.bytes(&[CHAMPION], text.as_bytes())?;
    }
    results(&mut archive, directory)?;
    if let Some(made) = &content.results {
        tables(&mut archive, made)?;
        for figure in &made.report.figures {
            archive.bytes(&[FIGURES, &format!("{}.svg", figure.name)], figure.svg.as_bytes())?;
            let [png, pdf] = {
                let _one = site.drawing.lock().unwrap_or_else(PoisonError::into_inner);
                [figure.to_png().map_err(io::Error::other)?, figure.to_pdf().map_err(io::Error::other)?]
            };
            archive.bytes(&[FIGURES, &format!("{}.png", figure.name)], &png)?;
            archive.bytes(&[FIGURES, &format!("{}.pdf", figure.name)], &pdf)?;
        }
    }
    archive.tar.into_inner()?.flush()
}

/// The Parquet files of closed stages.
fn results(archive: &mut Archive, directory: &FilePath) -> io::Result<()> {
    for stage in analysis::stage_files(directory).map_err(io::Error::other)? {
        let name: Vec<&str> = stage.name().split('/').collect();
        archive.file(&name, File::open(stage.path())?)?;
    }
    Ok(())
}

/// Tables in every format; long ones in those that they have.
fn tables(archive: &mut Archive, made: &Made) -> io::Result<()> {
    for table in &made.report.tables {
        for format in Format::ALL {
            let bytes = format.render(table).map_err(io::Error::other)?;
            archive.bytes(&[TABLES, &format!("{}.{}", table.name, format.extension())], &bytes)?;
        }
    }
    for long in &made.report.long {
        // A file says how long it is before its content, and this content is too long for memory.
        let mut csv = tempfile::tempfile()?;
        long.write_csv(&mut BufWriter::new(&mut csv))?;
        archive.file(&[TABLES, &format!("{}.csv", long.name())], csv)?;
        let mut parquet = tempfile::tempfile()?;
        long.write_parquet(&mut parquet)?;
        archive.file(&[TABLES, &format!("{}.parquet", long.name())], parquet)?;
    }
    Ok(())
}

/// An archive in the making.
struct Archive {
    tar: Builder<BufWriter<Pieces>>,
    /// Everything is in it.
    folder: String,
}

impl Archive {
    fn bytes(&mut self, name: &[&str], content: &[u8]) -> io::Result<()> {
        self.add(name, content.len() as u64, content)
    }

    /// All of a file, wherever it is read just now.
    fn file(&mut self, name: &[&str], mut file: File) -> io::Result<()> {
        file.rewind()?;
        let bytes = file.metadata()?.len();
        self.add(name, bytes, file.take(bytes))
    }

    fn add(&mut self, name: &[&str], bytes: u64, content: impl Read) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(bytes);
        header.set_mode(0o644);
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        let parts = std::iter::once(self.folder.clone()).chain(name.iter().map(|part| given::plain(part)));
        self.tar.append_data(&mut header, parts.collect::<Vec<_>>().join("/"), content)
    }
}

/// Sends what is written, piece by piece, as fast as it is read.
struct Pieces(mpsc::Sender<io::Result<Vec<u8>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.blocking_send(Ok(bytes.to_vec())).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
