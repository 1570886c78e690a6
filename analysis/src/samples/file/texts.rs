//! Texts as numbers, in the order in which they come.

use std::collections::BTreeMap;

use super::Decimal;

/// The different texts of a column.
pub(super) struct Texts {
    /// How numbers among them are written.
    decimal: Decimal,
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    /// The text of the row before: rows of a group often stand together.
    last: u32,
}

impl Texts {
    /// None yet.
    pub(super) fn new(decimal: Decimal) -> Self {
        Texts { decimal, names: Vec::new(), numbers: BTreeMap::new(), last: 0 }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

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

    /// Numbers and texts of those that are `wanted`, by value if each of them is a number, else by text.
    pub(super) fn ordered(&self, wanted: impl Fn(usize) -> bool) -> Vec<(usize, &str)> {
        let names = self.names.iter().map(String::as_str).enumerate();
        let mut ordered: Vec<(usize, &str)> = names.filter(|(number, _)| wanted(*number)).collect();
        let number = |(_, name): &(usize, &str)| match self.decimal {
            Decimal::Point => name.trim().parse::<f64>().ok(),
            // Names in Parquet may be numbers, too, which have points.
            Decimal::Comma => name.trim().replace(',', ".").parse().ok(),
        };
        let values: Option<Vec<f64>> = ordered.iter().map(number).collect();
        match values {
            Some(values) => {
                let mut sorted: Vec<(f64, (usize, &str))> = values.into_iter().zip(ordered).collect();
                sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.1.cmp(other.1.1)));
                ordered = sorted.into_iter().map(|(_, name)| name).collect();
            }
            None => ordered.sort_by_key(|(_, name)| *name),
        }
        ordered
    }

    /// The place of each text among the ordered.
    pub(super) fn ranks(&self) -> Vec<u64> {
        let mut ranks = vec![0; self.names.len()];
        for (rank, (number, _)) in self.ordered(|_| true).into_iter().enumerate() {
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
        let mut texts = Texts::new(Decimal::Point);
        let found: Vec<u32> = ["10", "9", "10", "-1", "9"].into_iter().map(|text| texts.number(text)).collect();
        assert_eq!(found, [0, 1, 0, 2, 1]);
        assert_eq!(texts.ordered(|_| true), [(2, "-1"), (1, "9"), (0, "10")]);
        assert_eq!(texts.ranks(), [2, 1, 0]);
        texts.number("b");
        assert_eq!(texts.ordered(|_| true), [(2, "-1"), (0, "10"), (1, "9"), (3, "b")]);
        assert_eq!(texts.name(3), "b");
        // What no row has decides nothing.
        assert_eq!(texts.ordered(|number| number < 3), [(2, "-1"), (1, "9"), (0, "10")]);
    }

    #[test]
    fn numbers_with_a_comma_are_numbers_where_that_is_the_mark() {
        for (decimal, wanted) in
            [(Decimal::Point, ["0,5", "1,25", "10,5", "9,5"]), (Decimal::Comma, ["0,5", "1,25", "9,5", "10,5"])]
        {
            let mut texts = Texts::new(decimal);
            ["10,5", "9,5", "0,5", "1,25"].into_iter().for_each(|text| _ = texts.number(text));
            assert_eq!(texts.ordered(|_| true).into_iter().map(|(_, name)| name).collect::<Vec<_>>(), wanted);
        }
    }
}
