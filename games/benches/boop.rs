//! Hot paths of boop.: playouts, moves, what they lead to, one move, perft.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{
    Game as _, Moves as _, Seed, below,
    boop::{Boop, Graduation, Rules},
    perft,
};

/// A position of about 60 moves: some plies into a random game, with pieces of both sizes in the pool.
fn later(rules: Rules) -> Boop {
    let played = |index: u64| {
        let (mut game, mut rng) = (Boop::new(rules), Seed::derive(1, 0, index, "bench: position").rng());
        for _ in 0..16 + index % 16 {
            let moves = game.moves();
            if !moves.is_empty() {
                game.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
        }
        game
    };
    let about_sixty = |game: &Boop| (56..=64).contains(&game.moves().len());
    (0..4_000).map(played).find(about_sixty).expect("some random game has one")
}

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("boop");
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    group.throughput(Throughput::Elements(1));
    for (graduation, name) in Graduation::ALL.into_iter().zip(Graduation::NAMES) {
        let rules = Rules { graduation, ..Rules::default() };
        let start = Boop::new(rules);
        group.bench_function(format!("playout {name}"), |b| b.iter(|| start.clone().playout(&mut rng)));
        let game = later(rules);
        let mut outlooks = Vec::new();
        group.bench_function(format!("outlooks of {} moves, {name}", game.moves().len()), |b| {
            b.iter(|| std::hint::black_box(&game).outlooks(&mut outlooks));
        });
        group.bench_function(format!("moves and play, {name}"), |b| {
            b.iter(|| {
                let mut game = std::hint::black_box(game);
                game.play(game.moves().get(2));
                game
            });
        });
        group.bench_function(format!("evaluate, {name}"), |b| b.iter(|| std::hint::black_box(&game).evaluate(0)));
    }
    let start = Boop::default();
    group.throughput(Throughput::Elements(1_421_952));
    group.bench_function("perft 4", |b| b.iter(|| perft(&start, 4)));
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
