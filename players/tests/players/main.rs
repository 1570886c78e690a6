//! Tests of the players: one program, so that searches are compiled once for each game.

mod artifacts;
mod bench;
mod checkers;
mod dots_and_boxes;
mod ea;
mod evaluation;
mod evomcts;
mod expectimax;
mod mcts;
mod mcts_co;
mod minimax;
mod net;
mod play;
mod self_play;
mod spec;
