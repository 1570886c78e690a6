//! Stages that are not as agreed.

use std::path::Path;

use analysis::{Error, Options, analyze};

use super::changed::change;

/// A run is not analysed once it is changed like this; the error is of the contract and `says` so.
pub(crate) fn refused(directory: &Path, sql: &str, says: &str) {
    change(directory, sql);
    let error = analyze(directory, &Options::default()).expect_err("a wrong stage");
    assert!(matches!(error, Error::Contract { .. }), "{error:?}");
    assert!(error.to_string().contains(says), "{error}");
}
