//! What each job of a launch has cost, from its journal.

use std::{collections::BTreeMap, io};

use crate::{
    core::Costs,
    directory::Directory,
    job::JobId,
    journal::{Ending, Entry, Past, Record},
};

/// A job that has run, or may.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// The batch system's name for it, if it gave one.
    pub id: Option<JobId>,
    /// Its threads.
    pub cpus: u32,
    /// The machine on which it ran last; empty if unknown.
    pub host: String,
    /// When it was asked for, in seconds since 1970-01-01 UTC.
    pub asked: u64,
    /// How often it was put back into the queue.
    pub requeued: u32,
    /// How it ended; `None` while it is there.
    pub how: Option<Ending>,
    /// What it cost, every time that it ran; of a job that is there, up to when that was last written down.
    pub costs: Costs,
}

impl Directory {
    /// The accounts of all jobs, those that were asked for first at the top.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn accounts(&self) -> io::Result<Vec<Account>> {
        let journal = std::fs::File::open(self.journal())?;
        Ok(accounts(&Past::read(io::BufReader::new(journal))?.records))
    }
}

/// The accounts that a journal tells of.
fn accounts(records: &[Record]) -> Vec<Account> {
    let mut jobs: BTreeMap<&str, Account> = BTreeMap::new();
    // What a job that is there has cost since it last began.
    let mut open: BTreeMap<&str, Costs> = BTreeMap::new();
    for Record { at, entry } in records {
        match entry {
            Entry::Asked { name, cpus, .. } | Entry::Found { name, cpus, .. } => {
                jobs.entry(name).or_insert_with(|| Account {
                    name: name.clone(),
                    id: None,
                    cpus: *cpus,
                    host: String::new(),
                    asked: *at,
                    requeued: 0,
                    how: None,
                    costs: Costs::default(),
                });
            }
            Entry::Refused { name, class, .. } if *class != crate::systems::RefusalClass::Doubtful => {
                jobs.remove(name.as_str());
            }
            Entry::Absent { name } => {
                jobs.remove(name.as_str());
            }
            _ => {}
        }
        if let Entry::Costs { jobs: costs } = entry {
            open.extend(costs.iter().map(|(name, costs)| (name.as_str(), *costs)));
        }
        let Some(account) = job_of(entry).and_then(|name| jobs.get_mut(name)) else { continue };
        match entry {
            Entry::Accepted { id, .. } | Entry::Found { id: Some(id), .. } => account.id = Some(id.clone()),
            Entry::Started { host, .. } | Entry::Joined { host, .. } if !host.is_empty() => {
                account.host.clone_from(host);
            }
            Entry::Requeued { name, costs, .. } => {
                account.requeued += 1;
                account.costs.add(costs);
                open.remove(name.as_str());
            }
            Entry::Ended { name, how, costs } => {
                account.how = Some(*how);
                account.costs.add(costs);
                open.remove(name.as_str());
            }
            _ => {}
        }
    }
    for (name, costs) in open {
        if let Some(account) = jobs.get_mut(name) {
            account.costs.add(&costs);
        }
    }
    let mut accounts: Vec<Account> = jobs.into_values().collect();
    accounts.sort_by(|a, b| (a.asked, &a.name).cmp(&(b.asked, &b.name)));
    accounts
}

/// The job that an entry is about, if it is one.
fn job_of(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::Accepted { name, .. }
        | Entry::Found { name, .. }
        | Entry::Started { name, .. }
        | Entry::Joined { name, .. }
        | Entry::Requeued { name, .. }
        | Entry::Ended { name, .. } => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::RefusalClass;

    #[test]
    fn a_job_costs_what_each_of_its_beginnings_cost_and_what_it_has_taken_since() {
        let name = |number: u32| format!("rq-0-{number:04}");
        let costs = |useful, start| Costs { useful, start, ..Costs::default() };
        let asked = |number| Entry::Asked { name: name(number), cpus: 4, walltime: 60 };
        let open = |useful| Entry::Costs { jobs: BTreeMap::from([(name(1), costs(useful, 1.0))]) };
        let entries = [
            asked(1),
            Entry::Accepted { name: name(1), id: JobId("7".to_owned()) },
            asked(2),
            Entry::Refused { name: name(2), class: RefusalClass::Limit, text: String::new() },
            asked(3),
            Entry::Started { name: name(1), restart: 0, host: "n1".to_owned() },
            open(5.0),
            Entry::Requeued { name: name(1), restart: 1, costs: costs(6.0, 2.0) },
            Entry::Joined { name: name(1), restart: 1, host: "n2".to_owned() },
            open(10.0),
            open(20.0),
            Entry::Ended { name: name(3), how: Ending::Left, costs: costs(100.0, 0.0) },
            asked(4),
            Entry::Absent { name: name(4) },
        ];
        let records: Vec<Record> = (10..).zip(entries).map(|(at, entry)| Record { at, entry }).collect();
        let account = |number, asked, host: &str, requeued, how, costs| Account {
            name: name(number),
            id: (number == 1).then(|| JobId("7".to_owned())),
            cpus: 4,
            host: host.to_owned(),
            asked,
            requeued,
            how,
            costs,
        };
        let expected = [
            account(1, 10, "n2", 1, None, costs(26.0, 3.0)),
            account(3, 14, "", 0, Some(Ending::Left), costs(100.0, 0.0)),
        ];
        assert_eq!(accounts(&records), expected);
    }
}
