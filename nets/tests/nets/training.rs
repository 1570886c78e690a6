//! Training against PyTorch's autograd and Adam, and its errors.

use nets::{Architecture, Data, Evaluator, Loss, Net, Settings, Target, TrainingError, train};

use crate::common::{ARCHITECTURES, data, document, net, numbers, oracle};

#[test]
fn losses_and_weights_are_those_of_pytorch() {
    let expected = document("training.json");
    let mut rows = Data::new(21);
    for ((inputs, points), policy) in expected["inputs"]
        .as_array()
        .expect("rows")
        .iter()
        .zip(numbers(&expected["points"]))
        .zip(expected["policy"].as_array().expect("policies"))
    {
        let inputs: Vec<f32> = numbers(inputs).into_iter().map(|x| x as f32).collect();
        let shares = policy.as_array().expect("shares").iter().map(numbers);
        let shares: Vec<(u16, f32)> = shares.map(|share| (share[0] as u16, share[1] as f32)).collect();
        rows.push(&inputs, &Target::of_points(points as f32, &shares));
    }
    let number = |key: &str| expected[key].as_f64().expect("a number");
    for case in expected["cases"].as_array().expect("cases") {
        let name = case["net"].as_str().expect("a name");
        let net = Net::read(&oracle(&format!("{name}.safetensors"))).expect("a net");
        let losses = numbers(&case["losses"]);
        let settings = Settings {
            epochs: losses.len() as u32,
            batch: rows.len(),
            learning_rate: number("learning-rate"),
            weight_decay: case["weight-decay"].as_f64().expect("a number"),
            loss: if case["loss"] == "cross-entropy" { Loss::CrossEntropy } else { Loss::MeanSquare },
            value_weight: number("value-weight"),
            policy_weight: number("policy-weight"),
            ..Settings::default()
        };
        let trained = train(&net, &rows, &settings, 2).expect("it trains");
        for (epoch, (found, wanted)) in trained.epochs.iter().zip(&losses).enumerate() {
            let found = found.loss;
            assert!((found - wanted).abs() < 1e-5 * wanted.max(1.0), "{case}: epoch {epoch}: {found}, not {wanted}");
        }
        // Weights stand in the file in the order of the architecture: those of the first layer come first.
        let file = trained.net.write();
        let head = u64::from_le_bytes(file[..8].try_into().expect("eight bytes")) as usize;
        let mut values = file[8 + head..].as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
        let outputs = case["bias"].as_array().expect("a list").len();
        let weights: Vec<f64> = values.by_ref().take(outputs * 21).collect();
        let bias: Vec<f64> = values.take(outputs).collect();
        let wanted: Vec<f64> = case["weights"].as_array().expect("rows").iter().flat_map(numbers).collect();
        for (found, wanted) in weights.iter().zip(wanted).chain(bias.iter().zip(numbers(&case["bias"]))) {
            assert!((found - wanted).abs() < 2e-4, "{name}: {found}, not {wanted}");
        }
    }
}

/// Two of four inputs decide, as the outcome, the value and the policy say.
#[test]
fn a_net_learns_a_rule() {
    let architecture: Architecture =
        "encoding=x inputs=4 hidden=16:relu,residual:relu outcome=softmax value=sigmoid policy=2".parse().expect("one");
    let mut rows = Data::new(4);
    for row in 0..2_000u32 {
        let inputs: Vec<f32> = (0..4).map(|bit| f32::from((((row * 7 + row / 16) >> bit) & 1) as u8)).collect();
        let wins = inputs[0] != inputs[2];
        let policy = [(0, f32::from(u8::from(wins))), (1, f32::from(u8::from(!wins)))];
        rows.push(&inputs, &Target::of_points(f32::from(u8::from(wins)), &policy));
    }
    let settings = Settings { epochs: 12, batch: 32, learning_rate: 0.01, held_out: 0.25, ..Settings::default() };
    let trained = train(&Net::initial(&architecture, &[4; 32]), &rows, &settings, 1).expect("it trains");
    let last = trained.epochs.last().expect("epochs");
    assert_eq!(last.right, Some(1.0), "{last:?}");
    assert!(last.held_out.expect("rows are held out") < 0.05, "{last:?}");
    assert!(trained.epochs[0].loss > 10.0 * last.loss, "{:?}", trained.epochs);
    let mut outputs = [0.0; 6];
    Evaluator::new(&trained.net).evaluate(&[1.0, 0.0, 0.0, 1.0], &mut outputs);
    assert!(outputs[0] > 0.9 && outputs[3] > 0.9 && outputs[4] > outputs[5], "{outputs:?}");
}

#[test]
fn rows_of_bytes_and_of_floats_train_alike() {
    let net = net(ARCHITECTURES[1]);
    let bytes = data(&net, 40);
    let mut floats = Data::new(37);
    let mut inputs = vec![0.0; 37];
    for row in 0..40 {
        bytes.row(row, &mut inputs);
        floats.push(&inputs, &bytes.target(row));
    }
    // One row of other numbers, which a pass over 40 rows of 41 never meets.
    let before = train(&net, &floats, &Settings::default(), 1).expect("it trains");
    assert_eq!(before.net, train(&net, &bytes, &Settings::default(), 1).expect("it trains").net);
    let mut mixed = bytes.clone();
    mixed.push(&[0.1; 37], &Target::of_points(1.0, &[]));
    for row in 0..40 {
        let mut again = vec![0.0; 37];
        bytes.row(row, &mut inputs);
        mixed.row(row, &mut again);
        assert_eq!(again, inputs);
        assert_eq!(mixed.target(row), bytes.target(row));
    }
    mixed.row(40, &mut inputs);
    assert_eq!(inputs, [0.1; 37]);
}

#[test]
fn what_cannot_be_trained_says_why() {
    let net = net(ARCHITECTURES[1]);
    let rows = data(&net, 10);
    let error = |rows: &Data, settings: &Settings| train(&net, rows, settings, 1).expect_err("an error").to_string();
    let usual = Settings::default();
    assert_eq!(error(&Data::new(37), &usual), "there are no rows to train on: 0 rows, 0 of them held out");
    assert_eq!(error(&Data::new(36), &usual), "the rows have 36 inputs, and the net has 37");
    let mut beyond = rows.clone();
    beyond.push(&[0.0; 37], &Target::of_points(1.0, &[(41, 1.0)]));
    assert_eq!(error(&beyond, &usual), "a row has a share for place 41 of the policy, and the net's has 41 places");
    let mut infinite = rows.clone();
    infinite.push(&[f32::INFINITY; 37], &Target::of_points(1.0, &[]));
    assert_eq!(error(&infinite, &usual), "the data hold a number that is not finite");
    let wild = Settings { learning_rate: 10.0, epochs: 200, loss: Loss::MeanSquare, ..usual.clone() };
    let mut large = Data::new(37);
    large.push(&[1e30; 37], &Target::of_points(1.0, &[(0, 1.0)]));
    assert!(matches!(train(&net, &large, &wild, 1), Err(TrainingError::Diverged { .. })));
    for (name, settings) in [
        ("epochs", Settings { epochs: 0, ..usual.clone() }),
        ("batch", Settings { batch: 0, ..usual.clone() }),
        ("learning-rate", Settings { learning_rate: f64::NAN, ..usual.clone() }),
        ("decay", Settings { decay: 0.0, ..usual.clone() }),
        ("weight-decay", Settings { weight_decay: -1.0, ..usual.clone() }),
        ("value-weight", Settings { value_weight: 1e9, ..usual.clone() }),
        ("policy-weight", Settings { policy_weight: f64::INFINITY, ..usual.clone() }),
        ("held-out", Settings { held_out: 1.0, ..usual }),
    ] {
        assert_eq!(error(&rows, &settings), format!("`{name}` is out of its range"));
    }
}
