//! Compact letter display: groups that share a letter are not different (Piepho 2004).

/// What the test of two groups says of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// They are different.
    Different,
    /// They are not: they share a letter.
    Alike,
    /// There was no test. They share no letter, but not because they are different.
    Untested,
}

/// Letters above which fewer are looked for: every pair that is alike still shares one, but not every set of groups that
/// are all alike has its own.
const LETTERS_MAX: usize = 10_000;
/// Most steps of the search.
const STEPS_MAX: usize = 200_000;

/// Letters of `count` groups by what the tests of pairs say. The first group has the letter `a`; so groups in the order
/// of their means have letters in that order. A group that was tested against no other has none, unless it is alone.
///
/// A letter is of a largest set of groups of which no two are different, and every such set has one: what insertion and
/// absorption ends in (Piepho 2004), found as the maximal cliques of the graph of pairs that are alike (Bron and
/// Kerbosch 1973, with the pivots of Tomita, Tanaka and Takahashi 2006).
pub fn letters(count: usize, of: impl Fn(usize, usize) -> Pair) -> Vec<String> {
    let mut alike = vec![Set::new(count); count];
    let mut tested = vec![count == 1; count];
    for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
        let pair = of(i, j);
        if pair == Pair::Alike {
            alike[i].insert(j);
            alike[j].insert(i);
        }
        if pair != Pair::Untested {
            (tested[i], tested[j]) = (true, true);
        }
    }
    let mut search = Search { alike: &alike, found: Vec::new(), steps: 0 };
    let complete = search.extend(&mut Set::new(count), Set::full(count), Set::new(count));
    let mut columns = if complete { search.found } else { cover(&alike) };
    // A set of one that was never tested says nothing.
    columns.retain(|column| column.iter().any(|group| tested[group]));
    // The first groups first: sets compare by their smallest member that the other lacks.
    columns.sort_by(|one, other| other.compare(one));
    let mut letters = vec![String::new(); count];
    for (place, column) in columns.iter().enumerate() {
        column.iter().for_each(|group| letters[group].push_str(&letter(place)));
    }
    letters
}

/// a to z, then with a number behind.
fn letter(place: usize) -> String {
    let letter = char::from(b'a' + (place % 26) as u8);
    if place < 26 { letter.to_string() } else { format!("{letter}{}", place / 26) }
}

/// The search for the largest sets.
struct Search<'a> {
    alike: &'a [Set],
    found: Vec<Set>,
    steps: usize,
}

impl Search<'_> {
    /// All largest sets that hold `chosen`, more of `open` and none of `closed`; `false` if there are too many.
    fn extend(&mut self, chosen: &mut Set, mut open: Set, mut closed: Set) -> bool {
        self.steps += 1;
        if self.found.len() >= LETTERS_MAX || self.steps >= STEPS_MAX {
            return false;
        }
        // The pivot's neighbours are found through it or through one that is not its neighbour.
        let among = |group: &usize| self.alike[*group].common(&open);
        let Some(pivot) = open.iter().chain(closed.iter()).max_by_key(among) else {
            self.found.push(chosen.clone());
            return true;
        };
        if open.is_empty() {
            return true;
        }
        for group in open.without(&self.alike[pivot]).iter().collect::<Vec<_>>() {
            let near = &self.alike[group];
            let (then_open, then_closed) = (open.and(near), closed.and(near));
            chosen.insert(group);
            if !self.extend(chosen, then_open, then_closed) {
                return false;
            }
            chosen.remove(group);
            open.remove(group);
            closed.insert(group);
        }
        true
    }
}

/// Largest sets until every pair that is alike is in one, each grown from the first pair that is in none by the first
/// groups that fit.
fn cover(alike: &[Set]) -> Vec<Set> {
    let count = alike.len();
    let mut missing = alike.to_vec();
    let mut found = Vec::new();
    for i in 0..count {
        while missing[i].iter().next().is_some() || (alike[i].is_empty() && !found.iter().any(|set: &Set| set.has(i))) {
            let mut set = Set::new(count);
            set.insert(i);
            let mut fits = alike[i].clone();
            // Groups whose pair with the first one is in no set yet come first.
            while let Some(next) = missing[i].and(&fits).iter().next().or_else(|| fits.iter().next()) {
                set.insert(next);
                fits = fits.and(&alike[next]);
            }
            let members: Vec<usize> = set.iter().collect();
            for &member in &members {
                missing[member] = missing[member].without(&set);
            }
            found.push(set);
        }
    }
    found
}

/// A set of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Self {
        Set(vec![0; count.div_ceil(64)])
    }

    fn full(count: usize) -> Self {
        let mut set = Set::new(count);
        (0..count).for_each(|group| set.insert(group));
        set
    }

    fn insert(&mut self, group: usize) {
        self.0[group / 64] |= 1 << (group % 64);
    }

    fn remove(&mut self, group: usize) {
        self.0[group / 64] &= !(1 << (group % 64));
    }

    fn has(&self, group: usize) -> bool {
        self.0[group / 64] >> (group % 64) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn and(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    fn without(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(one, other)| one & !other).collect())
    }

    fn common(&self, other: &Set) -> u32 {
        self.0.iter().zip(&other.0).map(|(one, other)| (one & other).count_ones()).sum()
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            std::iter::successors((*word != 0).then_some(*word), |word| {
                Some(word & (word - 1)).filter(|rest| *rest != 0)
            })
            .map(move |word| place * 64 + word.trailing_zeros() as usize)
        })
    }

    /// The larger one has the first group that only one of them has.
    fn compare(&self, other: &Set) -> std::cmp::Ordering {
        let differ = self.0.iter().zip(&other.0).find(|(one, other)| one != other);
        differ.map_or(std::cmp::Ordering::Equal, |(one, other)| one.reverse_bits().cmp(&other.reverse_bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Insertion and absorption as Piepho (2004) describes it: slow and plain.
    fn inserted_and_absorbed(count: usize, different: impl Fn(usize, usize) -> bool) -> Vec<String> {
        let mut columns: Vec<Vec<bool>> = vec![vec![true; count]];
        for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).filter(|(i, j)| different(*i, *j)) {
            let (split, mut kept): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| column[i] && column[j]);
            for column in split {
                for without in [j, i] {
                    let mut part = column.clone();
                    part[without] = false;
                    kept.push(part);
                }
            }
            columns = Vec::new();
            let is_part = |part: &[bool], whole: &[bool]| part.iter().zip(whole).all(|(part, whole)| *whole || !part);
            for column in kept {
                if !columns.iter().any(|other| is_part(&column, other)) {
                    columns.retain(|other| !is_part(other, &column));
                    columns.push(column);
                }
            }
        }
        columns.sort_by(|one, other| other.cmp(one));
        let held = |group: usize| columns.iter().enumerate().filter(move |(_, column)| column[group]);
        (0..count).map(|group| held(group).map(|(place, _)| letter(place)).collect()).collect()
    }

    fn of_different(count: usize, different: impl Fn(usize, usize) -> bool) -> Vec<String> {
        letters(count, |i, j| if different(i, j) { Pair::Different } else { Pair::Alike })
    }

    /// A generator of bits that is enough for graphs (Marsaglia's xorshift).
    fn bits(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed * 2 + 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    #[test]
    fn by_hand() {
        let of = |count, pairs: &'static [(usize, usize)]| of_different(count, move |i, j| pairs.contains(&(i, j)));
        assert_eq!(of(3, &[]), ["a", "a", "a"]);
        assert_eq!(of(3, &[(0, 1), (0, 2), (1, 2)]), ["a", "b", "c"]);
        assert_eq!(of(3, &[(0, 2)]), ["a", "ab", "b"]);
        // A chain in which only the far ones differ.
        assert_eq!(of(4, &[(0, 2), (0, 3), (1, 3)]), ["a", "ab", "bc", "c"]);
        assert_eq!(of(1, &[]), ["a"]);
        assert_eq!(of(0, &[]), Vec::<String>::new());
    }

    /// All graphs of five groups, and 2,000 of up to fourteen.
    #[test]
    fn letters_are_those_of_insertion_and_absorption() {
        let check = |count: usize, pattern: &[bool]| {
            let place = |i: usize, j: usize| i * count + j;
            let different = |i: usize, j: usize| pattern[place(i.min(j), i.max(j))];
            assert_eq!(of_different(count, different), inserted_and_absorbed(count, different), "{count}: {pattern:?}");
        };
        let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
        for graph in 0..1u32 << 10 {
            let mut pattern = vec![false; 25];
            pairs.iter().enumerate().for_each(|(bit, (i, j))| pattern[i * 5 + j] = graph >> bit & 1 == 1);
            check(5, &pattern);
        }
        for seed in 0..2_000 {
            let mut next = bits(seed);
            let (count, density) = (2 + (seed % 13) as usize, next() % 100);
            let pattern: Vec<bool> = (0..count * count).map(|_| next() % 100 < density).collect();
            check(count, &pattern);
        }
    }

    #[test]
    fn pairs_without_a_test_share_no_letter() {
        use Pair::{Alike, Different, Untested};
        assert_eq!(letters(2, |_, _| Untested), ["", ""]);
        // The second was tested against the third alone.
        let of = |i, j| match (i, j) {
            (0, 1) => Untested,
            (0, 2) => Different,
            _ => Alike,
        };
        assert_eq!(letters(3, of), ["a", "b", "b"]);
        assert_eq!(letters(3, |i, _| if i == 0 { Untested } else { Alike }), ["", "a", "a"]);
    }

    /// 400 groups of a line, of which those differ that are more than twelve apart; all the sets are known.
    #[test]
    fn many_groups_on_a_line() {
        let found = of_different(400, |i, j| i.abs_diff(j) > 12);
        assert_eq!(found[0], "a");
        assert_eq!(found[12], ('a'..='m').collect::<String>());
        assert_eq!(found[399], letter(387));
    }

    /// Where largest sets are beyond counting (3^33 of them), pairs still share a letter just if they are alike.
    #[test]
    fn too_many_sets_are_covered() {
        let different = |i: usize, j: usize| i / 3 == j / 3;
        let found = of_different(100, different);
        let split = |text: &str| {
            let mut letters: Vec<String> = Vec::new();
            for c in text.chars() {
                match letters.last_mut() {
                    Some(last) if c.is_ascii_digit() => last.push(c),
                    _ => letters.push(c.to_string()),
                }
            }
            letters
        };
        let found: Vec<Vec<String>> = found.iter().map(|text| split(text)).collect();
        for (i, j) in (0..100).flat_map(|i| (i + 1..100).map(move |j| (i, j))) {
            let shared = found[i].iter().any(|letter| found[j].contains(letter));
            assert_eq!(shared, !different(i, j), "{i} {j}");
        }
        assert!(found[0].len() < 200, "{}", found[0].len());
    }
}
