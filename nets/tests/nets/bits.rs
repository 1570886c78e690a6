//! The same bits from every instruction set, for any number of rows and of threads, and on every machine.

use nets::{Data, Evaluator, Incremental, Net, Processor, Settings, Trained, train_on};

use crate::common::{ARCHITECTURES, data, net, oracle, rows};

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn rows_together_have_the_bits_of_rows_alone() {
    for text in ARCHITECTURES {
        let net = net(text);
        let (width, outputs) = (net.architecture().inputs(), net.architecture().outputs());
        let rows = rows(37, width);
        let alone = |processor| {
            let mut evaluator = Evaluator::on(&net, processor);
            let mut found = vec![0.0; 37 * outputs];
            for (row, found) in rows.chunks_exact(width).zip(found.chunks_exact_mut(outputs)) {
                evaluator.evaluate(row, found);
            }
            bits(&found)
        };
        let wanted = alone(Processor::baseline());
        assert_eq!(alone(Processor::this()), wanted, "{text}");
        for processor in Processor::all() {
            let mut evaluator = Evaluator::on(&net, processor);
            for together in [2, 3, 4, 5, 16, 37] {
                let mut found = vec![0.0; 37 * outputs];
                for (rows, found) in rows.chunks(together * width).zip(found.chunks_mut(together * outputs)) {
                    evaluator.evaluate(rows, found);
                }
                assert_eq!(bits(&found), wanted, "{text} on {}, {together} together", processor.name());
            }
        }
    }
}

/// Inputs of 0 are passed over: those that are nearly 0 must not matter more than their product does.
#[test]
fn zeros_of_either_sign_are_zeros() {
    let net = net(ARCHITECTURES[1]);
    let mut row = rows(1, 37);
    let evaluate = |row: &[f32]| {
        let mut found = vec![0.0; net.architecture().outputs()];
        Evaluator::new(&net).evaluate(row, &mut found);
        bits(&found)
    };
    let wanted = evaluate(&row);
    row.iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = -0.0);
    assert_eq!(evaluate(&row), wanted);
}

#[test]
fn fixed_point_depends_on_the_inputs_alone() {
    for text in &ARCHITECTURES[..4] {
        let net = net(text);
        let (width, outputs) = (net.architecture().inputs(), net.architecture().outputs());
        let rows = rows(20, width);
        let new = |processor| Incremental::on(&net, 2, processor).expect("it has a hidden layer");
        let outputs = |incremental: &mut Incremental| {
            let mut found = vec![0.0; outputs];
            incremental.outputs(&mut found);
            bits(&found)
        };
        let mut walking: Vec<Incremental> = Processor::all().into_iter().map(new).collect();
        for row in rows.chunks_exact(width).chain(rows.chunks_exact(width).rev()) {
            let wanted = {
                let mut fresh = new(Processor::baseline());
                for (input, &x) in row.iter().enumerate().rev() {
                    fresh.set(input, x);
                }
                outputs(&mut fresh)
            };
            for walking in &mut walking {
                walking.set_all(row);
                assert_eq!(outputs(walking), wanted, "{text}");
            }
        }
    }
    assert!(Incremental::new(&net(ARCHITECTURES[4]), 1).is_none());
}

/// Inputs beyond the limit and between quarters are cut, so that sums never overflow.
#[test]
fn fixed_point_holds_inputs_within_their_limit() {
    let net = net(ARCHITECTURES[3]);
    let outputs = |row: [f32; 3]| {
        let mut incremental = Incremental::new(&net, 2).expect("it has a hidden layer");
        incremental.set_all(&row);
        let mut found = [0.0; 2];
        incremental.outputs(&mut found);
        bits(&found)
    };
    assert_eq!(outputs([1e30, -7.0, 1.9]), outputs([2.0, -2.0, 1.75]));
    assert_eq!(outputs([f32::NAN, f32::NEG_INFINITY, 0.0]), outputs([0.0, -2.0, 0.0]));
    assert_ne!(outputs([2.0, -2.0, 1.75]), outputs([2.0, -2.0, 1.5]));
}

fn settings() -> Settings {
    Settings { epochs: 2, batch: 20, held_out: 0.2, weight_decay: 0.01, seed: [9; 32], ..Settings::default() }
}

fn trained(net: &Net, data: &Data, threads: usize, processor: Processor) -> Trained {
    train_on(net, data, &settings(), threads, processor).expect("it trains")
}

#[test]
fn training_has_the_bits_of_one_thread_for_any_number() {
    for text in ARCHITECTURES {
        let net = net(text);
        let data = data(&net, 90);
        let wanted = trained(&net, &data, 1, Processor::baseline());
        for processor in Processor::all() {
            for threads in [1, 2, 3, 64] {
                let found = trained(&net, &data, threads, processor);
                assert_eq!(found.net.write(), wanted.net.write(), "{text}, {threads} threads on {}", processor.name());
                assert_eq!(found.epochs, wanted.epochs, "{text}, {threads} threads on {}", processor.name());
            }
        }
    }
}

/// Known answers. `nets/tests/processors.sh` asks other processors' models for them.
#[test]
fn digests_are_known() {
    let mut hasher = blake3::Hasher::new();
    let nets = ["paper.safetensors", "deep.safetensors"].map(|name| Net::read(&oracle(name)).expect("a net"));
    for net in ARCHITECTURES.map(net).iter().chain(&nets) {
        let (width, outputs) = (net.architecture().inputs(), net.architecture().outputs());
        let rows = rows(33, width);
        let mut found = vec![0.0; 33 * outputs];
        Evaluator::new(net).evaluate(&rows, &mut found);
        hash(&mut hasher, &found);
        if let Some(mut incremental) = Incremental::new(net, 1) {
            incremental.set_all(&rows[..width]);
            incremental.outputs(&mut found[..outputs]);
            hash(&mut hasher, &found[..outputs]);
        }
    }
    let evaluations = hasher.finalize().to_hex().to_string();
    let mut hasher = blake3::Hasher::new();
    for net in ARCHITECTURES.map(net).iter().chain(&nets) {
        let trained = trained(net, &data(net, 90), 2, Processor::this());
        hasher.update(&trained.net.write());
        for epoch in trained.epochs {
            for number in [Some(epoch.loss), epoch.held_out, epoch.right].into_iter().flatten() {
                hasher.update(&number.to_le_bytes());
            }
        }
    }
    let training = hasher.finalize().to_hex().to_string();
    println!(
        "{} on {}: evaluations {evaluations}, training {training}",
        std::env::consts::ARCH,
        Processor::this().name()
    );
    assert_eq!([&evaluations[..16], &training[..16]], ["e1a7cf82a5b8951b", "71c9b5c9a2da393c"]);
}

fn hash(hasher: &mut blake3::Hasher, numbers: &[f32]) {
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
}
