//! The known name that a misspelt one is most like.

/// Most names that a hint lists.
const LISTED_MAX: usize = 30;

/// The known name closest to `name`, if it is close enough to be a slip: at most a third of the letters differ, as in
/// cargo and rustc (Damerau-Levenshtein distance, at least 1, upper case as lower).
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = name.to_lowercase();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&name, &candidate.to_lowercase());
    let (distance, best) = known.into_iter().map(|known| (distance(known), known)).min_by_key(|(d, _)| *d)?;
    (distance <= name.chars().count().max(3) / 3).then_some(best)
}

/// What to write instead of the unknown `name`: the nearest of `known`, or else all of them; `None` if none or too many
/// are known.
pub fn hint<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(nearest) = nearest(name, known.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    match known.as_slice() {
        [] => None,
        [only] => Some(format!("there is only `{only}`")),
        few if few.len() <= LISTED_MAX => Some(format!("one of `{}`", few.join("`, `"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_differ() {
        let near = |name, known: &'static str| nearest(name, [known]).is_some();
        // Distances counted by hand: a letter more, less or other, or two neighbours that changed places, are 1 each.
        assert!(near("sede", "seed") && near("SEED", "seed") && near("sed", "seed") && near("cc", "c"));
        assert!(!near("sd", "seed") && !near("seda", "sead7"), "two of two and two of four letters");
        assert!(near("opening-ply", "opening-plies"), "three of eleven");
        assert!(!near("pof", "fop"), "two of three");
        assert_eq!(nearest("mtcs", ["minimax", "mcts", "evomcts"]), Some("mcts"));
        assert_eq!(nearest("a", []), None);
    }

    #[test]
    fn a_hint_names_one_or_lists_them() {
        assert_eq!(hint("runn", ["run", "test"]).as_deref(), Some("did you mean `run`?"));
        assert_eq!(hint("swiss", ["listed", "gauntlet"]).as_deref(), Some("one of `listed`, `gauntlet`"));
        assert_eq!(hint("swiss", ["listed"]).as_deref(), Some("there is only `listed`"));
        assert_eq!(hint("swiss", []), None);
        assert_eq!(hint("swiss", ["a-name"; LISTED_MAX + 1]), None);
    }
}
