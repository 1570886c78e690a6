//! Files of nets: safetensors, named and laid out as `torch.nn.Linear` has them in a `state_dict`, with the architecture in
//! the metadata.

use safetensors::{Dtype, SafeTensorError, SafeTensors};

use crate::{
    architecture::{Architecture, ArchitectureError, Linear},
    kernels::without_negative_zero,
    net::{Net, Weights},
};

/// Most bytes of a file.
pub const BYTES_MAX: usize = 65 << 20;
/// Weights are at most this far from 0, so that sums stay finite in nets of sane depth.
const WEIGHT_MAX: f32 = 1e6;
/// The key of the architecture in the metadata.
const KEY: &str = "redqueen";

/// Why bytes are not a net.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// There are too many.
    #[error("the file has {bytes} bytes, and a net has at most {BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// They end too early.
    #[error(
        "the file is cut short: it has {bytes} bytes, and its head says {wanted}; copy it again, or ask for the whole file"
    )]
    CutShort {
        /// Its size.
        bytes: usize,
        /// What it would be.
        wanted: u64,
    },
    /// They are another kind of file, or damaged.
    #[error("the file is not a whole safetensors file: {0}; write it with `safetensors.torch.save_file`")]
    Format(#[source] SafeTensorError),
    /// The metadata do not say what the net is.
    #[error(
        "the metadata have no `{KEY}`: write the file with metadata={{\"format\": \"pt\", \"{KEY}\": \"encoding=… inputs=… …\"}}"
    )]
    NoArchitecture,
    /// What the metadata say is not an architecture.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A tensor of the architecture is not there.
    #[error("tensor `{name}` is missing, which the architecture has with shape {shape:?}; the file has {found}")]
    Missing {
        /// Its name.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Names in the file.
        found: String,
    },
    /// A tensor that the architecture does not have.
    #[error("tensor `{name}` is not one of the architecture's; leave it out, or name its layer in `{KEY}`")]
    Unknown {
        /// Its name.
        name: String,
    },
    /// A tensor has another shape.
    #[error("tensor `{name}` has shape {found:?}, and the architecture has {shape:?}; weights are [outputs, inputs]")]
    Shape {
        /// Its name.
        name: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// Its shape by the architecture.
        shape: Vec<usize>,
    },
    /// A tensor is of another type.
    #[error("tensor `{name}` holds {found:?}, and weights are F32; convert the model with `.float()`")]
    Type {
        /// Its name.
        name: String,
        /// Its type.
        found: Dtype,
    },
    /// A weight is not a number, infinite, or so large that sums overflow.
    #[error("tensor `{name}` has {value} at place {place}, and weights are numbers from -{WEIGHT_MAX} to {WEIGHT_MAX}")]
    Value {
        /// Name of the tensor.
        name: String,
        /// Place in its data.
        place: usize,
        /// What stands there.
        value: f32,
    },
}

/// Tensors of a linear map: names, shapes.
fn tensors(linear: &Linear) -> [(String, Vec<usize>); 2] {
    [
        (format!("{}.weight", linear.name), vec![linear.outputs, linear.inputs]),
        (format!("{}.bias", linear.name), vec![linear.outputs]),
    ]
}

/// Bytes that the head of a safetensors file says it has; `None` if it has no head.
fn wanted(bytes: &[u8]) -> Option<u64> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    // Heads begin with a brace; anything else is another kind of file.
    if rest.first() != Some(&b'{') || length > BYTES_MAX as u64 {
        return None;
    }
    let head = 8 + length;
    let Ok(head_end) = usize::try_from(head) else { return None };
    if head_end > bytes.len() {
        return Some(head);
    }
    // The check of the whole fails where data are missing, so that the end is read from the text.
    let text = std::str::from_utf8(&bytes[8..head_end]).ok()?;
    let ends = text.split("\"data_offsets\":[").skip(1);
    let end = |part: &str| part.split_once(']')?.0.split_once(',')?.1.trim().parse::<u64>().ok();
    ends.filter_map(end).max().map(|end| head.saturating_add(end))
}

impl Net {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Net, NetError> {
        if bytes.len() > BYTES_MAX {
            return Err(NetError::TooLarge { bytes: bytes.len() });
        }
        let read = || Ok((SafeTensors::read_metadata(bytes)?.1, SafeTensors::deserialize(bytes)?));
        let (head, file) = read().map_err(|error| match wanted(bytes) {
            Some(wanted) if wanted > bytes.len() as u64 => NetError::CutShort { bytes: bytes.len(), wanted },
            _ => NetError::Format(error),
        })?;
        let text = head.metadata().as_ref().and_then(|metadata| metadata.get(KEY)).ok_or(NetError::NoArchitecture)?;
        let architecture: Architecture = text.parse()?;
        let linears = architecture.linears();
        let known: Vec<String> = linears.iter().flat_map(tensors).map(|(name, _)| name).collect();
        let mut names = file.names();
        names.sort_unstable();
        let weights = linears
            .iter()
            .map(|linear| {
                let [weight, bias] = tensors(linear).map(|(name, shape)| values(&file, &names, name, shape));
                Ok(Weights { weight: weight?, bias: bias? })
            })
            .collect::<Result<_, NetError>>()?;
        if let Some(name) = names.iter().find(|name| !known.iter().any(|known| known == *name)) {
            return Err(NetError::Unknown { name: shortened(name) });
        }
        Ok(Net { architecture, weights })
    }

    /// The file of the net: the same bytes for the same net.
    pub fn write(&self) -> Vec<u8> {
        use std::fmt::Write as _;
        // By hand, since the metadata of the library's own writer stand in the order of a hash map. No text has a character
        // that JSON escapes.
        let mut head = format!(r#"{{"__metadata__":{{"format":"pt","{KEY}":"{}"}}"#, self.architecture);
        let mut data = Vec::new();
        for (linear, weights) in self.architecture.linears().iter().zip(&self.weights) {
            for ((name, shape), values) in tensors(linear).iter().zip([&weights.weight, &weights.bias]) {
                let start = data.len();
                data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                let end = data.len();
                let _ = write!(head, r#","{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{start},{end}]}}"#);
            }
        }
        head.push('}');
        while !head.len().is_multiple_of(8) {
            head.push(' ');
        }
        let mut file = (head.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(head.as_bytes());
        file.extend_from_slice(&data);
        file
    }
}

/// The start of a name that may be of any length.
fn shortened(name: &str) -> String {
    name.chars().take(100).collect()
}

/// The values of a tensor, checked.
fn values(file: &SafeTensors<'_>, names: &[&str], name: String, shape: Vec<usize>) -> Result<Vec<f32>, NetError> {
    let Ok(tensor) = file.tensor(&name) else {
        let found = match names {
            [] => "no tensors".to_owned(),
            names => names.iter().take(20).map(|name| shortened(name)).collect::<Vec<_>>().join(", "),
        };
        return Err(NetError::Missing { name, shape, found });
    };
    if tensor.dtype() != Dtype::F32 {
        return Err(NetError::Type { name, found: tensor.dtype() });
    }
    if tensor.shape() != shape {
        return Err(NetError::Shape { name, found: tensor.shape().to_vec(), shape });
    }
    let values: Vec<f32> = tensor.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let is_sane = |value: f32| (-WEIGHT_MAX..=WEIGHT_MAX).contains(&value);
    match values.iter().position(|&value| !is_sane(value)) {
        Some(place) => Err(NetError::Value { name, place, value: values[place] }),
        None => Ok(values.into_iter().map(without_negative_zero).collect()),
    }
}
