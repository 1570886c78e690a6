//! What the core does in one case each.

use launch::{
    core::{Act, Outcome, Policy, Seen},
    job::JobId,
    journal::{Ending, Entry},
    systems::{JobState, RefusalClass},
};

use crate::script::{Script, asked, policy, queued};

/// A script whose two first jobs were accepted and wait.
fn two_wait(policy: Policy) -> (Script, String, String) {
    let mut script = Script::new(policy);
    script.read();
    let acts = script.fleet();
    let (one, acts) = script.accept(&acts);
    let (two, acts) = script.accept(&acts);
    assert_eq!(acts, [], "two may wait");
    (script, one, two)
}

#[test]
fn nothing_is_asked_for_before_the_queue_and_the_coordinator_have_answered() {
    let mut script = Script::new(policy());
    assert_eq!(script.fleet(), []);
    let acts = script.read();
    assert_eq!(asked(&acts).as_deref(), Some("rq-00000001-0001"));
    let mut script = Script::new(policy());
    assert_eq!(script.read(), []);
    assert!(asked(&script.fleet()).is_some());
}

#[test]
fn a_burst_is_two_jobs_and_the_next_follows_when_they_run() {
    let (mut script, one, two) = two_wait(policy());
    script.run(&one, "n1");
    script.run(&two, "n2");
    let acts = script.until(1_000);
    assert!(asked(&acts).is_some());
    assert!((60..=70).contains(&script.now), "{}", script.now);
}

#[test]
fn a_job_in_doubt_is_looked_up_before_the_next_one() {
    let mut script = Script::new(policy());
    script.read();
    let acts = script.fleet();
    script.refuse(&acts, RefusalClass::Doubtful);
    // It exists: it is adopted, and the second one is asked for.
    let mut found = script;
    found.queue.push(queued("7", "rq-00000001-0001", JobState::Waiting));
    let acts = found.until(1_000);
    assert_eq!(asked(&acts).as_deref(), Some("rq-00000001-0002"));
    assert_eq!(found.noted(|e| matches!(e, Entry::Accepted { id: JobId(id), .. } if id == "7")), 1);

    // It does not: two answers a minute apart say so, and then one waits.
    let mut script = Script::new(policy());
    script.read();
    let acts = script.fleet();
    script.refuse(&acts, RefusalClass::Doubtful);
    let acts = script.until(1_000);
    assert_eq!(asked(&acts).as_deref(), Some("rq-00000001-0002"));
    assert_eq!(script.noted(|e| matches!(e, Entry::Absent { .. })), 1);
    assert!((180..=200).contains(&script.now), "read at 60 and 120, then a minute: {}", script.now);

    // The queue cannot be read: nothing is asked for, however long that lasts.
    let mut script = Script::new(policy());
    script.read();
    let acts = script.fleet();
    script.refuse(&acts, RefusalClass::Doubtful);
    for _ in 0..1_000 {
        script.now += 10;
        if script.fleet().contains(&Act::Query) {
            assert_eq!(script.tell(Seen::Queue(Err("timed out".into()))), []);
        }
    }
}

#[test]
fn a_busy_batch_system_is_asked_after_one_two_four_up_to_thirty_minutes() {
    let mut script = Script::new(policy());
    script.read();
    let mut acts = script.fleet();
    let mut waits = Vec::new();
    for _ in 0..8 {
        let before = script.now;
        script.refuse(&acts, RefusalClass::Busy);
        acts = script.until(before + 10_000);
        waits.push((script.now - before) / 60);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
}

#[test]
fn a_full_account_is_asked_again_when_a_job_has_ended() {
    let (mut script, one, two) = two_wait(policy());
    script.run(&one, "n1");
    script.run(&two, "n2");
    script.join(&one);
    script.join(&two);
    let acts = script.until(1_000);
    script.refuse(&acts, RefusalClass::Limit);
    let before = script.now;
    assert_eq!(script.until(before + 300), []);
    script.members.remove(0);
    script.queue.remove(0);
    let acts = script.until(before + 400);
    assert!(asked(&acts).is_some(), "{}", script.now);
}

#[test]
fn a_refusal_for_good_ends_the_launch_when_nothing_is_left() {
    let (mut script, one, two) = two_wait(policy());
    script.run(&one, "n1");
    script.run(&two, "n2");
    script.join(&one);
    script.join(&two);
    let acts = script.until(1_000);
    assert_eq!(script.refuse(&acts, RefusalClass::Permanent), [], "those that run go on");
    assert_eq!(script.until(2_000), []);
    assert!(script.core.view(std::time::Duration::ZERO).paused.is_some_and(|why| why.contains("no")));
    script.members.clear();
    script.queue.clear();
    let acts = script.until(4_000);
    let [Act::End(ended)] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!(ended.outcome, Outcome::Refused("no".into()));
}

#[test]
fn two_jobs_without_a_worker_exclude_their_machine_and_three_in_a_row_pause() {
    let (mut script, one, two) = two_wait(policy());
    script.run(&one, "bad");
    script.run(&two, "bad");
    let acts = script.until(100);
    let (three, _) = script.accept(&acts);
    script.run(&three, "n3");
    let mut excluded = Vec::new();
    while script.now < 700 {
        for act in script.until(700) {
            if let Act::Submit { exclude, .. } = &act {
                excluded.clone_from(exclude);
                script.accept(&[act]);
            }
        }
    }
    assert_eq!(script.noted(|e| matches!(e, Entry::NotJoined { .. })), 3);
    assert_eq!(script.noted(|e| matches!(e, Entry::Excluded { host } if host == "bad")), 1);
    assert_eq!(script.noted(|e| matches!(e, Entry::Paused { .. })), 1);
    assert_eq!(excluded, Vec::<String>::new(), "asked for before");
    assert_eq!(script.core.view(std::time::Duration::ZERO).excluded, ["bad"]);
}

#[test]
fn a_busy_worker_stays_and_an_idle_one_leaves_when_little_is_left() {
    let (mut script, one, two) = two_wait(policy());
    for (name, host) in [(&one, "n1"), (&two, "n2")] {
        script.run(name, host);
        script.join(name);
    }
    (script.demand.width, script.demand.left) = (8, Some(1e6));
    assert_eq!(script.until(400), [], "there is work for eight");
    (script.demand.width, script.demand.left) = (1, Some(100.0));
    assert_eq!(script.until(1_500), [], "both are busy");
    script.members[1].idle_secs = Some(30.0);
    assert_eq!(script.until(1_600), [Act::Leave(vec![two])]);
}

#[test]
fn jobs_that_wait_in_vain_are_cancelled_newest_first() {
    let (mut script, one, two) = two_wait(policy());
    (script.demand.width, script.demand.left) = (4, Some(100.0));
    let acts = script.until(2_000);
    assert_eq!(acts, [Act::Cancel(vec![JobId("101".into())])], "{one} stays, {two} goes");
    assert!(script.now >= 300, "not within five minutes of a submission: {}", script.now);
}

#[test]
fn at_the_end_everything_is_cancelled_and_the_queue_is_read_once_more() {
    let (mut script, _, _) = two_wait(policy());
    script.demand.ended = true;
    let acts = script.until(10);
    assert_eq!(acts, [Act::Cancel(vec![JobId("100".into()), JobId("101".into())])]);
    script.queue.clear();
    let acts = script.until(200);
    let [Act::End(ended)] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!((&ended.outcome, ended.unconfirmed.len()), (&Outcome::Finished, 0));
    assert_eq!(script.noted(|e| matches!(e, Entry::Ended { how: Ending::Cancelled, .. })), 2);
}

#[test]
fn an_unreadable_queue_at_the_end_is_waited_for_and_then_told() {
    let (mut script, one, two) = two_wait(policy());
    script.demand.ended = true;
    let mut ended = None;
    while ended.is_none() && script.now < 10_000 {
        script.now += 10;
        let mut acts = script.fleet();
        if acts.contains(&Act::Query) {
            acts.extend(script.tell(Seen::Queue(Err("timed out".into()))));
        }
        ended = acts.into_iter().find_map(|act| if let Act::End(ended) = act { Some(ended) } else { None });
    }
    assert_eq!(ended.expect("it ends").unconfirmed, [one, two]);
    assert!((1_800..2_000).contains(&script.now), "{}", script.now);
}

#[test]
fn a_budget_shortens_the_last_job_and_ends_the_launch() {
    // 4 cores · 20 min.
    let mut policy = policy();
    policy.budget = Some(4_800.0);
    let mut script = Script::new(policy);
    script.read();
    let acts = script.fleet();
    let [Act::Submit { walltime, .. }] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!(walltime.as_secs(), 1_200);
    let (one, acts) = script.accept(&acts);
    assert_eq!(acts, [], "there is no money for another one");
    script.run(&one, "n1");
    script.join(&one);
    assert_eq!(script.until(1_200), []);
    script.members.clear();
    script.queue.clear();
    let acts = script.until(2_000);
    let [Act::End(ended)] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!(ended.outcome, Outcome::Budget);
}

#[test]
fn long_trials_are_told_once() {
    let mut script = Script::new(policy());
    script.demand.trial_secs = Some(9.0 * 3_600.0);
    script.read();
    script.fleet();
    script.fleet();
    let said = "a trial of about 9.0 h does not fit into jobs of 60 min";
    assert_eq!(script.noted(|e| matches!(e, Entry::Warning { text } if text == said)), 1);
}

#[test]
fn three_jobs_taken_away_within_an_hour_make_shorter_ones() {
    let (mut script, _, _) = two_wait(policy());
    let mut shortest = u64::MAX;
    for lost in 0..4 {
        // A job that waits begins and works.
        let name = script.queue[0].name.clone();
        script.run(&name, &format!("n{lost}"));
        script.join(&name);
        // Then it is taken away, and another one is asked for.
        for present in [true, false] {
            if !present {
                script.members.clear();
                script.queue.remove(0);
            }
            let until = script.now + 130;
            while script.now < until {
                for act in script.until(until) {
                    if let Act::Submit { walltime, .. } = &act {
                        shortest = if lost == 3 { walltime.as_secs() } else { shortest };
                        script.accept(&[act]);
                    }
                }
            }
        }
    }
    assert_eq!(script.noted(|e| matches!(e, Entry::Ended { how: Ending::Lost, .. })), 4);
    assert!((1_500..=1_800).contains(&shortest), "half of an hour, less at most 15 %: {shortest}");
}

#[test]
fn a_launcher_without_its_journal_finds_its_jobs() {
    let mut script = Script::new(policy());
    script.queue = vec![
        queued("5", "rq-00000001-0041", JobState::Running),
        queued("6", "rq-00000001-0042", JobState::Waiting),
        queued("7", "rq-00000002-0001", JobState::Waiting),
    ];
    script.join("rq-00000001-0040");
    script.fleet();
    let acts = script.read();
    assert_eq!(asked(&acts).as_deref(), Some("rq-00000001-0043"), "one waits, one more may");
    let view = script.core.view(std::time::Duration::ZERO);
    assert_eq!((view.running, view.starting.len(), view.waiting.len()), (1, 1, 1));
    assert_eq!(script.noted(|e| matches!(e, Entry::Found { .. })), 3);
}

#[test]
fn a_launcher_goes_on_from_its_journal() {
    let (mut script, one, two) = two_wait(policy());
    script.run(&one, "n1");
    script.join(&one);
    script.members[0].useful_secs = 1_000.0;
    while script.now < 900 {
        for act in script.until(900) {
            if matches!(act, Act::Submit { .. }) {
                script.refuse(&[act], RefusalClass::Busy);
            }
        }
    }
    let before = script.core.view(std::time::Duration::from_secs(900));
    let mut again = Script::after(policy(), &script.journal, 910);
    again.queue.clone_from(&script.queue);
    again.members.clone_from(&script.members);
    again.read();
    again.fleet();
    let after = again.core.view(std::time::Duration::from_secs(910));
    assert_eq!((after.running, after.waiting.len()), (1, 1));
    assert_eq!(after.waiting[0].name, two);
    assert!((after.allocated - before.allocated - 40.0).abs() <= 8.0, "{before:?} {after:?}");
    assert!((after.costs.useful - 1_000.0).abs() < 1e-6, "{after:?}");
}

/// A small launch does not wait a whole `poll` for workers that leave at once, and a hanging one is not asked for every second.
#[test]
fn at_the_end_the_queue_is_read_soon_and_then_less_and_less_often() {
    let mut script = Script::new(policy());
    script.read();
    let acts = script.fleet();
    let (one, _) = script.accept(&acts);
    script.run(&one, "n1");
    script.join(&one);
    script.demand.ended = true;
    let begun = script.now;
    let mut asked = Vec::new();
    while script.now < begun + 600 {
        script.now += 1;
        if script.fleet().contains(&Act::Query) {
            asked.push(script.now - begun);
            script.tell(Seen::Queue(Ok(script.queue.clone())));
        }
    }
    assert!(asked.len() >= 8 && asked[0] <= 60 && asked.windows(2).any(|pair| pair[1] - pair[0] <= 5), "{asked:?}");
    assert!(asked.len() <= 25, "{asked:?}");
    let pauses: Vec<u64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.is_sorted() && pauses.last() == Some(&60), "{asked:?}");
}
