//! Where an evolved individual comes from: its ancestors, generation by generation.

use std::collections::BTreeSet;

use crate::population::Population;

/// A generation as a run has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Its members.
    pub population: Population,
    /// Points of its games; `None` while they are played.
    pub fitness: Option<Vec<f64>>,
    /// Games of each member that `fitness` counts.
    pub games: u32,
}

/// An individual among the ancestors.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    /// From 0.
    pub generation: u32,
    /// Index in its population.
    pub individual: u32,
    /// What made it, joined by `, `.
    pub made: String,
    /// Indices in the generation before: whom it was copied from, whom it was crossed with.
    pub parents: Vec<u32>,
    /// Its points, where its generation is closed.
    pub fitness: Option<f64>,
    /// Its function.
    pub tree: String,
}

/// The generations of a run, from 0 on without a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evolution(Vec<Generation>);

impl Evolution {
    /// The lineage of generations in order; those behind a gap are left out.
    pub fn new(generations: impl IntoIterator<Item = Generation>) -> Self {
        let gapless = (0..).zip(generations).take_while(|(index, g)| *index == g.population.generation);
        Evolution(gapless.map(|(_, generation)| generation).collect())
    }

    /// All of them.
    pub fn generations(&self) -> &[Generation] {
        &self.0
    }

    /// The champion of a generation: best fitness, ties first. Without a number that of the last closed one.
    pub fn champion(&self, generation: Option<u32>) -> Option<Ancestor> {
        let closed = match generation {
            Some(generation) => self.0.get(generation as usize)?,
            None => self.0.iter().rev().find(|generation| generation.fitness.is_some())?,
        };
        let fitness = closed.fitness.as_ref()?;
        let best = (0..fitness.len()).reduce(|best, i| if fitness[i] > fitness[best] { i } else { best })?;
        self.ancestor(closed.population.generation, best as u32)
    }

    /// An individual.
    pub fn ancestor(&self, generation: u32, individual: u32) -> Option<Ancestor> {
        let of = self.0.get(generation as usize)?;
        let found = of.population.individuals.get(individual as usize)?;
        Some(Ancestor {
            generation,
            individual,
            made: found.made.join(", "),
            parents: found.parents.clone(),
            fitness: of.fitness.as_ref().and_then(|fitness| fitness.get(individual as usize).copied()),
            tree: found.tree.clone(),
        })
    }

    /// The line of an individual: itself, whom it was copied from, and so on back to the first population.
    pub fn line(&self, generation: u32, individual: u32) -> Vec<Ancestor> {
        let mut line = Vec::new();
        let mut next = self.ancestor(generation, individual);
        while let Some(ancestor) = next {
            next = match (ancestor.generation.checked_sub(1), ancestor.parents.first()) {
                (Some(before), Some(&parent)) => self.ancestor(before, parent),
                _ => None,
            };
            line.push(ancestor);
        }
        line
    }

    /// Every ancestor within `back` generations, itself first, then generation by generation.
    pub fn ancestors(&self, generation: u32, individual: u32, back: u32) -> Vec<Ancestor> {
        let mut all = Vec::new();
        let mut level = BTreeSet::from([individual]);
        for steps in 0..=back.min(generation) {
            let of = generation - steps;
            let found: Vec<Ancestor> = level.iter().filter_map(|&index| self.ancestor(of, index)).collect();
            level = found.iter().flat_map(|ancestor| ancestor.parents.iter().copied()).collect();
            all.extend(found);
        }
        all
    }

    /// The ancestors within `back` generations as a drawing for Graphviz: a row a generation, whom an individual was
    /// copied from by a thick arrow, whom it was crossed with by a thin one.
    pub fn dot(&self, generation: u32, individual: u32, back: u32) -> String {
        let ancestors = self.ancestors(generation, individual, back);
        let mut text = String::from(
            "// Ancestors, newest at the top. Draw with: dot -Tsvg FILE\ndigraph lineage {\n  rankdir=BT;\n  \
             node [shape=box, style=filled, fontname=\"Helvetica\", fontsize=10];\n  edge [color=\"#555555\"];\n",
        );
        let name = |generation: u32, individual: u32| format!("g{generation}_{individual}");
        for ancestor in &ancestors {
            let points = ancestor.fitness.map_or_else(String::new, |points| format!("\\n{points} points"));
            // Darker is fitter, within its generation.
            let shade =
                self.shade(ancestor).map_or_else(|| "#ffffff".to_owned(), |shade| format!("0.58 {shade:.2} 1.0"));
            text.push_str(&format!(
                "  {} [label=\"generation {}, {}\\n{}{points}\", fillcolor=\"{shade}\"];\n",
                name(ancestor.generation, ancestor.individual),
                ancestor.generation,
                ancestor.individual,
                ancestor.made,
            ));
        }
        let known: BTreeSet<(u32, u32)> = ancestors.iter().map(|a| (a.generation, a.individual)).collect();
        for ancestor in &ancestors {
            let Some(before) = ancestor.generation.checked_sub(1) else { continue };
            for (place, &parent) in ancestor.parents.iter().enumerate().filter(|(_, p)| known.contains(&(before, **p)))
            {
                let style = if place == 0 { "penwidth=2" } else { "style=dashed" };
                let (from, to) = (name(before, parent), name(ancestor.generation, ancestor.individual));
                text.push_str(&format!("  {from} -> {to} [{style}];\n"));
            }
        }
        let mut generations: Vec<u32> = ancestors.iter().map(|ancestor| ancestor.generation).collect();
        generations.dedup();
        for generation in generations {
            let row = ancestors.iter().filter(|a| a.generation == generation);
            let names: Vec<String> = row.map(|a| name(generation, a.individual)).collect();
            text.push_str(&format!("  {{ rank=same; {} }}\n", names.join("; ")));
        }
        text + "}\n"
    }

    /// Share of its generation that an individual is at least as fit as.
    fn shade(&self, ancestor: &Ancestor) -> Option<f64> {
        let fitness = self.0.get(ancestor.generation as usize)?.fitness.as_ref()?;
        let own = ancestor.fitness?;
        Some(0.6 * fitness.iter().filter(|&&points| points <= own).count() as f64 / fitness.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::Individual;

    /// Three generations of three: 1/0 from 0/2 and 0/1, 2/1 from 1/0 alone.
    fn evolution() -> Evolution {
        let individual = |parents: &[u32], how: &str| Individual {
            tree: "Zero".to_owned(),
            parents: parents.to_vec(),
            made: vec![how.to_owned()],
        };
        let game = "reversi".parse().expect("a game");
        let generation = |index, individuals, fitness: Option<[f64; 3]>| Generation {
            population: Population::new(&game, index, individuals),
            fitness: fitness.map(|fitness| fitness.to_vec()),
            games: 4,
        };
        let first = vec![individual(&[], "initial"); 3];
        let second = vec![individual(&[2, 1], "one-way"), individual(&[0], "copy"), individual(&[0], "copy")];
        let third = vec![individual(&[1], "copy"), individual(&[0], "factor"), individual(&[2], "copy")];
        Evolution::new([
            generation(0, first, Some([1.0, 2.0, 3.0])),
            generation(1, second, Some([3.0, 3.0, 0.0])),
            generation(2, third, None),
        ])
    }

    #[test]
    fn the_champion_is_the_first_of_the_best_of_the_last_closed_generation() {
        let champion = evolution().champion(None).expect("a generation is closed");
        assert_eq!((champion.generation, champion.individual, champion.fitness), (1, 0, Some(3.0)));
        assert_eq!(evolution().champion(Some(0)).map(|champion| champion.individual), Some(2));
        assert_eq!(evolution().champion(Some(2)), None, "it is still played");
    }

    #[test]
    fn lines_follow_the_copy_and_ancestors_both() {
        let place =
            |all: Vec<Ancestor>| -> Vec<(u32, u32)> { all.iter().map(|a| (a.generation, a.individual)).collect() };
        assert_eq!(place(evolution().line(2, 1)), [(2, 1), (1, 0), (0, 2)]);
        assert_eq!(place(evolution().ancestors(2, 1, 9)), [(2, 1), (1, 0), (0, 1), (0, 2)]);
        assert_eq!(place(evolution().ancestors(2, 1, 1)), [(2, 1), (1, 0)]);
    }

    #[test]
    fn a_drawing_has_every_ancestor_and_arrow() {
        let dot = evolution().dot(2, 1, 9);
        for arrow in ["g1_0 -> g2_1 [penwidth=2]", "g0_2 -> g1_0 [penwidth=2]", "g0_1 -> g1_0 [style=dashed]"] {
            assert!(dot.contains(arrow), "{arrow} in {dot}");
        }
        assert_eq!(dot.matches("label=").count(), 4);
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    }
}
