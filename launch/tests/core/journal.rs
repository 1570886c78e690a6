//! The journal: lines, torn ones and broken ones.

use std::{collections::BTreeMap, io::Write as _};

use launch::{
    core::{Costs, Ended, Outcome},
    job::JobId,
    journal::{Ending, Entry, Journal, Past, Record},
    systems::RefusalClass,
};

fn entries() -> Vec<Entry> {
    let name = || "rq-00000001-0001".to_owned();
    let costs = Costs { useful: 1.5, start: 0.25, ..Costs::default() };
    vec![
        Entry::Began { finish_within: Some(3_600) },
        Entry::Asked { name: name(), cpus: 4, walltime: 600 },
        Entry::Accepted { name: name(), id: JobId("7".into()) },
        Entry::Refused { name: name(), class: RefusalClass::Doubtful, text: "a \"b\"\n".into() },
        Entry::Unlisted { name: name() },
        Entry::Absent { name: name() },
        Entry::Found { name: name(), id: None, cpus: 4 },
        Entry::Started { name: name(), restart: 1, host: "n1".into() },
        Entry::Joined { name: name(), restart: 1, host: "n1".into() },
        Entry::Requeued { name: name(), restart: 2, costs },
        Entry::NotJoined { name: name(), host: String::new() },
        Entry::Cancelling { names: vec![name()], why: "x".into() },
        Entry::Leaving { names: vec![name()], why: "x".into() },
        Entry::Ended { name: name(), how: Ending::TimeLimit, costs },
        Entry::Excluded { host: "n1".into() },
        Entry::Paused { why: "x".into() },
        Entry::Resumed,
        Entry::Unreadable { text: "x".into() },
        Entry::Readable,
        Entry::Away,
        Entry::Back,
        Entry::Costs { jobs: BTreeMap::from([(name(), costs)]) },
        Entry::Warning { text: "x".into() },
        Entry::Over(Ended { outcome: Outcome::Refused("no".into()), unconfirmed: vec![name()] }),
    ]
}

#[test]
fn what_is_appended_is_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("launch.jsonl");
    let (mut journal, past) = Journal::open(&path).expect("a journal");
    assert_eq!(past, Past::default());
    for (at, entry) in entries().iter().enumerate() {
        journal.append(at as u64, entry).expect("a line");
        assert!(!entry.to_string().is_empty());
    }
    drop(journal);
    let (_, past) = Journal::open(&path).expect("a journal");
    let expected: Vec<Record> =
        entries().into_iter().enumerate().map(|(at, entry)| Record { at: at as u64, entry }).collect();
    assert_eq!((past.records, past.broken, past.torn), (expected, 0, false));
}

#[test]
fn lines_stay_as_they_are() {
    let text = |entry| serde_json::to_string(&Record { at: 7, entry }).expect("JSON");
    assert_eq!(
        text(Entry::Asked { name: "rq-1-1".into(), cpus: 4, walltime: 600 }),
        r#"{"at":7,"what":"asked","name":"rq-1-1","cpus":4,"walltime":600}"#
    );
    assert_eq!(text(Entry::Away), r#"{"at":7,"what":"away"}"#);
    assert_eq!(
        text(Entry::Over(Ended { outcome: Outcome::Budget, unconfirmed: vec![] })),
        r#"{"at":7,"what":"over","outcome":"budget","unconfirmed":[]}"#
    );
    let later = Past::read(&br#"{"at":7,"what":"something-new","why":3}"#[..]).expect("memory");
    assert_eq!(later.records, [Record { at: 7, entry: Entry::Other }]);
}

#[test]
fn a_torn_line_is_skipped_at_every_length_and_the_next_one_is_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = b"{\"at\":1,\"what\":\"away\"}\n{\"at\":2,\"what\":\"back\"}\n";
    let first = whole.len() / 2;
    for length in first..=whole.len() {
        let path = directory.path().join(format!("{length}.jsonl"));
        std::fs::write(&path, &whole[..length]).expect("a file");
        let (mut journal, past) = Journal::open(&path).expect("a journal");
        // Without its line break the last line is whole as well.
        let lines = if length >= whole.len() - 1 { 2 } else { 1 };
        assert_eq!((past.records.len(), past.broken), (lines, 0), "{length}");
        assert_eq!(past.torn, length > first && lines == 1, "{length}");
        journal.append(3, &Entry::Readable).expect("a line");
        let (_, past) = Journal::open(&path).expect("a journal");
        assert_eq!(past.records.last(), Some(&Record { at: 3, entry: Entry::Readable }), "{length}");
        assert_eq!(past.records.len(), lines + 1, "{length}");
    }
}

#[test]
fn broken_lines_in_the_middle_are_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("launch.jsonl");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(b"{\"at\":1,\"what\":\"away\"}\n{\"at\":\n\n\xff\xfe\0\n{\"at\":2,\"what\":\"back\"}\n")
        .expect("bytes");
    let (_, past) = Journal::open(&path).expect("a journal");
    assert_eq!((past.records.len(), past.broken, past.torn), (2, 2, false));
    assert!(Journal::open(directory.path()).is_err());
}
