//! A tree as a drawing: the root on the left, a line a leaf.

use gp::{Node, PrimitiveSet, Stored, Tree, Type};

use super::escaped;

/// Larger trees are not drawn: nobody reads them.
const NODES_MAX: usize = 300;
/// Height of a leaf's line, height of a node's box, room between two depths; pixels.
const LINE: f64 = 22.0;
const BOX: f64 = 18.0;
const GAP: f64 = 18.0;
/// Width of a letter of the labels, about, and room beside them.
const LETTER: f64 = 7.2;
const ROOM: f64 = 12.0;
const MARGIN: f64 = 6.0;
/// Colours of number nodes and of truth nodes; their boxes differ in shape, too.
const NUMBER: &str = "#0072B2";
const TRUTH: &str = "#D55E00";

/// A node with its place.
struct Placed {
    label: String,
    is_truth: bool,
    depth: usize,
    /// Middle of its line.
    y: f64,
    parent: Option<usize>,
}

/// The drawing, of trees that are small enough.
pub(super) fn svg(tree: &Tree, set: &PrimitiveSet) -> Option<String> {
    (tree.size() <= NODES_MAX).then(|| draw(&placed(tree, set)))
}

/// Nodes in prefix order. A leaf has the next free line, other nodes stand in the middle of their children.
fn placed(tree: &Tree, set: &PrimitiveSet) -> Vec<Placed> {
    let mut nodes: Vec<Placed> = Vec::with_capacity(tree.size());
    // Parents of the nodes to come, the next on top.
    let mut open: Vec<Option<usize>> = vec![None];
    let mut lines = 0;
    for (place, node) in tree.nodes().iter().enumerate() {
        let parent = open.pop().flatten();
        let primitive = set.get(node.primitive);
        let arity = primitive.arity();
        open.extend(std::iter::repeat_n(Some(place), arity));
        let y = if arity == 0 {
            lines += 1;
            MARGIN + LINE * (f64::from(lines) - 0.5)
        } else {
            0.0
        };
        nodes.push(Placed {
            label: label(&primitive.name, node),
            is_truth: primitive.op.result() == Type::Bool,
            depth: parent.map_or(0, |parent| nodes[parent].depth + 1),
            y,
            parent,
        });
    }
    // Children stand behind their parent, so that from behind all of a node's children are placed before it.
    for place in (0..nodes.len()).rev() {
        let children: Vec<f64> = nodes.iter().filter(|node| node.parent == Some(place)).map(|node| node.y).collect();
        if let (Some(first), Some(last)) = (children.first(), children.last()) {
            nodes[place].y = 0.5 * (first + last);
        }
    }
    nodes
}

/// Name, what is stored, and the factor: `Mobility × 0.93`.
fn label(name: &str, node: &Node) -> String {
    let stored = match node.stored {
        Stored::None => String::new(),
        Stored::Number(number) => format!(" {}", short(number)),
        Stored::Square { row, column } => format!(" {row},{column}"),
    };
    let factor = if node.factor == 1.0 { String::new() } else { format!(" × {}", short(node.factor)) };
    format!("{name}{stored}{factor}")
}

/// A number with three significant digits.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    rounded.to_string()
}

fn draw(nodes: &[Placed]) -> String {
    let depths = nodes.iter().map(|node| node.depth).max().unwrap_or(0) + 1;
    let width = |depth: usize| {
        let letters = nodes.iter().filter(|node| node.depth == depth).map(|node| node.label.chars().count()).max();
        ROOM + LETTER * letters.unwrap_or(0) as f64
    };
    let mut left = vec![MARGIN];
    for depth in 0..depths {
        left.push(left[depth] + width(depth) + GAP);
    }
    let right = left[depths] - GAP + MARGIN;
    let bottom = nodes.iter().map(|node| node.y).fold(0.0, f64::max) + 0.5 * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{right:.1}\" height=\"{bottom:.1}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12\">\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    for node in nodes {
        let Some(parent) = node.parent.map(|parent| &nodes[parent]) else { continue };
        let from = left[parent.depth] + ROOM + LETTER * parent.label.chars().count() as f64;
        let (turn, to) = (left[node.depth] - 0.5 * GAP, left[node.depth]);
        svg.push_str(&format!(
            "<path d=\"M{from:.1} {:.1}H{turn:.1}V{:.1}H{to:.1}\" fill=\"none\" stroke=\"#666666\"/>",
            parent.y, node.y
        ));
    }
    for node in nodes {
        let (x, top) = (left[node.depth], node.y - 0.5 * BOX);
        let wide = ROOM + LETTER * node.label.chars().count() as f64;
        let (colour, round) = if node.is_truth { (TRUTH, 0.5 * BOX) } else { (NUMBER, 2.0) };
        svg.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{BOX}\" rx=\"{round}\" fill=\"white\" \
             stroke=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 0.5 * ROOM,
            node.y + 4.0,
            escaped(&node.label)
        ));
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(String, usize, f64)> {
        let set = PrimitiveSet::evomcts(["Mobility", "Discs"], (8, 8));
        let tree = Tree::parse(text, Type::Float, &set).expect("a tree");
        placed(&tree, &set).into_iter().map(|node| (node.label, node.depth, node.y)).collect()
    }

    /// Leaves are a line apart, and a node is in the middle of its first and last child.
    #[test]
    fn nodes_stand_beside_their_children() {
        let found = places("(Plus Mobility (Plus Discs One*0.5))");
        let wanted = [
            ("Plus", 0, 26.75),
            ("Mobility", 1, 17.0),
            ("Plus", 1, 36.5 + 13.5),
            ("Discs", 2, 39.0),
            ("One × 0.5", 2, 61.0),
        ];
        assert_eq!(found.len(), wanted.len());
        for ((label, depth, y), (name, at, _)) in found.iter().zip(wanted) {
            assert_eq!((label.as_str(), *depth), (name, at));
            assert!(*y > 0.0);
        }
        let y: Vec<f64> = found.iter().map(|node| node.2).collect();
        assert_eq!((y[3] - y[1], y[4] - y[3]), (LINE, LINE));
        assert_eq!((y[2], y[0]), (0.5 * (y[3] + y[4]), 0.5 * (y[1] + y[2])));
    }
}
