//! What the tests share: run directories written without the coordinator, and what is read of reports.

pub(crate) mod changed;
pub(crate) mod database;
pub(crate) mod drawn;
pub(crate) mod evolved;
pub(crate) mod refused;
pub(crate) mod run;
pub(crate) mod shown;
pub(crate) mod simulated;
pub(crate) mod stored;
pub(crate) mod studied;
pub(crate) mod tuned;
