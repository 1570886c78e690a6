//! Size, mean and spread of groups, without their values.

use std::collections::BTreeMap;

use super::{Rows, Sink};
use crate::statistics::moments::Moments;

/// Sums of every cell. Their size is that of the largest numbers of families and groups so far.
#[derive(Default)]
pub(super) struct Sums {
    /// Columns of the square of cells.
    groups: usize,
    cells: Vec<Sum>,
}

/// Sums about a centre that is near the mean, so that nothing cancels: at first any value, then the mean so far.
#[derive(Clone, Copy, Default)]
struct Sum {
    centre: f64,
    first: f64,
    second: f64,
    n: u64,
}

impl Sum {
    fn moments(&self) -> Moments {
        Moments::of_parts(self.n, self.mean(), self.squares())
    }

    /// Sums of at least one value.
    fn mean(&self) -> f64 {
        self.centre + self.first / self.n as f64
    }

    fn squares(&self) -> f64 {
        let squares = self.second - self.first * self.first / self.n as f64;
        // Not `max`, which would hide a NaN.
        if squares < 0.0 { 0.0 } else { squares }
    }

    /// Moves the centre to the mean.
    fn centred(&self) -> Self {
        if self.n == 0 {
            return *self;
        }
        // What the rounding of the mean has left of the sum.
        let first = self.first - self.n as f64 * (self.mean() - self.centre);
        Sum { centre: self.mean(), first, second: self.squares(), n: self.n }
    }
}

impl Sums {
    fn resize(&mut self, by: usize, groups: usize) {
        if groups > self.groups {
            let mut cells = vec![Sum::default(); self.cells.len() / self.groups.max(1) * groups];
            if self.groups > 0 {
                for (to, from) in cells.chunks_mut(groups).zip(self.cells.chunks(self.groups)) {
                    to[..self.groups].copy_from_slice(from);
                }
            }
            (self.groups, self.cells) = (groups, cells);
        }
        self.cells.resize(self.cells.len().max(by * self.groups), Sum::default());
    }

    /// Sums of every cell that has values, by family and group.
    pub(super) fn moments(&self) -> BTreeMap<(usize, usize), Moments> {
        let filled = self.cells.iter().enumerate().filter(|(_, sum)| sum.n > 0);
        filled.map(|(place, sum)| ((place / self.groups, place % self.groups), sum.moments())).collect()
    }
}

impl Sink for Sums {
    fn take(&mut self, rows: &Rows<'_>) {
        // Folded, which is done in wide registers as `max` is not.
        let most = |places: &[u32]| places.iter().fold(0, |most, place| most.max(*place)) as usize + 1;
        self.resize(most(rows.by), most(rows.groups));
        let cells = &mut self.cells[..];
        let mut add = |place: usize, value: f64| {
            let sum = &mut cells[place];
            if sum.n == 0 {
                sum.centre = value;
            }
            let deviation = value - sum.centre;
            sum.first += deviation;
            sum.second += deviation * deviation;
            sum.n += 1;
        };
        if rows.by.is_empty() {
            rows.values.iter().zip(rows.groups).for_each(|(value, group)| add(*group as usize, *value));
        } else {
            let places =
                rows.by.iter().zip(rows.groups).map(|(by, group)| *by as usize * self.groups + *group as usize);
            rows.values.iter().zip(places).for_each(|(value, place)| add(place, *value));
        }
        self.cells.iter_mut().for_each(|sum| *sum = sum.centred());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(sums: &mut Sums, rows: &[(u32, u32, f64)]) {
        let column = |of: fn(&(u32, u32, f64)) -> u32| rows.iter().map(of).collect::<Vec<_>>();
        let values: Vec<f64> = rows.iter().map(|row| row.2).collect();
        sums.take(&Rows { values: &values, groups: &column(|row| row.1), by: &column(|row| row.0), blocks: &[] });
    }

    /// Batches of any size give what the two passes over all values give, also of values far from 0 whose first is far
    /// off.
    #[test]
    fn sums_are_those_of_the_whole_sample() {
        for offset in [0.0, 1e9] {
            let row = |i: u32| (i % 3, i % 5, offset + f64::from(i * i % 97) + if i < 15 { 1e4 } else { 0.0 });
            let rows: Vec<_> = (0..3_000).map(row).collect();
            for size in [7, 100, 3_000] {
                let mut sums = Sums::default();
                rows.chunks(size).for_each(|rows| take(&mut sums, rows));
                let found = sums.moments();
                assert_eq!(found.len(), 15);
                for (&(by, group), found) in &found {
                    let of_cell = |row: &&(u32, u32, f64)| (row.0 as usize, row.1 as usize) == (by, group);
                    let values: Vec<f64> = rows.iter().filter(of_cell).map(|row| row.2).collect();
                    let wanted = Moments::of(&values);
                    assert_eq!(found.n, wanted.n);
                    let [mean, wanted_mean] = [found, &wanted].map(|of| of.mean().expect("values"));
                    let [variance, wanted_variance] = [found, &wanted].map(|of| of.variance().expect("values"));
                    let scale = wanted_mean.abs() + wanted_variance.sqrt();
                    assert!((mean - wanted_mean).abs() <= 2e-15 * scale, "{found:?} {wanted:?}");
                    assert!((variance - wanted_variance).abs() <= 1e-12 * wanted_variance, "{found:?} {wanted:?}");
                }
            }
        }
    }

    #[test]
    fn cells_without_values_are_none() {
        let mut sums = Sums::default();
        take(&mut sums, &[(0, 0, 2.0), (0, 0, 4.0)]);
        take(&mut sums, &[(1, 3, 5.0)]);
        let found = sums.moments();
        assert_eq!(found.keys().collect::<Vec<_>>(), [&(0, 0), &(1, 3)]);
        assert_eq!((found[&(0, 0)].mean(), found[&(0, 0)].deviation()), (Some(3.0), Some(2f64.sqrt())));
    }
}
