//! `redqueen launch costs`: what the jobs of a launch have cost, and for what.

use std::process::ExitCode;

use analysis::{Cell, Digits, Report, Table};
use launch::{accounts::Account, core::Costs, directory::Directory};

use super::{DirectoryArgs, files};
use crate::{error::CliError, output::Output};

/// Jobs that are listed one by one for people; files have all.
const SHOWN_MAX: usize = 40;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    launch: DirectoryArgs,
    /// Write the tables in every format to launch/tables of the directory.
    #[arg(long)]
    write: bool,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = self.launch.open()?;
        let report = report(&directory)?;
        if self.write {
            write(&directory, &report)?;
        }
        output.result(|| shown(&report).to_markdown(), || report.to_json());
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the tables beside what else the launch keeps.
pub(super) fn write(directory: &Directory, report: &Report) -> Result<(), CliError> {
    report.write(directory.tables(), &analysis::Format::ALL)?;
    Ok(())
}

/// The costs by cause and by job.
pub(super) fn report(directory: &Directory) -> Result<Report, CliError> {
    let accounts = directory.accounts().map_err(|error| files(&error))?;
    let mut all = Costs::default();
    accounts.iter().for_each(|account| all.add(&account.costs));
    Ok(Report { tables: vec![by_cause(directory, &all), by_job(&accounts)], ..Report::default() }.checked())
}

/// What is shown on a terminal: jobs one by one only if they are few.
pub(super) fn shown(report: &Report) -> Report {
    let mut shown = report.clone();
    let jobs = shown.tables.last().map_or(0, |table| table.rows.len());
    if jobs > SHOWN_MAX {
        shown.tables.pop();
        shown
            .left_out
            .push(format!("{jobs} jobs are not listed; `--write` makes files of all tables, `--json` has them too"));
    }
    shown
}

fn by_cause(directory: &Directory, all: &Costs) -> Table {
    let heads = [("cause", "core-hours for"), ("core_hours", "core-hours"), ("share", "share")];
    let mut table = Table::new("launch-costs", "What jobs were allocated, and for what", &heads);
    let allocated = all.allocated();
    for (cause, secs) in all.by_cause().into_iter().chain([("allocated", allocated)]) {
        let share = if allocated > 0.0 { Cell::Real(secs / allocated, 3.into()) } else { Cell::Missing };
        table.rows.push(vec![Cell::Text(cause.to_owned()), hours(secs), share]);
    }
    let forecasts = directory.forecasts();
    if !forecasts.is_empty() {
        let secs: f64 = forecasts.values().map(|forecast| forecast.core_secs).sum();
        table.rows.push(vec![Cell::Text("forecast".to_owned()), hours(secs), Cell::Missing]);
    }
    for forecast in forecasts.values() {
        table.notes.push(format!(
            "forecast: {:.3} core-hours of trials of {}, from {} trials on {} before the start; compare it with `useful`",
            forecast.core_secs / HOUR,
            forecast.name,
            forecast.sampled,
            forecast.host
        ));
    }
    table
}

fn by_job(accounts: &[Account]) -> Table {
    let heads = [
        ("job", "job"),
        ("id", "id"),
        ("host", "machine"),
        ("cpus", "cores"),
        ("requeued", "put back"),
        ("ended", "ended"),
        ("core_hours", "core-hours"),
        ("useful", "useful"),
        ("start", "start"),
        ("waiting", "waiting"),
        ("lost", "lost"),
        ("away", "away"),
        ("unseen", "unseen"),
    ];
    let mut table = Table::new("launch-jobs", "What each job was allocated, in core-hours, and for what", &heads);
    for account in accounts {
        let mut row = vec![
            Cell::Text(account.name.clone()),
            account.id.as_ref().map_or(Cell::Missing, |id| Cell::Text(id.0.clone())),
            if account.host.is_empty() { Cell::Missing } else { Cell::Text(account.host.clone()) },
            Cell::Count(account.cpus.into()),
            Cell::Count(account.requeued.into()),
            account.how.map_or(Cell::Missing, |how| Cell::Text(how.to_string())),
            hours(account.costs.allocated()),
        ];
        row.extend(account.costs.by_cause().map(|(_, secs)| hours(secs)));
        table.rows.push(row);
    }
    table
}

/// Core-seconds as hours.
fn hours(secs: f64) -> Cell {
    Cell::Real(secs / HOUR, Digits::measured(3))
}
