//! From games with samples to rows that a network is trained on.

use games::{Game, GameSpec, Moves as _, Turn, View, Visitor};
use nets::{Architecture, Data, Target};

use super::codec::{Played, Sample};
use crate::player::Searched;

/// Why games give no rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SamplesError {
    /// The game has no such encoding, or one of another size.
    #[error("`{encoding}` with {inputs} inputs is not an encoding of {game}: {known}")]
    Encoding {
        /// What the net reads.
        encoding: String,
        /// How many inputs it has.
        inputs: usize,
        /// The game.
        game: &'static str,
        /// Its encodings, for people.
        known: String,
    },
    /// The game has no encoding of this name.
    #[error("`{encoding}` is not an encoding of {game}: {known}")]
    NoEncoding {
        /// The name.
        encoding: String,
        /// The game.
        game: &'static str,
        /// Names of its encodings, for people.
        known: String,
    },
    /// The net's policy has another size than the game's.
    #[error("the net's policy has {found} numbers, and that of {game} has {known}")]
    Policy {
        /// Numbers of the net's.
        found: usize,
        /// The game.
        game: &'static str,
        /// Numbers of the game's, for people.
        known: String,
    },
    /// The bytes are not games of this game.
    #[error("the stored positions are damaged: game {game} is not one")]
    Damaged {
        /// Its place, from 0.
        game: usize,
    },
}

/// Number of the encoding of `start` that a net reads.
///
/// # Errors
/// The net does not fit the game.
fn encoding_of<G: Game>(start: &G, architecture: &Architecture) -> Result<(usize, View), SamplesError> {
    let (facts, encodings) = (start.facts(), start.encodings());
    let name = |encoding: &games::Encoding| format!("{}/{}", facts.name, encoding.name);
    let fits = |encoding: &games::Encoding| {
        name(encoding) == architecture.encoding() && encoding.inputs == architecture.inputs()
    };
    let Some(number) = encodings.iter().position(fits) else {
        let known: Vec<String> = encodings.iter().map(|e| format!("{} with {} inputs", name(e), e.inputs)).collect();
        let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
        let (encoding, inputs) = (architecture.encoding().to_owned(), architecture.inputs());
        return Err(SamplesError::Encoding { encoding, inputs, game: facts.name, known });
    };
    match architecture.policy() {
        Some(found) if start.policy_size() != Some(found) => {
            let known = start.policy_size().map_or_else(|| "none".to_owned(), |size| size.to_string());
            Err(SamplesError::Policy { found, game: facts.name, known })
        }
        _ => Ok((number, encodings[number].view)),
    }
}

/// An architecture's text with what follows from the game: the game's name before that of an encoding, the number of inputs
/// if it is not there, and that of the policy behind a bare `policy`.
///
/// # Errors
/// It names no encoding of the game.
pub fn completed(game: &GameSpec, text: &str) -> Result<String, SamplesError> {
    struct Sizes<'a>(&'a str);
    impl Visitor for Sizes<'_> {
        type Output = Result<(usize, Option<usize>), String>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let encodings = start.encodings();
            let named = encodings.iter().find(|encoding| encoding.name == self.0);
            let names = || encodings.iter().map(|encoding| encoding.name).collect::<Vec<_>>().join(", ");
            Ok((named.ok_or_else(names)?.inputs, start.policy_size()))
        }
    }
    let name = game.facts().name;
    let words: Vec<&str> = text.split_whitespace().collect();
    let encoding = words.iter().find_map(|word| word.strip_prefix("encoding=")).unwrap_or_default();
    let short = encoding.strip_prefix(&format!("{name}/")).unwrap_or(encoding);
    let unknown = |known: String| {
        let known = if known.is_empty() { "it has none".to_owned() } else { known };
        SamplesError::NoEncoding { encoding: short.to_owned(), game: name, known }
    };
    let (inputs, policy) = games::visit(game, Sizes(short)).map_err(unknown)?;
    let has_inputs = words.iter().any(|word| word.starts_with("inputs="));
    let complete = |word: &&str| match (*word, policy) {
        (word, _) if word.starts_with("encoding=") && !has_inputs => format!("encoding={name}/{short} inputs={inputs}"),
        (word, _) if word.starts_with("encoding=") => format!("encoding={name}/{short}"),
        ("policy", Some(policy)) => format!("policy={policy}"),
        (word, _) => word.to_owned(),
    };
    Ok(words.iter().map(complete).collect::<Vec<_>>().join(" "))
}

/// Checks that nets of this architecture can be trained on positions of `game`.
///
/// # Errors
/// Why not.
pub fn check_architecture(game: &GameSpec, architecture: &Architecture) -> Result<(), SamplesError> {
    struct Check<'a>(&'a Architecture);
    impl Visitor for Check<'_> {
        type Output = Result<(), SamplesError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            encoding_of(&start, self.0).map(drop)
        }
    }
    games::visit(game, Check(architecture))
}

/// Appends the samples of `games`, which [`super::SelfPlayRecord::bytes`] gave, to `data`, as nets of this architecture read them.
///
/// # Errors
/// The net does not fit the game, or the bytes are not games of it.
pub fn read_samples(
    game: &GameSpec,
    architecture: &Architecture,
    games: &[u8],
    data: &mut Data,
) -> Result<(), SamplesError> {
    struct Read<'a>(&'a Architecture, &'a [u8], &'a mut Data);
    impl Visitor for Read<'_> {
        type Output = Result<(), SamplesError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let Read(architecture, bytes, data) = self;
            let (encoding, view) = encoding_of(&start, architecture)?;
            let mut inputs = vec![0.0; architecture.inputs()];
            let mut policy = Vec::new();
            each(&start, bytes, |position: &G, visits: &[(u32, u32)], points: f64| {
                position.encode(encoding, &mut inputs);
                policy.clear();
                let total: u64 = visits.iter().map(|&(_, count)| u64::from(count)).sum();
                if architecture.policy().is_some() && total > 0 {
                    let moves = position.moves();
                    let place = |at: u32| position.policy_index(moves.get(at as usize)) as u16;
                    let count = |at| visits.iter().find(|&&(move_at, _)| move_at == at).map_or(0, |&(_, count)| count);
                    let share = |at| (place(at), (f64::from(count(at)) / total as f64) as f32);
                    policy.extend((0..moves.len() as u32).map(share));
                }
                let points = for_viewer(position, view, points);
                data.push(&inputs, &Target::of_points(points as f32, &policy));
            })
        }
    }
    games::visit(game, Read(architecture, games, data))
}

/// How far the samples of `games` are from the end, in their order; empty in a game without exact values.
///
/// # Errors
/// The bytes are not games of this game.
pub fn distances(game: &GameSpec, games: &[u8]) -> Result<Vec<u32>, SamplesError> {
    struct Read<'a>(&'a [u8]);
    impl Visitor for Read<'_> {
        type Output = Result<Vec<u32>, SamplesError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let Some(endings) = start.endings() else { return Ok(Vec::new()) };
            let mut found = Vec::new();
            each(&start, self.0, |position: &G, _: &[(u32, u32)], _| found.push(endings.distance(position)))?;
            Ok(found)
        }
    }
    games::visit(game, Read(games))
}

/// Calls `sample` at each position of a search, the root first, which has the visits; `false` if a move is not legal.
fn each_searched<G: Game>(root: &G, found: &Sample, mut sample: impl FnMut(&G, &[(u32, u32)], f64)) -> bool {
    let mut positions: Vec<G> = Vec::with_capacity(found.searched.len());
    for (number, &Searched { parent, place, points }) in found.searched.iter().enumerate() {
        let mut position = root.clone();
        if number > 0 {
            position.clone_from(&positions[parent as usize]);
            let moves = position.moves();
            if place as usize >= moves.len() {
                return false;
            }
            position.play(moves.get(place as usize));
        }
        if !matches!(position.turn(), Turn::Player(_)) {
            return false;
        }
        sample(&position, if number == 0 { &found.visits } else { &[] }, points);
        positions.push(position);
    }
    true
}

/// The first seat's points as the viewer of an encoding sees them.
fn for_viewer<G: Game>(position: &G, view: View, first_points: f64) -> f64 {
    match (view, position.mover()) {
        (View::Mover, Turn::Player(1)) => 1.0 - first_points,
        _ => first_points,
    }
}

/// Plays the games again and calls `sample` at each position that is trained on, with its visits and the first seat's points.
fn each<G: Game>(
    start: &G,
    mut bytes: &[u8],
    mut sample: impl FnMut(&G, &[(u32, u32)], f64),
) -> Result<(), SamplesError> {
    let mut game = 0;
    while !bytes.is_empty() {
        let damaged = SamplesError::Damaged { game };
        let Some(played) = Played::read(&mut bytes) else { return Err(damaged) };
        let mut position = start.clone();
        for ply in &played.plies {
            let moves = position.moves();
            let known = |place: u32| (place as usize) < moves.len();
            if !known(ply.place) {
                return Err(damaged);
            }
            if let Some(found) = &ply.sample {
                if !matches!(position.mover(), Turn::Player(_)) || !found.visits.iter().all(|&(at, _)| known(at)) {
                    return Err(damaged);
                }
                if found.searched.is_empty() {
                    sample(&position, &found.visits, found.label.unwrap_or(played.end).points());
                } else if !each_searched(&position, found, &mut sample) {
                    return Err(damaged);
                }
            }
            position.play(moves.get(ply.place as usize));
        }
        game += 1;
    }
    Ok(())
}
