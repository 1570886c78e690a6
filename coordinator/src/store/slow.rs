//! Noticing a disk that is slow to make commits durable.

use std::time::Duration;

/// Commits that are looked at together.
const WINDOW: usize = 32;
/// A median above this is slow: nothing is acknowledged meanwhile.
const SLOW: Duration = Duration::from_millis(50);

/// How long the last commits took, until it is said that they are slow.
#[derive(Debug, Default)]
pub(super) struct Slow {
    took: Vec<Duration>,
    said: bool,
}

impl Slow {
    /// Notes how long a commit took; returns the median if commits are slow and that is to be said, which is once.
    pub(super) fn note(&mut self, took: Duration) -> Option<Duration> {
        if self.said {
            return None;
        }
        self.took.push(took);
        if self.took.len() < WINDOW {
            return None;
        }
        self.took.sort_unstable();
        let median = self.took[WINDOW / 2];
        self.took.clear();
        self.said = median > SLOW;
        self.said.then_some(median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_commits_are_said_once() {
        const MS: fn(u64) -> Duration = Duration::from_millis;
        let said = |slow: &mut Slow, ms: &[u64]| ms.iter().filter_map(|&ms| slow.note(MS(ms))).collect::<Vec<_>>();
        let mut slow = Slow::default();
        // A few that take long, as after a pause of the disk.
        assert_eq!(said(&mut slow, &[[5; 17].as_slice(), &[900; 15]].concat()), []);
        assert_eq!(said(&mut slow, &[50; 32]), []);
        assert_eq!(said(&mut slow, &[60; 31]), []);
        assert_eq!(said(&mut slow, &[70]), [MS(60)]);
        assert_eq!(said(&mut slow, &[80; 100]), []);
    }
}
