//! A way between workers and a coordinator that can be closed for what comes down, and cut.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Holds what passes while it is shut.
#[derive(Default)]
pub(crate) struct Gate {
    shut: Mutex<bool>,
    moved: Condvar,
}

impl Gate {
    /// Shuts it, or opens it.
    pub(crate) fn shut(&self, shut: bool) {
        *self.shut.lock().expect("whole") = shut;
        self.moved.notify_all();
    }

    fn pass(&self) {
        drop(self.moved.wait_while(self.shut.lock().expect("whole"), |shut| *shut).expect("whole"));
    }
}

/// A way between workers and coordinator that can be closed for what comes down, and cut.
pub(crate) struct Proxy {
    /// Where workers connect.
    pub(crate) url: String,
    /// What comes down from the coordinator passes through it.
    pub(crate) deaf: Arc<Gate>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
    /// How many of the next connections are closed as soon as they are open.
    to_refuse: Arc<AtomicUsize>,
}

impl Proxy {
    /// A proxy to the coordinator at `to`.
    pub(crate) fn start(to: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let to = to.trim_start_matches("http://").to_owned();
        let (deaf, streams) = (Arc::<Gate>::default(), Arc::<Mutex<Vec<TcpStream>>>::default());
        let (closed, all) = (Arc::clone(&deaf), Arc::clone(&streams));
        let to_refuse = Arc::<AtomicUsize>::default();
        let refusing = Arc::clone(&to_refuse);
        std::thread::spawn(move || {
            for below in listener.incoming().flatten() {
                if refusing.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok() {
                    continue;
                }
                let Ok(above) = TcpStream::connect(&to) else { continue };
                let copy = |stream: &TcpStream| stream.try_clone().expect("a second handle");
                all.lock().expect("whole").extend([copy(&below), copy(&above)]);
                let (up, down) = ((copy(&below), copy(&above)), (above, below));
                std::thread::spawn(move || pass(up.0, up.1, None));
                let closed = Arc::clone(&closed);
                std::thread::spawn(move || pass(down.0, down.1, Some(&closed)));
            }
        });
        Proxy { url, deaf, streams, to_refuse }
    }

    /// Closes each of the next `count` connections as soon as it is open.
    pub(crate) fn refuse(&self, count: usize) {
        self.to_refuse.store(count, Ordering::Release);
    }

    /// How many connections are still to be refused.
    pub(crate) fn left_to_refuse(&self) -> usize {
        self.to_refuse.load(Ordering::Acquire)
    }

    /// Ends every connection; what was held back is lost.
    pub(crate) fn cut(&self) {
        self.streams.lock().expect("whole").drain(..).for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }
}

/// Passes bytes on until one side ends, through a gate if there is one. What was held back when the connection is cut
/// is lost.
fn pass(mut from: TcpStream, mut to: TcpStream, gate: Option<&Gate>) {
    let mut bytes = [0; 16_384];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        gate.into_iter().for_each(Gate::pass);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
