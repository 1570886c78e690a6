//! A tuning.

use analysis::{Cell, Table};
use record::facts::{Domain, Parameter, TuningFacts, TuningPhase};

use super::{Part, Settings, games};
use crate::html::thousands;

pub(super) fn parts(facts: &TuningFacts, settings: &Settings) -> Vec<Part> {
    let mut search = vec![format!(
        "Parameters of {} were found by playing: a candidate is that player with other values of them. {}",
        facts.player,
        algorithm(&facts.algorithm)
    )];
    let text = |key: &str| settings.text(&format!("tuning.{key}"));
    if let (Some(population), Some(played)) = (text("population"), settings.count("tuning.games")) {
        search.push(format!(
            "The first generation had {population} candidates, and in each generation a candidate played {} games against each \
             opponent.",
            thousands(played)
        ));
    }
    search.push(format!("The budget allows {} generations.", thousands(facts.generations.into())));
    search.push(
        "The leader is, of all candidates that ever played, the one with the highest lower end of Wilson's 95 % interval \
         of its share."
            .to_owned(),
    );
    search.extend(games::opening(facts.pairs.opening_plies));
    search.extend(games::scale(facts.header.scale));
    let mut last = vec![
        "When the search had ended, the winner and the player with its own values met the opponents again, and each other, on \
         fresh seeds: only these games say what the search achieved, since the winner was chosen for the others."
            .to_owned(),
    ];
    last.extend(
        settings.count("tuning.final.games").map(|played| format!("Each pair played {} games.", thousands(played))),
    );
    let is_candidate = |name: &str| {
        let TuningPhase::Generation { candidates, .. } = &facts.phase else { return false };
        candidates.iter().any(|candidate| candidate.name == name)
    };
    let opponents = facts.pairs.specs.iter().filter(|(name, _)| !is_candidate(name));
    let opponents = opponents.map(|(name, spec)| (name.clone(), spec.clone())).collect();
    vec![
        Part::new("Game", vec![games::game(&facts.game.game)]),
        Part::new("Search", search).with(parameters(&facts.parameters)),
        Part::new("Opponents", Vec::new()).with(games::players(&opponents)),
        Part::new("Final stage", last),
    ]
}

/// An algorithm in a sentence.
fn algorithm(name: &str) -> String {
    let about = match name {
        "genetic" => {
            "the best stay and go on to gather points, and children of their pairs take the place of the others"
        }
        "successive-halving" => {
            "the better half stays and plays twice the games, until one is left (Karnin et al. 2013)"
        }
        "differential-evolution" => {
            "each candidate plays beside one made from three others, and the better one stays (Storn and Price 1997)"
        }
        "random" => "the leader plays again, beside newly drawn candidates",
        _ => return format!("The search is {name}."),
    };
    format!("The search is {name}: {about}.")
}

/// What was tuned, and between which bounds.
fn parameters(parameters: &[Parameter]) -> Table {
    let heads = [("parameter", "parameter"), ("type", "type"), ("bounds", "from, to"), ("scale", "scale")];
    let mut table = Table::new("parameters", "Parameters that were tuned", &heads);
    for Parameter { name, domain } in parameters {
        let (kind, bounds, scale) = match domain {
            Domain::Integer { min, max, scale } => ("integer", format!("{min} to {max}"), scale.clone()),
            Domain::Real { min, max, scale } => ("real", format!("{min} to {max}"), scale.clone()),
            Domain::Category { values } => {
                let shown: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "")).collect();
                ("category", shown.join(", "), None)
            }
        };
        table.push(vec![
            Cell::text(name),
            Cell::text(kind),
            Cell::text(bounds),
            scale.map_or(Cell::Missing, Cell::text),
        ]);
    }
    table
}
