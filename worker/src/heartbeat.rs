//! Heartbeats of a session.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use redqueen_wire::{
    self as wire,
    breakage::{Part, may_break},
    worker_message::Kind as To,
};
use tokio::sync::{mpsc, oneshot};

use crate::{job::StageKey, outbox::Outbox, queue::Queue};

/// Sends heartbeats from a thread that does nothing else, so that no busy runtime delays them. Stops when dropped.
pub(crate) struct Heartbeat {
    stopped: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
    /// Closed when the thread ends.
    beating: oneshot::Receiver<()>,
}

impl Heartbeat {
    pub(crate) fn start(
        every: Duration,
        queue: &Arc<Queue>,
        outbox: &Arc<Outbox>,
        send: &mpsc::Sender<wire::WorkerMessage>,
    ) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let (flag, send) = (Arc::clone(&stopped), send.clone());
        let (queue, outbox) = (Arc::clone(queue), Arc::clone(outbox));
        let (alive, beating) = oneshot::channel::<()>();
        let beat = move || {
            let _alive = alive;
            while !flag.load(Ordering::Acquire) {
                may_break(Part::Heart);
                let (running, queued, oldest) = queue.load();
                let oldest_ms = oldest.map_or(0, |at| u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX));
                // The queue first: what leaves it for the outbox meanwhile is seen there.
                let mut stages = queue.stages();
                stages.extend(outbox.stages());
                let holding = Some(wire::Holding { stages: stages.iter().map(StageKey::to_wire).collect() });
                let (outbox_rows, executed_us) = (outbox.rows(), outbox.executed_us());
                let beat = wire::Heartbeat { running, queued, oldest_ms, outbox_rows, executed_us, holding };
                let kind = Some(To::Heartbeat(beat));
                // A full channel holds other messages, which serve as well; a closed one has ended.
                let _ = send.try_send(wire::WorkerMessage { kind });
                thread::park_timeout(every);
            }
        };
        let thread = thread::Builder::new().name("heart".to_owned()).spawn(beat).ok();
        Heartbeat { stopped, thread, beating }
    }

    /// Waits until the thread has ended, although it was not stopped.
    pub(crate) async fn stopped_early(&mut self) {
        let _ = (&mut self.beating).await;
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
