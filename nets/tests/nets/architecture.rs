//! Texts of architectures.

use nets::{Activation, Architecture, Layer, Outcome, ValueOutput};

use crate::common::ARCHITECTURES;

#[test]
fn a_text_is_read_and_written() {
    for text in ARCHITECTURES {
        assert_eq!(text.parse::<Architecture>().expect("an architecture").to_string(), text);
    }
    let text = "policy=9 encoding=a/b inputs=4 hidden=6:tanh,block:relu outcome=softmax value=tanh";
    let architecture: Architecture = text.parse().expect("words in any order");
    assert_eq!(architecture.encoding(), "a/b");
    assert_eq!(architecture.inputs(), 4);
    assert_eq!(architecture.hidden(), [Layer::Dense(6, Activation::Tanh), Layer::Block(Activation::Relu)]);
    assert_eq!(architecture.outcome(), Some(Outcome::Softmax));
    assert_eq!(architecture.value(), Some(ValueOutput::Tanh));
    assert_eq!((architecture.value_at(), architecture.policy_at(), architecture.outputs()), (3, 4, 13));
    // 4*6+6, two of 6*6+6, and heads of 3, 1 and 9.
    assert_eq!(architecture.weights(), 30 + 2 * 42 + 13 * 7);
}

#[test]
fn points_are_those_of_the_value_or_of_the_outcome() {
    let points = |text: &str, outputs: &[f32]| text.parse::<Architecture>().expect("an architecture").points(outputs);
    assert_eq!(points("encoding=x inputs=1 value=sigmoid", &[0.75]), Some(0.75));
    assert_eq!(points("encoding=x inputs=1 outcome=sigmoid value=tanh", &[1.0, 0.0, 0.0, -0.5]), Some(0.25));
    assert_eq!(points("encoding=x inputs=1 outcome=sigmoid", &[0.5, 0.25, 0.25]), Some(0.625));
    assert_eq!(points("encoding=x inputs=1 outcome=sigmoid", &[0.0, 0.0, 0.0]), Some(0.5));
    assert_eq!(points("encoding=x inputs=1 policy=2", &[0.5, 0.25]), None);
}

#[test]
fn a_text_that_is_none_says_why() {
    for (text, reason) in [
        ("", "`encoding` is missing"),
        ("encoding=x", "`inputs` is missing"),
        ("encoding=x inputs=3", "it has no head: outcome, value or policy"),
        ("encoding=x inputs=0 policy=3", "`inputs` is a whole number from 1 to 65535, not `0`"),
        ("encoding=x inputs=3 policy=70000", "`policy` is a whole number from 1 to 65535, not `70000`"),
        ("encoding=x inputs=3 inputs=3 policy=3", "`inputs` stands there twice"),
        ("encoding=x inputs=3 policy", "`policy` has no `=`"),
        ("encoding=x inputs=3 heads=3", "`heads` is not one of encoding, inputs, hidden, outcome, value, policy"),
        ("encoding=\" inputs=3 policy=3", "`encoding` is up to 200 letters, digits and -_/.:+, not `\"`"),
        (
            "encoding=x inputs=3 hidden=9 policy=3",
            "`9` is not a layer: UNITS:ACTIVATION, residual:ACTIVATION or block:ACTIVATION",
        ),
        ("encoding=x inputs=3 hidden=9:gelu policy=3", "`gelu` is not one of relu, sigmoid, tanh"),
        ("encoding=x inputs=3 hidden=5000:relu policy=3", "`units` is a whole number from 1 to 4096, not `5000`"),
        (
            "encoding=x inputs=3 hidden=residual:relu policy=3",
            "the first layer is UNITS:ACTIVATION, since the others are as wide as the layer before",
        ),
        ("encoding=x inputs=3 outcome=relu", "`outcome` is `sigmoid` or `softmax`, not `relu`"),
        ("encoding=x inputs=3 value=softmax", "`value` is `sigmoid` or `tanh`, not `softmax`"),
        ("encoding=x inputs=60000 hidden=4096:relu policy=3", "it has 245776387 weights, more than 16777216"),
    ] {
        let error = text.parse::<Architecture>().expect_err(text);
        assert_eq!(error.reason, reason, "{text}");
    }
    let hidden = vec!["9:relu"; 129].join(",");
    let error = format!("encoding=x inputs=3 hidden={hidden} policy=3").parse::<Architecture>().expect_err("too deep");
    assert_eq!(error.reason, "it has 129 layers, more than 128");
}
