//! Bad input from the network is refused with a short error, without a panic or growing memory, and honest workers do
//! not notice.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use redqueen_wire::{
    Held, Hello, PROTOCOL, ResultBatch, StageRef, WorkerMessage, work_service_client::WorkServiceClient,
    worker_message::Kind,
};
use tonic::{Code, Status, transport::Endpoint};

use crate::common::{
    experiments::{GRID, GRID_TRIALS},
    files::{place, write},
    process::{coordinator, peak_memory, worker},
    program::{succeed, token},
    runs::{stored, submit, wait_for_end},
};

/// Highest memory of a coordinator under attack, bytes.
const MEMORY_MAX: u64 = 200 << 20;

/// Says `messages` on a stream and gives the status that ends it.
async fn say(url: &str, messages: Vec<Kind>) -> Status {
    let channel = Endpoint::from_shared(url.to_owned()).expect("a URL").connect().await.expect("connects");
    let mut client = WorkServiceClient::with_interceptor(channel, token(url));
    let messages = messages.into_iter().map(|kind| WorkerMessage { kind: Some(kind) });
    // The stream stays open behind the messages, as a worker's does.
    let open =
        tokio_stream::StreamExt::chain(tokio_stream::iter(messages.collect::<Vec<_>>()), tokio_stream::pending());
    let mut replies = match client.work(open).await {
        Ok(replies) => replies.into_inner(),
        Err(status) => return status,
    };
    loop {
        match replies.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return Status::ok("ended"),
            Err(status) => return status,
        }
    }
}

fn hello(name: &str) -> Hello {
    Hello {
        name: name.to_owned(),
        threads: 1,
        version: "0".to_owned(),
        protocol: PROTOCOL,
        self_test: experiments::self_test().to_vec(),
        process: rand::random::<[u8; 16]>().to_vec(),
        held: Vec::new(),
        place: None,
        machine: None,
    }
}

fn batch(trials: Vec<u64>, run: Vec<u8>) -> ResultBatch {
    let elapsed_us = vec![1; trials.len()];
    ResultBatch { batch: 1, stage: Some(StageRef { run, stage: 0 }), trials, elapsed_us, columns: Vec::new() }
}

#[test]
fn nothing_from_the_network_breaks_a_coordinator() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let (mut server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let address = url.trim_start_matches("http://").to_owned();
    let (run, directory) = submit(&file, &url);
    // A result of a stage that is closed is late, and no offence: the run waits until all is said.
    succeed(&["pause", &run, "--coordinator", &url]);
    let _honest = worker(&url, "honest", 1, &[]);

    // Garbage, a half-open preface, HTTP/1, and connections that say nothing.
    let mut idle = Vec::new();
    for bytes in [&[0xffu8; 4_096][..], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0", b"GET / HTTP/1.1\r\n\r\n", b""] {
        for _ in 0..50 {
            let mut stream = TcpStream::connect(&address).expect("connects");
            stream.set_read_timeout(Some(Duration::from_millis(1))).expect("set");
            let _ = stream.write_all(bytes);
            let _ = stream.read(&mut [0; 64]);
            idle.push(stream);
        }
    }

    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let run_id: Vec<u8> = (0..16).map(|i| u8::from_str_radix(&run[2 * i..2 * i + 2], 16).expect("hex")).collect();
    let refused = |code: Code, messages: Vec<Kind>| {
        let status = runtime.block_on(say(&url, messages));
        assert_eq!(status.code(), code, "{status}");
        assert!(status.message().len() < 400, "a short error: {}", status.message());
    };
    refused(Code::InvalidArgument, vec![Kind::Heartbeat(redqueen_wire::Heartbeat::default())]);
    refused(Code::InvalidArgument, vec![Kind::Hello(hello(""))]);
    refused(Code::InvalidArgument, vec![Kind::Hello(hello(&"x".repeat(1_000)))]);
    refused(Code::InvalidArgument, vec![Kind::Hello(Hello { threads: 0, ..hello("h") })]);
    refused(Code::InvalidArgument, vec![Kind::Hello(Hello { process: vec![1; 15], ..hello("h") })]);
    let held = vec![Held { stage: Some(StageRef { run: vec![0; 16], stage: 0 }), ranges: Vec::new() }; 300];
    refused(Code::InvalidArgument, vec![Kind::Hello(Hello { held, ..hello("h") })]);
    refused(Code::InvalidArgument, vec![Kind::Hello(Hello { held: vec![Held::default()], ..hello("h") })]);
    refused(Code::FailedPrecondition, vec![Kind::Hello(Hello { protocol: 99, ..hello("h") })]);
    refused(Code::FailedPrecondition, vec![Kind::Hello(Hello { self_test: vec![1; 32], ..hello("h") })]);
    let after_hello = |kind| vec![Kind::Hello(hello("h")), kind];
    refused(Code::InvalidArgument, after_hello(Kind::Hello(hello("h"))));
    refused(Code::InvalidArgument, after_hello(Kind::Results(ResultBatch::default())));
    refused(Code::InvalidArgument, after_hello(Kind::Results(batch(vec![0; 20_000], run_id.clone()))));
    refused(Code::InvalidArgument, after_hello(Kind::Results(batch(vec![0], vec![1, 2, 3]))));
    // For the right run and a stage that does not exist: the session ends.
    refused(Code::InvalidArgument, after_hello(Kind::Results(batch(vec![u64::MAX], run_id.clone()))));
    refused(Code::InvalidArgument, after_hello(Kind::Results(batch(vec![0], run_id))));
    // A message above the limit.
    let long = Hello { version: "x".repeat(redqueen_wire::MAX_MESSAGE_BYTES), ..hello("h") };
    refused(Code::OutOfRange, vec![Kind::Hello(long)]);

    succeed(&["resume", &run, "--coordinator", &url]);
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(stored(&directory, "match"), (GRID_TRIALS, GRID_TRIALS));
    let peak = peak_memory(&server);
    assert!(peak < MEMORY_MAX, "{} MB", peak >> 20);
    drop(idle);
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
}
