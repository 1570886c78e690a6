//! Hot paths of Checkers under each rule set: playouts, random and guided, perft, one move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::{
    Game as _, Moves as _, Seed,
    checkers::{Checkers, Rules},
    features::{Guide, Guiding, LANES, View, Views},
    perft,
};

/// Men and mobility, about the cheapest evaluation possible, so that the bench measures the playout around it.
struct Men(Views);

impl Guide for Men {
    fn wanted(&self) -> u32 {
        1 << 2 | 1 << 3
    }

    #[inline]
    fn views(&mut self) -> &mut Views {
        &mut self.0
    }

    #[inline]
    fn values(&mut self) -> [f64; LANES] {
        std::array::from_fn(|lane| 2.0 * self.0.numbers[2][lane] + self.0.numbers[3][lane])
    }
}

fn playout(c: &mut Criterion) {
    let mut group = c.benchmark_group("checkers");
    let mut rng = Seed::derive(1, 0, 0, "bench").rng();
    let rows = [(Rules::Project, "project", 23_582), (Rules::Code, "code", 23_582), (Rules::English, "english", 7_361)];
    for (rules, name, leaves) in rows {
        let start = Checkers::under(rules);
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("playout {name}"), |b| b.iter(|| start.clone().playout(&mut rng)));
        let mut guide = Men(Views::new());
        let guiding = Guiding { candidates: 4, view: View::Mover };
        group.bench_function(format!("guided playout {name}"), |b| {
            b.iter(|| start.clone().guided_playout(&mut rng, &mut guide, guiding));
        });
        group.bench_function(format!("moves and play {name}"), |b| {
            b.iter(|| {
                let mut game = std::hint::black_box(start);
                game.play(game.moves().get(2));
                game
            });
        });
        group.throughput(Throughput::Elements(leaves));
        group.bench_function(format!("perft 5 {name}"), |b| b.iter(|| perft(&start, 5)));
    }
    group.finish();
}

criterion_group!(benches, playout);
criterion_main!(benches);
