//! How a number went in the last hour, as a line without axes; what it says is said in words beside it.

use coordinator::{
    Observer,
    observe::{Point, Series},
};
use maud::{Markup, html};

/// Length of the line in time, in seconds.
const HOUR: f64 = 3_600.0;
/// Size of the drawing, in its own units.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 32.0;

/// The course of a number, under its name; nothing before two points are known. `text` says a value.
pub(crate) fn course(observer: &Observer, of: Series, name: &str, text: impl Fn(f64) -> String) -> Markup {
    let points = observer.history(of).fine;
    let (Some(last), Some(most)) = (points.last(), points.iter().map(|point| point.value).reduce(f64::max)) else {
        return html! {};
    };
    html! {
        @if points.len() > 1 {
            p.course {
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) aria-hidden="true" {
                    polyline points=(line(&points, most)) {}
                }
                span { (name) " in the last hour: now " (text(last.value)) ", at most " (text(most)) }
            }
        }
    }
}

/// The points as a line from the left (an hour ago) to the right (now), from 0 to the highest.
fn line(points: &[Point], most: f64) -> String {
    let place = |point: &Point| {
        let x = WIDTH * (1.0 - (point.ago.as_secs_f64() / HOUR).min(1.0));
        let y = if most > 0.0 { (HEIGHT - 2.0) * (1.0 - point.value / most) + 1.0 } else { HEIGHT - 1.0 };
        format!("{x:.1},{y:.1}")
    };
    points.iter().map(place).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_highest_is_at_the_top_and_now_at_the_right() {
        let point = |ago, value| Point { ago: Duration::from_secs(ago), value };
        assert_eq!(line(&[point(3_600, 0.0), point(1_800, 4.0), point(0, 2.0)], 4.0), "0.0,31.0 120.0,1.0 240.0,16.0");
        assert_eq!(line(&[point(7_200, 0.0), point(0, 0.0)], 0.0), "0.0,31.0 240.0,31.0");
    }
}
