//! Files: round trips, and every kind of damage.

use nets::{BYTES_MAX, Net, NetError};

use crate::common::{ARCHITECTURES, net, oracle};

/// A safetensors file of a head named `value` in most tests, by hand.
pub(crate) fn file(architecture: &str, tensors: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    let named: Vec<(String, &[usize], &[f32])> =
        tensors.iter().map(|&(name, shape, values)| (format!("value.{name}"), shape, values)).collect();
    raw(&format!(r#""__metadata__":{{"redqueen":"{architecture}"}},"#), &named)
}

fn raw(metadata: &str, tensors: &[(String, &[usize], &[f32])]) -> Vec<u8> {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (name, shape, values) in tensors {
        let start = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        entries
            .push(format!(r#""{name}":{{"dtype":"F32","shape":{shape:?},"data_offsets":[{start},{}]}}"#, data.len()));
    }
    with_head(&format!("{{{metadata}{}}}", entries.join(",")), &data)
}

fn with_head(head: &str, data: &[u8]) -> Vec<u8> {
    let mut file = (head.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(head.as_bytes());
    file.extend_from_slice(data);
    file
}

const SMALL: &str = "encoding=x inputs=2 value=tanh";

#[track_caller]
fn check(bytes: &[u8], said: &str) {
    let error = Net::read(bytes).expect_err("an error").to_string();
    assert!(error.starts_with(said), "{error}\nis not\n{said}");
}

#[test]
fn what_is_written_is_read() {
    for text in ARCHITECTURES {
        let net = net(text);
        let bytes = net.write();
        assert_eq!(bytes, net.write(), "the same bytes each time");
        let read = Net::read(&bytes).expect("a net");
        assert_eq!(read, net);
        assert_eq!(read.write(), bytes);
    }
}

#[test]
fn a_file_of_python_comes_back_with_the_same_weights() {
    for name in ["paper.safetensors", "deep.safetensors"] {
        let net = Net::read(&oracle(name)).expect("a net");
        assert_eq!(Net::read(&net.write()).expect("a net"), net);
    }
}

#[test]
fn a_file_that_is_cut_short_says_how_long_it_was() {
    for bytes in [oracle("deep.safetensors"), net(ARCHITECTURES[1]).write()] {
        for length in 0..bytes.len().min(3_000) {
            let error = Net::read(&bytes[..length]).expect_err("an error");
            match error {
                NetError::Format(_) => assert!(length < 9, "{length}: {error}"),
                NetError::CutShort { bytes: found, wanted } => {
                    assert!(found == length && wanted > length as u64 && wanted <= bytes.len() as u64, "{error}");
                }
                other => panic!("{other}"),
            }
        }
        check(
            &bytes[..bytes.len() - 1],
            &format!(
                "the file is cut short: it has {} bytes, and its head says {}; copy it again",
                bytes.len() - 1,
                bytes.len()
            ),
        );
    }
}

#[test]
fn a_file_of_another_kind_or_a_damaged_one_is_refused() {
    check(
        b"",
        "the file is not a whole safetensors file: header too small; write it with `safetensors.torch.save_file`",
    );
    check(b"PK\x03\x04 a zip archive of torch.save", "the file is not a whole safetensors file: ");
    check(&with_head("{", &[]), "the file is not a whole safetensors file: ");
    check(&with_head("[1, 2]", &[]), "the file is not a whole safetensors file: ");
    check(
        &[b"\xff\xff\xff\xff\xff\xff\xff\x7f{".as_slice(), &[0; 40]].concat(),
        "the file is not a whole safetensors file: ",
    );
    let mut longer = net(ARCHITECTURES[0]).write();
    longer.push(0);
    check(&longer, "the file is not a whole safetensors file: incomplete metadata, file not fully covered");
    check(&vec![0; BYTES_MAX + 1], &format!("the file has {} bytes, and a net has at most {BYTES_MAX}", BYTES_MAX + 1));
    // Any byte of the head may be wrong: the reader says so or reads a net, and does not panic.
    let bytes = oracle("paper.safetensors");
    for place in 0..700 {
        for flip in [1, 0x20, 0x80] {
            let mut damaged = bytes.clone();
            damaged[place] ^= flip;
            let _ = Net::read(&damaged);
        }
    }
}

#[test]
fn metadata_name_the_architecture() {
    check(&raw("", &[]), "the metadata have no `redqueen`: write the file with metadata=");
    check(
        &raw(r#""__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}"#, &[]),
        "the metadata have no `redqueen`",
    );
    check(
        &file("inputs=2 value=tanh", &[("weight", &[1, 2], &[0.0; 2])]),
        "`inputs=2 value=tanh` is not an architecture: `encoding` is missing; one is `encoding=dots-and-boxes/paper",
    );
}

#[test]
fn tensors_are_those_of_the_architecture() {
    let weight: (&str, &[usize], &[f32]) = ("weight", &[1, 2], &[0.5, -0.5]);
    let bias: (&str, &[usize], &[f32]) = ("bias", &[1], &[0.0]);
    assert!(Net::read(&file(SMALL, &[weight, bias])).is_ok());
    check(
        &file(SMALL, &[weight]),
        "tensor `value.bias` is missing, which the architecture has with shape [1]; the file has value.weight",
    );
    check(
        &file(SMALL, &[weight, bias, ("scale", &[1], &[1.0])]),
        "tensor `value.scale` is not one of the architecture's; leave it out, or name its layer in `redqueen`",
    );
    check(
        &file(SMALL, &[("weight", &[2, 1], &[0.5, -0.5]), bias]),
        "tensor `value.weight` has shape [2, 1], and the architecture has [1, 2]; weights are [outputs, inputs]",
    );
    check(
        &file("encoding=x inputs=3 value=tanh", &[weight, bias]),
        "tensor `value.weight` has shape [1, 2], and the architecture has [1, 3]",
    );
    let head = format!(
        r#"{{"__metadata__":{{"redqueen":"{SMALL}"}},"value.weight":{{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]}}}}"#
    );
    check(
        &with_head(&head, &[0; 16]),
        "tensor `value.weight` holds F64, and weights are F32; convert the model with `.float()`",
    );
}

#[test]
fn weights_are_numbers_of_sane_size() {
    let weight: (&str, &[usize], &[f32]) = ("weight", &[1, 2], &[0.5, -0.5]);
    for (value, text) in
        [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf"), (2e6, "2000000"), (-1.5e6, "-1500000")]
    {
        check(
            &file(SMALL, &[weight, ("bias", &[1], &[value])]),
            &format!("tensor `value.bias` has {text} at place 0, and weights are numbers from -1000000 to 1000000"),
        );
        check(
            &file(SMALL, &[("weight", &[1, 2], &[1e6, value]), ("bias", &[1], &[0.0])]),
            &format!("tensor `value.weight` has {text} at place 1"),
        );
    }
}
