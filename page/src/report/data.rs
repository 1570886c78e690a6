//! The tables of a report for programs, as JSON in the document.

use analysis::Table;
use serde_json::{Value, json};

use super::gathered::{Beside, Gathered};

/// What does not depend on machines: the run, its tables without what was measured, and those beside the paper and beside
/// other runs.
pub(super) fn of(gathered: &Gathered) -> Value {
    let json = |tables: &[Table]| -> Vec<Value> { tables.iter().map(Table::to_json).collect() };
    let pure: Vec<Table> = gathered.report.tables.iter().filter_map(Table::without_measured).collect();
    let beside = match &gathered.beside {
        Beside::Compared(report) => json(&report.tables),
        Beside::NoPaper | Beside::Not(_) => Vec::new(),
    };
    let summary = &gathered.summary;
    json!({
        "run": summary.id, "name": summary.name, "state": summary.state, "digest": gathered.digest.hex,
        "question": gathered.report.words.question, "findings": gathered.report.words.findings,
        "warnings": gathered.report.warnings,
        "tables": json(&pure), "compare": beside,
        "replicates": gathered.replicates.as_ref().map_or_else(Vec::new, |report| json(&report.tables)),
    })
}
