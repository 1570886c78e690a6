//! Players that need artifacts, by a toy whose moves stand in one.

use games::{GameSpec, Seed};
use players::{
    GameSetup, PlayerSpec,
    artifacts::{ArtifactError, Artifacts, HeldArtifacts},
    play::prepare,
};

const SCRIPT: &str = "give keep give";

/// One artifact.
struct One {
    hash: String,
    data: Vec<u8>,
}

impl One {
    fn new(data: &[u8]) -> Self {
        One { hash: blake3::hash(data).to_hex().to_string(), data: data.to_vec() }
    }
}

impl Artifacts for One {
    fn get(&self, hash: &str) -> Result<Vec<u8>, ArtifactError> {
        if hash == self.hash { Ok(self.data.clone()) } else { Err(ArtifactError::Missing { hash: hash.to_owned() }) }
    }
}

fn player(text: &str) -> PlayerSpec {
    text.parse().expect("a player")
}

fn race() -> GameSpec {
    "toy-race:throws=6".parse().expect("a toy")
}

fn setup() -> GameSetup {
    let seed = |purpose| Seed::derive(5, 0, 0, purpose);
    GameSetup { opening_plies: 0, opening_seed: seed("opening"), player_seeds: [seed("a"), seed("b")] }
}

/// Moves of the first seat, which has three turns.
fn moves(first: &PlayerSpec, artifacts: &dyn Artifacts) -> Vec<String> {
    let second = player("toy-scripted");
    let mut moves = Vec::new();
    let mut watcher = |_: &str, seat: Option<usize>, played: &str| {
        if seat == Some(0) {
            moves.push(played.to_owned());
        }
    };
    let mut game = prepare(&race(), [first, &second], artifacts).expect("the artifacts are there");
    game.play_watched(&setup(), Some(&mut watcher));
    moves
}

#[test]
fn a_player_is_built_with_the_artifact_that_its_spec_names() {
    let source = One::new(SCRIPT.as_bytes());
    let scripted = player(&format!("toy-scripted:script={}", source.hash));
    assert_eq!(scripted.to_string().parse::<PlayerSpec>().as_ref(), Ok(&scripted));
    assert_eq!(scripted.artifacts(), std::slice::from_ref(&source.hash));
    assert_eq!(moves(&scripted, &source), ["give", "keep", "give"]);
    let held = HeldArtifacts::load(scripted.artifacts(), &source).expect("it is there");
    assert_eq!(moves(&scripted, &held), ["give", "keep", "give"]);
    assert_eq!(player("toy-scripted").artifacts(), [""; 0]);
    assert_eq!(player("mcts").artifacts(), [""; 0]);
}

#[test]
fn a_player_made_of_players_needs_what_they_need() {
    let source = One::new(SCRIPT.as_bytes());
    let hash = &source.hash;
    let staged =
        player(&format!("staged:stages=(0 random) (1 toy-scripted:script={hash}) (2 toy-scripted:script={hash})"));
    assert_eq!(staged.artifacts(), std::slice::from_ref(hash), "each once");
    // The third turn is the first of the last stage, whose script begins anew.
    assert_eq!(moves(&staged, &source)[1..], ["give", "give"]);
}

#[test]
fn an_artifact_that_is_missing_or_unreadable_is_named() {
    let source = One::new(SCRIPT.as_bytes());
    let scripted = player(&format!("toy-scripted:script={}", source.hash));
    let error = |player: &PlayerSpec, artifacts: &dyn Artifacts| {
        prepare(&race(), [player, player], artifacts).err().map(|error| error.to_string())
    };
    let missing = format!("artifact {} is missing", source.hash);
    assert_eq!(error(&scripted, &HeldArtifacts::default()), Some(missing));
    assert!(HeldArtifacts::load(scripted.artifacts(), &HeldArtifacts::default()).is_err());
    let bytes = One::new(b"\xff");
    let wrong = player(&format!("toy-scripted:script={}", bytes.hash));
    let said = error(&wrong, &bytes).expect("it is not text");
    assert!(said.starts_with(&format!("artifact {} cannot be read: invalid utf-8", bytes.hash)), "{said}");
}

#[test]
fn a_spec_takes_only_what_has_the_form_of_a_hash() {
    for text in ["1", "net.bin", &"g".repeat(64), &"A".repeat(64), &"a".repeat(63)] {
        let faults = format!("toy-scripted:script={text}").parse::<PlayerSpec>().expect_err("a fault");
        let wanted = "the hash of an artifact, 64 digits from 0 to f (the script: texts of moves between blanks)";
        assert_eq!(faults[0].to_string(), format!("`script` cannot be `{text}`: it takes {wanted}"));
    }
}
