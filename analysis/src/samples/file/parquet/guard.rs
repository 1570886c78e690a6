//! Calls into a reader that panics on some damaged files.

use std::{
    cell::Cell,
    fmt::Display,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    /// Whether panics of this thread are caught and told otherwise.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Gives what `call` gives, or the reason why it failed; a panic is one, and nothing is printed of it.
pub(super) fn quietly<T, E: Display>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let found = panic::catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    match found {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(_) => Err("its content contradicts itself".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_reason() {
        assert_eq!(quietly(|| Ok::<_, String>(1)), Ok(1));
        assert_eq!(quietly(|| Err::<(), _>("cut")), Err("cut".to_owned()));
        let none: Option<u8> = std::hint::black_box(None);
        assert!(quietly(|| Ok::<_, String>(none.unwrap())).is_err());
        assert!(!QUIET.get());
    }
}
