//! Texts as numbers, in the order in which they come.

use std::collections::BTreeMap;

/// The different texts of a column.
#[derive(Default)]
pub(super) struct Texts {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    /// Of the row before: rows of a group often stand together.
    last: u32,
}

impl Texts {
    /// The number of a text.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if self.names.get(self.last as usize).is_some_and(|last| last == text) {
            return self.last;
        }
        self.last = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.names.len()).expect("fewer texts than a file of 4 GB has rows");
                self.names.push(text.to_owned());
                self.numbers.insert(text.to_owned(), number);
                number
            }
        };
        self.last
    }

    /// The text of a number that [`Texts::number`] gave.
    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// Numbers and texts by value if every text is a number, else by text.
    pub(super) fn ordered(&self) -> Vec<(usize, &str)> {
        let mut ordered: Vec<(usize, &str)> = self.names.iter().map(String::as_str).enumerate().collect();
        let values: Option<Vec<f64>> = self.names.iter().map(|name| name.trim().parse().ok()).collect();
        match values {
            Some(values) => {
                let order = |one: &(usize, &str), other: &(usize, &str)| values[one.0].total_cmp(&values[other.0]);
                ordered.sort_by(|one, other| order(one, other).then_with(|| one.1.cmp(other.1)));
            }
            None => ordered.sort_by_key(|(_, name)| *name),
        }
        ordered
    }

    /// The place of each text among the ordered.
    pub(super) fn ranks(&self) -> Vec<u64> {
        let mut ranks = vec![0; self.names.len()];
        for (rank, (number, _)) in self.ordered().into_iter().enumerate() {
            ranks[number] = rank as u64;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_as_numbers() {
        let mut texts = Texts::default();
        let found: Vec<u32> = ["10", "9", "10", "-1", "9"].into_iter().map(|text| texts.number(text)).collect();
        assert_eq!(found, [0, 1, 0, 2, 1]);
        assert_eq!(texts.ordered(), [(2, "-1"), (1, "9"), (0, "10")]);
        assert_eq!(texts.ranks(), [2, 1, 0]);
        texts.number("b");
        assert_eq!(texts.ordered(), [(2, "-1"), (0, "10"), (1, "9"), (3, "b")]);
        assert_eq!(texts.name(3), "b");
    }
}
