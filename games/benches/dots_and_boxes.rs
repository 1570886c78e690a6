//! Hot paths of Dots and Boxes: playouts and one move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{Game as _, Moves as _, Seed, dots_and_boxes::DotsAndBoxes};

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("dots and boxes");
    group.throughput(Throughput::Elements(1));
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    for side in [3, 5, 7] {
        let start = DotsAndBoxes::new(side, side);
        group.bench_function(format!("playout {side}x{side}"), |b| b.iter(|| start.clone().playout(&mut rng)));
    }
    group.bench_function("moves and play", |b| {
        b.iter(|| {
            let mut game = std::hint::black_box(DotsAndBoxes::default());
            game.play(game.moves().get(31));
            game
        });
    });
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
