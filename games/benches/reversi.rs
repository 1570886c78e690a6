//! Hot paths of Reversi: playouts, perft, one move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{Game as _, Moves as _, Seed, perft, reversi::Reversi};

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("reversi");
    group.throughput(Throughput::Elements(1));
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    group.bench_function("playout", |b| b.iter(|| Reversi::new().playout(&mut rng)));
    group.throughput(Throughput::Elements(55_092));
    group.bench_function("perft 7", |b| b.iter(|| perft(&Reversi::new(), 7)));
    group.throughput(Throughput::Elements(1));
    group.bench_function("moves and play", |b| {
        b.iter(|| {
            let mut game = std::hint::black_box(Reversi::new());
            game.play(game.moves().get(2));
            game
        });
    });
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
