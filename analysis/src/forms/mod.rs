//! The forms in which a run is shown: tables and figures, whatever stands in them.

pub(crate) mod figure;
pub(crate) mod table;
