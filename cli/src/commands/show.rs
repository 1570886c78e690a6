//! `redqueen show`: a position of a game.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::ValueHint;
use clap_complete::ArgValueCompleter;
use games::{Game, GameSpec, Moves as _, TextError, Turn, Visitor};
use serde_json::json;
use spec::Fault;

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, path_json},
    spec_argument::spec_error,
};

/// Show a position of a game: its board, its moves, and a picture where the game has one.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The game (`redqueen games` lists them).
    #[arg(add = ArgValueCompleter::new(completion::game))]
    game: String,
    /// The position as text; the start if left out.
    position: Option<String>,
    /// Write the picture to this file, an SVG.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    picture: Option<PathBuf>,
}

/// What is shown.
struct Shown {
    position: String,
    board: String,
    /// Who moves: `first`, `second` or `nature`; `None` when the game is over.
    turn: Option<&'static str>,
    moves: Vec<String>,
    points: [f64; 2],
    score: i64,
    score_if_ended: Option<i64>,
    picture: Option<String>,
}

struct Show<'a>(Option<&'a str>);

impl Visitor for Show<'_> {
    type Output = Result<Shown, TextError>;

    fn visit<G: Game>(self, start: G) -> Self::Output {
        let position = self.0.map_or(Ok(start.clone()), |text| start.parse_position(text))?;
        let moves = position.moves();
        Ok(Shown {
            position: position.position_text(),
            board: position.board_text(),
            turn: match position.turn() {
                Turn::Player(0) => Some("first"),
                Turn::Player(_) => Some("second"),
                Turn::Chance => Some("nature"),
                Turn::Over => None,
            },
            moves: (0..moves.len()).map(|index| position.move_text(moves.get(index))).collect(),
            points: position.points(),
            score: position.score_difference(),
            score_if_ended: position.score_if_ended(),
            picture: position.picture(),
        })
    }
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let game: GameSpec = self.game.parse().map_err(|faults: Vec<Fault>| spec_error("GAME", &faults))?;
        let shown = games::visit(&game, Show(self.position.as_deref())).map_err(CliError::usage)?;
        if let Some(path) = &self.picture {
            let facts = game.facts();
            let Some(picture) = &shown.picture else {
                return Err(CliError::usage(format!("`{}` has no pictures of its positions", facts.name)));
            };
            let failed = |error| CliError::failed(format!("cannot write `{}`: {error}", path.display()));
            fs::write(path, picture).map_err(failed)?;
        }
        let text = || {
            let moves = match shown.turn {
                Some(turn) => format!("{turn} to move, {} moves: {}", shown.moves.len(), shown.moves.join(" ")),
                None => "the game is over".to_owned(),
            };
            format!("{}\n\n{}\n{moves}", shown.board, shown.position)
        };
        output.result(text, || {
            json!({
                "game": game.to_string(), "position": shown.position, "board": shown.board, "turn": shown.turn,
                "moves": shown.moves, "points": shown.points, "score": shown.score,
                "score_if_ended": shown.score_if_ended,
                "picture": self.picture.as_ref().map(path_json),
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}
