//! Nanoseconds an evaluation, one row at a time, sixteen together and in fixed point, and rows a second of training on one
//! thread, all by CPU time: of 85-100-3 with sigmoids, and of 85-256 with three residual layers, a policy of 60 and a value.
//!
//! `cargo bench -p nets` measures; `nets/benches/torch_training.py` trains the same nets in PyTorch.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nets::{Architecture, Data, Evaluator, Incremental, Net, Processor, Settings, Target, train_on};

const NETS: [(&str, &str); 2] = [
    ("85-100-3", "encoding=bench inputs=85 hidden=100:sigmoid outcome=sigmoid"),
    (
        "residual",
        "encoding=bench inputs=85 hidden=256:relu,residual:relu,residual:relu,residual:relu value=sigmoid policy=60",
    ),
];
const INPUTS: usize = 85;
/// Inputs other than 0, as at a typical position of a game on 5x5 boxes.
const NONZERO: usize = 55;
const ROWS: usize = 256;

/// What this thread has run so far, on Linux: other programs on the machine do not count.
fn cpu_time() -> Duration {
    // The kernel brings the number up to date when a thread gives way.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells the time of a thread");
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).expect("nanoseconds"))
}

/// CPU time of so many calls.
fn timed(count: u64, mut call: impl FnMut()) -> Duration {
    let start = cpu_time();
    for _ in 0..count {
        call();
    }
    cpu_time() - start
}

/// Rows like positions: `NONZERO` inputs in quarters at places drawn without replacement.
fn rows(count: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    let mut rows = vec![0.0; count * INPUTS];
    for row in rows.chunks_exact_mut(INPUTS) {
        let mut places: Vec<usize> = (0..INPUTS).collect();
        for left in (INPUTS - NONZERO..INPUTS).rev() {
            let place = places.swap_remove(draw(left + 1));
            row[place] = 0.25 * (1 + draw(4)) as f32;
        }
    }
    rows
}

fn evaluations(c: &mut Criterion) {
    let rows = rows(ROWS);
    for (name, text) in NETS {
        let architecture: Architecture = text.parse().expect("an architecture");
        let net = Net::initial(&architecture, &[1; 32]);
        let outputs = architecture.outputs();
        let mut group = c.benchmark_group(format!("evaluation/{name}"));
        group.measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
        group.throughput(Throughput::Elements(ROWS as u64));
        for processor in Processor::all() {
            let mut evaluator = Evaluator::on(&net, processor);
            let mut out = vec![0.0; ROWS * outputs];
            group.bench_function(format!("{}/one", processor.name()), |b| {
                b.iter_custom(|count| {
                    timed(count, || {
                        for (row, out) in rows.chunks_exact(INPUTS).zip(out.chunks_exact_mut(outputs)) {
                            evaluator.evaluate(black_box(row), out);
                        }
                    })
                });
            });
            group.bench_function(format!("{}/sixteen", processor.name()), |b| {
                b.iter_custom(|count| timed(count, || evaluator.evaluate(black_box(&rows), &mut out)));
            });
            let mut incremental = Incremental::on(&net, 1, processor).expect("it has a hidden layer");
            let mut out = vec![0.0; outputs];
            group.bench_function(format!("{}/fixed point, two inputs changed", processor.name()), |b| {
                b.iter_custom(|count| {
                    timed(count, || {
                        for step in 0..ROWS {
                            incremental.set(step % 60, black_box(0.25 * (step / 60 % 2) as f32));
                            incremental.set(60 + step % 25, black_box(0.25 * (step % 3) as f32));
                            incremental.outputs(&mut out);
                        }
                    })
                });
            });
        }
        group.finish();
    }
}

fn training(c: &mut Criterion) {
    /// Rows of the data.
    const DATA: usize = 16 * 1024;
    let mut data = Data::new(INPUTS);
    for (place, row) in rows(DATA).chunks_exact(INPUTS).enumerate() {
        let policy: Vec<(u16, f32)> =
            (0..60).map(|at| (at, if at as usize == place % 60 { 1.0 } else { 0.0 })).collect();
        data.push(row, &Target::of_points((place % 2) as f32, &policy));
    }
    let settings = Settings { epochs: 1, ..Settings::default() };
    let mut group = c.benchmark_group("training");
    group.sample_size(10).measurement_time(Duration::from_secs(4)).warm_up_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(DATA as u64));
    for (name, text) in NETS {
        let net = Net::initial(&text.parse().expect("an architecture"), &[1; 32]);
        for processor in Processor::all() {
            group.bench_function(format!("{name}/{}", processor.name()), |b| {
                let mut train = || drop(train_on(&net, &data, &settings, 1, processor).expect("it trains"));
                b.iter_custom(|count| timed(count, &mut train));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, evaluations, training);
criterion_main!(benches);
