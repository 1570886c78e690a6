//! Games between pairs: the game, the players, who met whom.

use std::collections::BTreeMap;

use ::games::GameSpec;
use analysis::{Cell, Table};
use record::facts::{GridFacts, PairFacts, Pairs, Rule, Seat};

use super::Part;
use crate::html::thousands;

/// Players that are listed.
const PLAYERS_MAX: usize = 200;

/// The parts of a match grid.
pub(super) fn grid(facts: &GridFacts) -> Vec<Part> {
    let mut sentences = vec![who(&facts.pairs.pairs)];
    sentences.push(format!("Each pair played {} games.", thousands(facts.pairs.games_per_pair)));
    sentences.extend(seats(&facts.pairs));
    sentences.extend(opening(facts.pairs.opening_plies));
    sentences.extend(scale(facts.header.scale));
    vec![
        Part::new("Game", vec![game(&facts.game.game)]),
        Part::new("Players", Vec::new()).with(players(&facts.pairs.specs)),
        Part::new("Games", sentences),
    ]
}

/// A game, its rules by the words of its entry.
pub(super) fn game(text: &str) -> String {
    let Ok(spec) = text.parse::<GameSpec>() else {
        return format!("The game is {text}, which this version does not know.");
    };
    let facts = spec.facts();
    let about = ::games::all().iter().find(|entry| entry.name == facts.name).map_or("", |entry| entry.doc);
    let players = if facts.players == 1 { "one player" } else { "two players" };
    let chance = if facts.chance { "with" } else { "without" };
    let parameters = text.split_once(':').map_or_else(String::new, |(_, parameters)| format!(", with {parameters}"));
    format!(
        "The game is {} ({}{parameters}): {} It is for {players}, {chance} chance, of at most {} plies; its score counts {}.",
        facts.title,
        facts.name,
        sentence(about),
        thousands(facts.plies_max.into()),
        facts.score_unit
    )
}

/// Text that begins and ends as a sentence does.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let begin = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let end = if text.is_empty() || text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{begin}{}{end}", letters.as_str())
}

/// Players with their specs, and what kind of player each is.
pub(super) fn players(specs: &BTreeMap<String, String>) -> Table {
    let heads = [("player", "player"), ("spec", "spec"), ("about", "what it is")];
    let mut table = Table::new("players", "Players and their specs", &heads);
    for (name, text) in specs.iter().take(PLAYERS_MAX) {
        let kind = text.split(':').next().unwrap_or(text);
        let about = ::players::registry::all()
            .iter()
            .find(|entry| entry.name == kind)
            .map_or(Cell::Missing, |entry| Cell::text(sentence(entry.doc)));
        table.push(vec![Cell::text(name), Cell::text(text), about]);
    }
    let others = specs.len().saturating_sub(PLAYERS_MAX);
    if others > 0 {
        table.notes.push(format!("And {others} more, which the resolved experiment has."));
    }
    table
        .notes
        .push("`redqueen players` lists what each parameter means; what a spec leaves out has its default.".to_owned());
    table
}

/// Who met whom.
fn who(pairs: &Pairs) -> String {
    match pairs {
        Pairs::Rule { pairing: Rule::RoundRobin } => "Every player met every other.".to_owned(),
        Pairs::Rule { pairing: Rule::Gauntlet { champions, against } } => {
            format!("Each of {} players met each of {} opponents.", champions.len(), against.len())
        }
        Pairs::Listed { pairs } => format!("{} pairs were listed in the experiment.", pairs.len()),
    }
}

/// Where players sat.
pub(super) fn seats(pairs: &PairFacts) -> Option<String> {
    Some(match pairs.seat() {
        Seat::Both => {
            "Games came in units of two: the same opening, the same random streams for each player, seats swapped. \
                       Intervals and tests over units take the two as one observation."
                .to_owned()
        }
        seat => format!("The first player of a pair sat {} in every game, and each game is a unit.", seat.name()),
    })
}

/// How games began.
pub(super) fn opening(plies: u32) -> Option<String> {
    match plies {
        0 => None,
        1 => Some("The first ply of a game was drawn at random.".to_owned()),
        plies => Some(format!("The first {plies} plies of a game were drawn at random.")),
    }
}

/// What part of the experiment was run.
pub(super) fn scale(scale: f64) -> Option<String> {
    (scale != 1.0).then(|| format!("The number of games is that of the file at scale {scale}."))
}
