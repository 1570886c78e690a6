//! What is wrong with profiles, with the line and what to do.

use std::collections::BTreeMap;

use launch::profile::{Fault, Profile};
use proptest::prelude::*;

fn faults(text: &str) -> Vec<Fault> {
    Profile::read("cluster.toml", text, &BTreeMap::new(), None)
        .map_or_else(|faults| faults.0, |profile| panic!("{profile:?}"))
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = faults(text).iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn keys_that_are_not_known() {
    check("sytem = \"slurm\"", &["cluster.toml:1: `sytem`: this key is not known here; did you mean `system`?"]);
    check(
        "[slurm]\n\nwaltime = \"8h\"",
        &["cluster.toml:3: `slurm.waltime`: this key is not known in `[slurm]`; did you mean `walltime`?"],
    );
    check(
        "[scale.nodes]\nfoo = 1",
        &[
            "cluster.toml:2: `scale.nodes.foo`: this key is not known in `[scale.nodes]`; one of `min`, `max`, `waiting`",
        ],
    );
    check("system = \"slum\"", &["cluster.toml:1: `system`: `slum` is not a batch system; did you mean `slurm`?"]);
    // A table of another system is read, too.
    check(
        "system = \"local\"\n[pbs]\npartition = \"p\"",
        &[
            "cluster.toml:3: `pbs.partition`: this key is not known in `[pbs]`; one of `torque`, `queue`, `account`, `project`, \
           `exclusive`, `extra`, `skip`, `cpus`, `memory`, `walltime`, `poll`, `max-submit`",
        ],
    );
}

#[test]
fn values_that_are_not_right() {
    let time = "expected a time with its unit, such as \"90s\", \"15m\", \"8h\" or \"3d\"";
    for (text, expected) in [
        ("[slurm]\nwalltime = \"8 hours\"", format!("`slurm.walltime`: {time}, found \"8 hours\"")),
        ("[slurm]\nwalltime = 8", format!("`slurm.walltime`: {time}, found 8")),
        ("[slurm]\nwalltime = \"59s\"", "`slurm.walltime`: a job lasts a minute at least".into()),
        ("[slurm]\ncpus = 0", "`slurm.cpus`: expected a whole number from 1 on, found 0".into()),
        ("[slurm]\ncpus = 1.5", "`slurm.cpus`: expected a whole number from 1 on, found 1.5".into()),
        (
            "[slurm]\nmemory = 100",
            "`slurm.memory`: expected memory with its unit, such as \"512M\" or \"100G\", found 100".into(),
        ),
        (
            "[slurm]\npartition = \"a\\n#SBATCH --x\"",
            "`slurm.partition`: expected a text in one line, found \"a\\n#SBATCH --x\"".into(),
        ),
        ("[slurm]\nextra = \"-x\"", "`slurm.extra`: expected a list of texts in one line each, found \"-x\"".into()),
        ("[slurm]\nexclusive = \"yes\"", "`slurm.exclusive`: expected true or false, found \"yes\"".into()),
        (
            "[slurm]\nexclusive = true",
            "`slurm.exclusive`: a job gets all cores of its node: `cpus` says how many that is; \
             sinfo -o %c, pbsnodes, qhost or lshosts tell"
                .into(),
        ),
        ("\nslurm = 3", "`slurm`: expected a table, found 3".into()),
        ("\ndata = \"$NOSUCH/x\"", "`data`: the variable `NOSUCH` is not set".into()),
        ("[scale]\nbudget-core-hours = -1", "`scale.budget-core-hours`: expected a number above 0, found -1".into()),
        ("[scale]\nnodes = { min = 3, max = 2 }", "`scale.nodes.min`: 3 jobs are more than the 2 of `max`".into()),
        (
            "[coordinator]\nplace = \"there\"",
            "`coordinator.place`: expected \"here\", \"job\" or a URL such as \"https://host:7800\", found \"there\""
                .into(),
        ),
        (
            "[coordinator]\nhttp = \"localhost\"",
            "`coordinator.http`: expected an address such as \"127.0.0.1:7879\", found \"localhost\"".into(),
        ),
        (
            "[coordinator.listen]\nports = \"9-1\"",
            "`coordinator.listen.ports`: expected ports such as \"7800-7899\", found \"9-1\"".into(),
        ),
        ("[ssh]\nhosts = [\"-v\"]", "`ssh.hosts`: `-v` is not the name of a host".into()),
        ("[kubernetes]\ncpu = 1", "`kubernetes`: `image` has to name an image".into()),
    ] {
        let line = if expected.starts_with("`kubernetes`") { 1 } else { 2 };
        check(text, &[&format!("cluster.toml:{line}: {expected}")]);
    }
}

#[test]
fn all_at_once() {
    let text = "[slurm]\ncpus = 0\n[coordinator]\nslurm = { cpus = 0 }\n[worker]\nstag = true\n";
    let lines: Vec<usize> = faults(text).iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 4, 6], "{:?}", faults(text));
    let backwards: Vec<usize> =
        faults("[worker]\nstag = 1\n[slurm]\ncpus = 0\n").iter().map(|fault| fault.line).collect();
    assert_eq!(backwards, [2, 4], "in the order of the file");
    check("a = ", &["cluster.toml:1: string values must be quoted, expected literal string"]);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(
        text in "\\PC{0,200}|(\\[(slurm|scale|ssh|coordinator|worker)\\]\n|(cpus|nodes|hosts|walltime|extra|place) = (1|\"1h\"|\\[\\]|\\{\\}|true)\n){0,8}"
    ) {
        let _ = Profile::read("cluster.toml", &text, &BTreeMap::new(), None);
    }
}
