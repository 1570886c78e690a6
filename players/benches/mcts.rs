//! The loop of MCTS on Reversi.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{Seed, reversi::Reversi};
use players::mcts::{Search, TreeLimit, Ucb1, UniformPlayout};

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("mcts");
    group.throughput(Throughput::Elements(1_000));
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    let mut search = Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout, TreeLimit::NONE);
    group.bench_function("reversi, 1,000 from the start", |b| {
        b.iter(|| {
            search.clear();
            search.root(&Reversi::new());
            for _ in 0..1_000 {
                search.iterate(&mut rng);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
