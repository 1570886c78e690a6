//! Ways in which a synthetic trial misbehaves when it is asked to.

use std::{collections::BTreeMap, hint::black_box, process, thread};

use crate::{fault::FaultKind, plan::TrialError, reader::Reader};

/// What a trial does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Hang,
    Overflow,
    Abort,
    Panic,
    Fail,
    Hoard,
}

/// Keys of the lists of trials, in the order of a resolved file.
const LISTS: [(&str, Fault); 6] = [
    ("hangs", Fault::Hang),
    ("overflows", Fault::Overflow),
    ("aborts", Fault::Abort),
    ("panics", Fault::Panic),
    ("fails", Fault::Fail),
    ("hoards", Fault::Hoard),
];

/// The memory that a hoarder takes at a time, bytes.
const HOARD_STEP: usize = 16 << 20;
/// Stack that each call of an overflow takes at least, bytes.
const FRAME: usize = 1_024;

/// Reads the lists. `None`: something is wrong.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<BTreeMap<u64, Fault>> {
    let (mut faults, mut whole) = (BTreeMap::new(), true);
    for (key, fault) in LISTS {
        let Some(entry) = reader.optional(key) else { continue };
        let path = reader.path(key);
        let Some(nodes) = reader.sink.list(&entry.node, &path) else {
            whole = false;
            continue;
        };
        for node in nodes {
            let trial = reader.sink.int(node, &path, 0..=i128::from(i64::MAX));
            let Some(trial) = trial.and_then(|trial| u64::try_from(trial).ok()) else {
                whole = false;
                continue;
            };
            let other = faults.insert(trial, fault).filter(|other| *other != fault);
            if let Some((other, _)) = LISTS.iter().find(|(_, known)| Some(*known) == other) {
                let reason = format!("trial {trial} is one of `{other}`");
                reader.sink.push(FaultKind::NoEffect { key, reason }, &node.origin, &path, None);
                whole = false;
            }
        }
    }
    whole.then_some(faults)
}

/// Writes the lists that are not empty.
pub(super) fn write(faults: &BTreeMap<u64, Fault>, text: &mut String) {
    for (key, fault) in LISTS {
        let trials: Vec<String> =
            faults.iter().filter(|(_, found)| **found == fault).map(|(trial, _)| trial.to_string()).collect();
        if !trials.is_empty() {
            text.push_str(&format!("{key} = [{}]\n", trials.join(", ")));
        }
    }
}

impl Fault {
    /// Misbehaves.
    ///
    /// # Errors
    /// `Fault::Fail` fails in the way trials should.
    pub(super) fn commit(self, trial: u64) -> Result<(), TrialError> {
        match self {
            // No other thread can unpark this one, but it may wake by itself.
            Fault::Hang => loop {
                thread::park();
            },
            Fault::Overflow => {
                black_box(overflow(trial));
                Ok(())
            }
            Fault::Abort => process::abort(),
            Fault::Panic => panic!("trial {trial} was told to panic"),
            Fault::Fail => Err(TrialError::OnPurpose(format!("trial {trial} was told to fail"))),
            Fault::Hoard => hoard(),
        }
    }
}

/// Calls itself until the stack overflows; the sum keeps the compiler from making a loop of it.
#[expect(unconditional_recursion, reason = "that is what it is for")]
fn overflow(depth: u64) -> u64 {
    let frame = black_box([depth; FRAME / 8]);
    overflow(depth + 1) + frame[0]
}

/// Takes memory until that ends the process, and writes to it, since what is not touched costs nothing.
fn hoard() -> ! {
    let mut hoarded: Vec<Vec<u8>> = Vec::new();
    loop {
        hoarded.push(vec![1; HOARD_STEP]);
        black_box(&hoarded);
    }
}
