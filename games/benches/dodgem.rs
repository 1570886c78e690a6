//! Hot paths of Dodgem: playouts, random and guided, perft, one move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{
    Game as _, Moves as _, Seed,
    dodgem::Dodgem,
    features::{Guide, Guiding, LANES, View, Views},
    perft,
};

/// A cap that no random game reaches.
const NO_CAP: u16 = 60_000;

/// Steps and mobility, about the cheapest evaluation possible, so that the bench measures the playout around it.
struct Steps(Views);

impl Guide for Steps {
    fn wanted(&self) -> u32 {
        1 << 3 | 1 << 6
    }

    #[inline]
    fn views(&mut self) -> &mut Views {
        &mut self.0
    }

    #[inline]
    fn values(&mut self) -> [f64; LANES] {
        std::array::from_fn(|lane| self.0.numbers[3][lane] - 2.0 * self.0.numbers[6][lane])
    }
}

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("dodgem");
    group.throughput(Throughput::Elements(1));
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    for size in 3..=5 {
        let start = Dodgem::new(size, 200, 100);
        group.bench_function(format!("playout {size}"), |b| b.iter(|| start.clone().playout(&mut rng)));
    }
    let start = Dodgem::new(5, NO_CAP, NO_CAP);
    group.bench_function("playout 5, no cap", |b| b.iter(|| start.clone().playout(&mut rng)));
    let mut guide = Steps(Views::new());
    let guiding = Guiding { candidates: 4, view: View::Mover };
    group.bench_function("guided playout 5", |b| {
        b.iter(|| Dodgem::default().guided_playout(&mut rng, &mut guide, guiding));
    });
    group.throughput(Throughput::Elements(60_654));
    group.bench_function("perft 6", |b| b.iter(|| perft(&Dodgem::default(), 6)));
    group.throughput(Throughput::Elements(1));
    group.bench_function("moves and play", |b| {
        b.iter(|| {
            let mut game = std::hint::black_box(Dodgem::default());
            game.play(game.moves().get(2));
            game
        });
    });
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
