//! The time of day, for the stamp of a page.

use std::time::{SystemTime, UNIX_EPOCH};

use maud::{Markup, html};

/// The present time.
pub(crate) fn now() -> Markup {
    let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let of_day = secs % 86_400;
    html! { (format!("{:02}:{:02}:{:02} UTC", of_day / 3_600, of_day / 60 % 60, of_day % 60)) }
}
