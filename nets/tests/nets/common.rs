//! Files and nets that tests share.

use std::path::PathBuf;

use nets::{Architecture, Data, Net, Target};

/// A file of the folder of oracles.
pub(crate) fn oracle(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A document of that folder.
pub(crate) fn document(name: &str) -> serde_json::Value {
    serde_json::from_slice(&oracle(name)).expect("JSON")
}

/// Numbers of a list.
pub(crate) fn numbers(list: &serde_json::Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Nets with every kind of layer and head, and widths that fill no panel.
pub(crate) const ARCHITECTURES: [&str; 5] = [
    "encoding=test inputs=85 hidden=100:sigmoid outcome=sigmoid",
    "encoding=test inputs=37 hidden=50:relu,residual:tanh,block:relu,7:sigmoid outcome=softmax value=tanh policy=41",
    "encoding=test inputs=64 hidden=128:relu,residual:relu,residual:relu value=sigmoid policy=65",
    "encoding=test inputs=3 hidden=1:tanh policy=2",
    "encoding=test inputs=18 outcome=softmax",
];

/// A net with random weights.
pub(crate) fn net(architecture: &str) -> Net {
    let architecture: Architecture = architecture.parse().expect("an architecture");
    Net::initial(&architecture, &[3; 32])
}

/// Rows of numbers in quarters, a third of them 0.
pub(crate) fn rows(count: usize, width: usize) -> Vec<f32> {
    let mut state = 5u64;
    let draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from(((state >> 40) % 6) as u8).max(1.0) * 0.25 - 0.25
    };
    std::iter::repeat_with(draw).take(count * width).collect()
}

/// Rows with targets of every kind that suit the net.
pub(crate) fn data(net: &Net, count: usize) -> Data {
    let (width, policy) = (net.architecture().inputs(), net.architecture().policy().unwrap_or(0));
    let mut data = Data::new(width);
    for (row, inputs) in rows(count, width).chunks_exact(width).enumerate() {
        let legal = (0..policy).filter(|place| (place + row).is_multiple_of(3) || *place == row % policy);
        let mut shares: Vec<(u16, f32)> = legal.map(|place| (place as u16, 1.0 + (place % 2) as f32)).collect();
        let sum: f32 = shares.iter().map(|(_, share)| share).sum();
        shares.iter_mut().for_each(|(_, share)| *share /= sum);
        let points = [0.0, 0.5, 1.0, 0.25][(row + inputs.iter().sum::<f32>() as usize) % 4];
        data.push(inputs, &Target::of_points(points, &shares));
    }
    data
}
