use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
    time::timeout,
};
use tonic::transport::server::Connected as _;

use super::{
    connection::{LINGER, UNAUTHENTICATED_TIME},
    limits::SILENT_TIME,
    *,
};

/// The error of a read on the server's side, without waiting.
async fn read(connection: &mut Connection<tokio::io::DuplexStream>) -> Option<io::ErrorKind> {
    let mut byte = [0];
    match timeout(Duration::ZERO, connection.read(&mut byte)).await {
        Ok(Err(error)) => Some(error.kind()),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn only_unauthenticated_connections_are_closed_after_a_time() {
    let admission = Admission::new(8, None);
    let ((_a, near), (_b, other)) = (duplex(64), duplex(64));
    let (mut silent, mut authenticated) = (admission.receive(near), admission.receive(other));
    authenticated.connect_info().admit().expect("room");
    tokio::time::advance(UNAUTHENTICATED_TIME - Duration::from_millis(1)).await;
    assert_eq!(read(&mut silent).await, None);
    tokio::time::advance(Duration::from_millis(2)).await;
    assert_eq!(read(&mut silent).await, Some(io::ErrorKind::TimedOut));
    assert_eq!(read(&mut authenticated).await, None);
}

#[tokio::test(start_paused = true)]
async fn the_oldest_unauthenticated_connection_makes_room() {
    let admission = Admission::new(8, None);
    let mut far = Vec::new();
    let mut near = Vec::new();
    for _ in 0..UNAUTHENTICATED_MAX {
        let (a, b) = duplex(64);
        far.push(a);
        near.push(admission.receive(b));
    }
    near[0].connect_info().admit().expect("room");
    for _ in 0..2 {
        let (a, b) = duplex(64);
        far.push(a);
        near.push(admission.receive(b));
    }
    assert_eq!(read(&mut near[0]).await, None, "admitted");
    assert_eq!(read(&mut near[1]).await, Some(io::ErrorKind::TimedOut), "the oldest one");
    assert_eq!(read(&mut near[2]).await, None);
    assert_eq!(admission.0.open().unauthenticated(), UNAUTHENTICATED_MAX);
}

#[tokio::test(start_paused = true)]
async fn no_connection_is_closed_before_it_could_speak() {
    let admission = Admission::new(8, None);
    let mut kept = Vec::new();
    for _ in 0..UNAUTHENTICATED_MAX {
        let (far, near) = duplex(64);
        admission.room().await;
        kept.push((far, admission.receive(near)));
    }
    let begun = Instant::now();
    // Another is admitted meanwhile, so there is room at once.
    kept[7].1.connect_info().admit().expect("room");
    admission.room().await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let (_far, near) = duplex(64);
    let _another = admission.receive(near);
    admission.room().await;
    assert_eq!(begun.elapsed(), SILENT_TIME, "the oldest has had its time");
    let (_last_far, near) = duplex(64);
    let _last = admission.receive(near);
    assert_eq!(read(&mut kept[0].1).await, Some(io::ErrorKind::TimedOut));
    assert_eq!(read(&mut kept[1].1).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_has_sent_something_has_more_time() {
    let admission = Admission::new(8, None);
    let mut kept = Vec::new();
    for at in 0..UNAUTHENTICATED_MAX {
        let (mut far, near) = duplex(64);
        let mut connection = admission.receive(near);
        if at < 2 {
            far.write_all(b"P").await.expect("taken");
            connection.read_exact(&mut [0]).await.expect("a byte");
        }
        kept.push((far, connection));
    }
    tokio::time::advance(SILENT_TIME).await;
    admission.room().await;
    let (_far, near) = duplex(64);
    let _another = admission.receive(near);
    assert_eq!(read(&mut kept[2].1).await, Some(io::ErrorKind::TimedOut), "the oldest that sent nothing");
    assert_eq!(read(&mut kept[0].1).await, None);
}

#[tokio::test(start_paused = true)]
async fn authenticated_connections_are_counted_until_they_close() {
    let admission = Admission::new(1, None);
    let ((_a, near), (_b, other)) = (duplex(64), duplex(64));
    let (first, second) = (admission.receive(near), admission.receive(other));
    first.connect_info().admit().expect("room");
    first.connect_info().admit().expect("it is in already");
    let refused = second.connect_info().admit().expect_err("full");
    assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    drop(first);
    second.connect_info().admit().expect("room again");
}

#[tokio::test(start_paused = true)]
async fn the_last_answer_to_an_unauthenticated_caller_arrives() {
    let admission = Admission::new(1, None);
    let (mut far, near) = duplex(64);
    let mut connection = admission.receive(near);
    connection.write_all(b"no").await.expect("written");
    drop(connection);
    assert_eq!(admission.0.open().unauthenticated(), 1, "it lingers, and counts");
    far.write_all(b"bytes that the server never reads").await.expect("taken");
    let mut heard = Vec::new();
    far.read_to_end(&mut heard).await.expect("an orderly end");
    assert_eq!(heard, b"no");
    let gone = async {
        while admission.0.open().unauthenticated() > 0 {
            tokio::time::sleep(LINGER / 10).await;
        }
    };
    tokio::time::timeout(LINGER * 2, gone).await.expect("it goes in time");
}
