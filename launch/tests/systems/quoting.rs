//! Words come through a real shell as they were, whatever they are.

use std::time::Duration;

use launch::{
    call::{Call, line, quote},
    runner::Runner,
};
use proptest::prelude::*;

/// Prints each word on its own, ended by a NUL.
fn echoed(words: &[String], via: &[&str]) -> Vec<String> {
    let via = via.iter().copied().map(String::from).collect();
    let argv = ["printf".to_owned(), "%s\\0".to_owned()].into_iter().chain(words.iter().cloned());
    let output = Runner { via, limit: Duration::from_secs(20) }.run(&Call::new(argv));
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout.split_terminator('\0').map(String::from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn words_come_through_a_shell(words in prop::collection::vec("[^\0]{0,12}|[ \n'\"$`\\\\(){};&|<>*?~#!=%-]{1,8}", 1..6)) {
        prop_assert_eq!(&echoed(&words, &["sh", "-c"]), &words);
        // Twice: a command under ssh within a script.
        let script = line(["sh", "-c", &format!("printf '%s\\0' {}", line(&words).unwrap())]).unwrap();
        let output = Runner::default().run(&Call::new(["sh"]).reading(script));
        prop_assert_eq!(output.stdout.split_terminator('\0').map(String::from).collect::<Vec<_>>(), words);
    }
}

#[test]
fn nul_is_refused() {
    assert!(quote("a\0b").is_err() && line(["fine", "a\0b"]).is_err());
    let call = Call::new(["echo", "a\0b"]);
    assert!(call.via(&["sh".into(), "-c".into()]).is_err());
    let output = Runner::default().run(&call);
    assert_eq!(output.code, Some(126), "{output:?}");
}

#[test]
fn a_prefix_gets_one_line() {
    let call = Call::new(["squeue", "-o", "%i %j"]).reading("text");
    let via = call.via(&["ssh".into(), "login1".into()]).unwrap();
    assert_eq!(via.argv, ["ssh", "login1", "env LC_ALL=C squeue -o '%i %j'"]);
    assert_eq!(via.stdin.as_deref(), Some("text"));
    assert_eq!(call.via(&[]).unwrap(), call);
}
