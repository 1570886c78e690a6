//! Compact letter display: groups that share a letter are not different (Piepho 2004).

/// Letters of `count` groups by which pairs of them are different: insert and absorb. The first group has the letter
/// `a`; so groups in the order of their means have letters in that order.
pub fn letters(count: usize, different: impl Fn(usize, usize) -> bool) -> Vec<String> {
    // A column is the set of groups that have its letter.
    let mut columns: Vec<Vec<bool>> = vec![vec![true; count]];
    for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
        if !different(i, j) {
            continue;
        }
        let (split, mut kept): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| column[i] && column[j]);
        for column in split {
            for without in [j, i] {
                let mut part = column.clone();
                part[without] = false;
                kept.push(part);
            }
        }
        columns = absorbed(kept);
    }
    columns.sort_by(|one, other| other.cmp(one));
    let of = |group: usize| {
        let held = columns.iter().enumerate().filter(|(_, column)| column[group]);
        held.map(|(place, _)| letter(place)).collect::<String>()
    };
    (0..count).map(of).collect()
}

/// Without columns that are part of another.
fn absorbed(columns: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let mut kept: Vec<Vec<bool>> = Vec::new();
    let is_part = |part: &[bool], whole: &[bool]| part.iter().zip(whole).all(|(part, whole)| *whole || !part);
    for column in columns {
        if !kept.iter().any(|other| is_part(&column, other)) {
            kept.retain(|other| !is_part(other, &column));
            kept.push(column);
        }
    }
    kept
}

/// a to z, then with a number behind.
fn letter(place: usize) -> String {
    let letter = char::from(b'a' + (place % 26) as u8);
    if place < 26 { letter.to_string() } else { format!("{letter}{}", place / 26) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let of = |count, pairs: &'static [(usize, usize)]| letters(count, move |i, j| pairs.contains(&(i, j)));
        assert_eq!(of(3, &[]), ["a", "a", "a"]);
        assert_eq!(of(3, &[(0, 1), (0, 2), (1, 2)]), ["a", "b", "c"]);
        assert_eq!(of(3, &[(0, 2)]), ["a", "ab", "b"]);
        // A chain in which only the far ones differ.
        assert_eq!(of(4, &[(0, 2), (0, 3), (1, 3)]), ["a", "ab", "bc", "c"]);
        assert_eq!(of(1, &[]), ["a"]);
        assert_eq!(of(0, &[]), Vec::<String>::new());
    }

    /// Two groups share a letter just if they are not different, whatever differs from what.
    #[test]
    fn letters_say_what_differs_and_nothing_else() {
        for pattern in 0..1u32 << 10 {
            let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
            let differ = |i: usize, j: usize| {
                let place = pairs.iter().position(|pair| *pair == (i.min(j), i.max(j))).expect("a pair");
                pattern >> place & 1 == 1
            };
            let found = letters(5, differ);
            for &(i, j) in &pairs {
                let shared = found[i].chars().any(|letter| found[j].contains(letter));
                assert_eq!(shared, !differ(i, j), "{pattern}: {found:?}");
            }
        }
    }
}
