//! Players that need artifacts, by a toy whose moves stand in one.

use games::{GameSpec, Seed};
use players::{GameSetup, PlayerSpec, artifacts::HeldArtifacts, play::prepare};

const SCRIPT: &str = "give keep give";

fn hash(data: &[u8]) -> String {
    blake3::hash(data).to_hex().to_string()
}

fn holding(data: &[u8]) -> HeldArtifacts {
    [(hash(data), data.to_vec())].into_iter().collect()
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
fn moves(first: &PlayerSpec, artifacts: &HeldArtifacts) -> Vec<String> {
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
    let (hash, source) = (hash(SCRIPT.as_bytes()), holding(SCRIPT.as_bytes()));
    let scripted = player(&format!("toy-scripted:script={hash}"));
    assert_eq!(scripted.to_string().parse::<PlayerSpec>().as_ref(), Ok(&scripted));
    assert_eq!(scripted.artifacts(), std::slice::from_ref(&hash));
    assert_eq!(moves(&scripted, &source), ["give", "keep", "give"]);
    assert_eq!(player("toy-scripted").artifacts(), [""; 0]);
    assert_eq!(player("mcts").artifacts(), [""; 0]);
}

#[test]
fn a_player_made_of_players_needs_what_they_need() {
    let (hash, source) = (hash(SCRIPT.as_bytes()), holding(SCRIPT.as_bytes()));
    let staged =
        player(&format!("staged:stages=(0 random) (1 toy-scripted:script={hash}) (2 toy-scripted:script={hash})"));
    assert_eq!(staged.artifacts(), std::slice::from_ref(&hash), "each once");
    // The third turn is the first of the last stage, whose script begins anew.
    assert_eq!(moves(&staged, &source)[1..], ["give", "give"]);
}

#[test]
fn an_artifact_that_is_missing_or_unreadable_is_named() {
    let (hash, source) = (hash(SCRIPT.as_bytes()), holding(SCRIPT.as_bytes()));
    let scripted = player(&format!("toy-scripted:script={hash}"));
    let error = |player: &PlayerSpec, artifacts: &HeldArtifacts| {
        prepare(&race(), [player, player], artifacts).err().map(|error| error.to_string())
    };
    assert_eq!(error(&scripted, &source), None);
    let missing = format!("artifact {hash} is missing");
    assert_eq!(error(&scripted, &HeldArtifacts::default()), Some(missing));
    let bytes = blake3::hash(b"\xff").to_hex();
    let wrong = player(&format!("toy-scripted:script={bytes}"));
    let said = error(&wrong, &holding(b"\xff")).expect("it is not text");
    assert!(said.starts_with(&format!("artifact {bytes} cannot be read: invalid utf-8")), "{said}");
}

#[test]
fn a_spec_takes_only_what_has_the_form_of_a_hash() {
    for text in ["1", "net.bin", &"g".repeat(64), &"A".repeat(64), &"a".repeat(63)] {
        let faults = format!("toy-scripted:script={text}").parse::<PlayerSpec>().expect_err("a fault");
        let wanted = "the hash of an artifact, 64 digits from 0 to f (the script: texts of moves between blanks)";
        assert_eq!(faults[0].to_string(), format!("`script` cannot be `{text}`: it takes {wanted}"));
    }
}
