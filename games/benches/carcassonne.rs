//! Hot paths of Carcassonne: playouts of every variant, copies, one move, moves of a position, points.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use games::{
    Game as _, Moves as _, Seed, Turn,
    carcassonne::{Carcassonne, Variant},
};

/// The base game after some plies of random play, where a player moves.
fn later(plies: usize) -> Carcassonne {
    let (mut game, mut rng) = (Carcassonne::default(), Seed::derive(1, 0, 0, "bench: position").rng());
    for ply in 0.. {
        match game.turn() {
            Turn::Chance => game.play(game.chance(&mut rng)),
            Turn::Player(_) if ply >= plies => return game,
            Turn::Player(_) => {
                let moves = game.moves();
                game.play(moves.get(games::below(&mut rng, moves.len() as u32) as usize));
            }
            Turn::Over => break,
        }
    }
    game
}

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("carcassonne");
    group.throughput(Throughput::Elements(1));
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    for (name, variant) in Variant::NAMES.into_iter().zip(Variant::ALL) {
        let start = Carcassonne::of(variant);
        group.bench_function(format!("playout {name}"), |b| b.iter(|| start.clone().playout(&mut rng)));
    }
    for plies in [10, 60, 120] {
        let game = later(plies);
        group.bench_function(format!("clone, ply {plies}"), |b| b.iter(|| std::hint::black_box(&game).clone()));
        group.bench_function(format!("moves, ply {plies}"), |b| b.iter(|| std::hint::black_box(&game).moves()));
        group.bench_function(format!("points by source, ply {plies}"), |b| {
            b.iter(|| std::hint::black_box(&game).points_by_source());
        });
        let chosen = game.moves().get(2);
        group.bench_function(format!("play, ply {plies}"), |b| {
            b.iter_batched_ref(|| game.clone(), |game| game.play(chosen), BatchSize::SmallInput);
        });
    }
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
