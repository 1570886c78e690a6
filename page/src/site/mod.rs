//! Pages of runs, rendered here and complete without a script. They show and change nothing.
//!
//! A [`source::Source`] says which runs there are and how they stand; what else a page shows it reads from the run's own files,
//! a page of rows at a time, and from tables that are made once ([`analyses`]). [`guard`] says who may look.

mod analyses;
mod answer;
mod asked;
mod assets;
mod course;
mod directories;
mod frame;
mod guard;
mod links;
mod live;
mod numbers;
mod pages;
mod query;
mod source;
mod stream;
mod theme;
mod time;
mod words;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Instant,
};

use axum::Router;
use coordinator::Observer;
use tokio::sync::Semaphore;

pub use guard::Guard;

use analyses::Analyses;
use directories::Directories;
use live::Observed;
use source::Source;
use stream::Hub;

/// Archives that are sent at once.
const ARCHIVES: usize = 4;

/// What all pages share.
pub(crate) struct Site {
    source: Box<dyn Source>,
    analyses: Analyses,
    hub: Hub,
    /// Held while pixels are made of a figure, which takes a while: viewers get one at a time.
    drawing: Mutex<()>,
    /// Places of those who take archives, each of which keeps a thread while it is sent.
    archives: Arc<Semaphore>,
    /// When it began.
    begun: Instant,
}

impl Site {
    fn of(source: impl Source) -> Arc<Self> {
        Arc::new(Site {
            source: Box::new(source),
            analyses: Analyses::start(),
            hub: Hub::new(),
            drawing: Mutex::default(),
            archives: Arc::new(Semaphore::new(ARCHIVES)),
            begun: Instant::now(),
        })
    }
}

/// Pages of a coordinator's runs, as they stand.
pub fn of_coordinator(observer: Observer, guard: Guard) -> Router {
    guard.around(pages::routes(Site::of(Observed::of(observer))))
}

/// Pages of runs in directories: each of `named` is a run or a folder of runs. Nothing is written there. What is in them is
/// read once before this returns, and again while somebody looks; that needs a tokio runtime.
pub fn of_directories(named: Vec<PathBuf>, guard: Guard) -> Router {
    guard.around(pages::routes(Site::of(Directories::read(named))))
}
