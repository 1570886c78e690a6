//! Outputs against NumPy's in double precision, of files that Python's safetensors wrote.

use nets::{Evaluator, Incremental, Net};

use crate::common::{document, numbers, oracle};

#[test]
fn outputs_are_those_of_numpy() {
    let expected = document("values.json");
    let rows: Vec<Vec<f64>> = expected["inputs"].as_array().expect("rows").iter().map(numbers).collect();
    for name in ["paper", "deep"] {
        let net = Net::read(&oracle(&format!("{name}.safetensors"))).expect("a net");
        let of = &expected["nets"][name];
        assert_eq!(net.architecture().to_string(), of["architecture"]);
        let mut evaluator = Evaluator::new(&net);
        let mut incremental = Incremental::new(&net, 1).expect("it has a hidden layer");
        for (row, wanted) in rows.iter().zip(of["outputs"].as_array().expect("outputs")) {
            let row: Vec<f32> = row.iter().map(|&x| x as f32).collect();
            let mut outputs = vec![0.0; net.architecture().outputs()];
            evaluator.evaluate(&row, &mut outputs);
            let mut in_fixed_point = outputs.clone();
            incremental.set_all(&row);
            incremental.outputs(&mut in_fixed_point);
            let wanted = numbers(wanted);
            assert_eq!(wanted.len(), outputs.len());
            for (place, &wanted) in wanted.iter().enumerate() {
                let (float, fixed) = (f64::from(outputs[place]), f64::from(in_fixed_point[place]));
                assert!((float - wanted).abs() < 2e-6, "{name}, output {place}: {float} is not {wanted}");
                assert!((fixed - wanted).abs() < 5e-6, "{name}, output {place}: {fixed} in fixed point, not {wanted}");
            }
        }
    }
}

/// e to the power of x and the like from Python's math module.
#[test]
fn sigmoid_tanh_and_softmax_are_those_of_python() {
    let outputs = |head: &str, bias: f32| {
        let file = crate::files::file(
            &format!("encoding=x inputs=1 {head}"),
            &[("weight", &[1, 1], &[0.0]), ("bias", &[1], &[bias])],
        );
        let mut out = [0.0];
        Evaluator::new(&Net::read(&file).expect("a net")).evaluate(&[1.0], &mut out);
        out[0]
    };
    for (x, sigmoid, tanh) in [
        (0.0f32, 0.5, 0.0),
        (1.0, 0.731_058_578_630_004_9, 0.761_594_155_955_764_9),
        (-0.5, 0.377_540_668_798_145_4, -0.462_117_157_260_009_74),
        (-7.25, 0.000_709_670_399_100_588_1, -0.999_998_991_305_183_5),
        (20.0, 0.999_999_997_938_846_4, 1.0),
        (-1000.0, 1.804_851_387_845_415_3e-35, -1.0),
    ] {
        let found = f64::from(outputs("value=sigmoid", x));
        assert!((found - sigmoid).abs() <= 3e-7 * sigmoid, "sigmoid of {x}: {found}");
        let found = f64::from(outputs("value=tanh", x));
        assert!((found - tanh).abs() < 2e-7, "tanh of {x}: {found}");
    }
    let mut p = [1.0, -2.5, 0.0, 3.75, -200.0];
    nets::softmax(&mut p);
    let wanted =
        [0.058_683_005_330_913_834, 0.001_772_073_212_351_565_7, 0.021_588_271_207_397_352, 0.917_956_650_249_337_1];
    for (found, wanted) in p.iter().zip(wanted) {
        assert!((f64::from(*found) - wanted).abs() < 2e-7, "{found} is not {wanted}");
    }
    assert!(p[4] > 0.0 && p[4] < 1e-30);
}
