//! Nanoseconds an evaluation of a position by a tree of 20, 60 and 200 nodes: boxes, the plain walk, a program over
//! four positions at a time; and what compiling costs.
//!
//! `cargo bench -p gp` measures; the program is also run as games run it, compiled for AVX2 where the processor has it.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gp::{Inputs, LANES, Lanes, Node, Op, PrimitiveSet, Program, Register, SquareTest, Stored, Tree, Type, evaluate};

#[path = "../tests/common/mod.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod common;

use common::{Draws, numbers, reversi};

/// Trees of each size, so that no branch predictor learns one by heart.
const TREES: usize = 16;
/// Positions of a pass.
const POSITIONS: usize = 64;

/// A tree of exactly `size` nodes: sizes of arguments are drawn, then nodes that take as many.
fn exact(kind: Type, size: usize, set: &PrimitiveSet, draws: &mut Draws, nodes: &mut Vec<Node>) {
    use gp::Random as _;
    let fits: Vec<u16> = (0..set.all().len() as u16)
        .filter(|&index| {
            let primitive = set.get(index);
            let arity = primitive.arity();
            primitive.op.result() == kind && if size == 1 { arity == 0 } else { arity > 0 && arity < size }
        })
        .collect();
    // A node and sizes of its arguments, drawn until they can be: no function of truth takes one argument, so that no
    // tree of truth has two nodes.
    let (index, shares) = loop {
        let index = fits[draws.index(fits.len())];
        let primitive = set.get(index);
        let mut shares = vec![1; primitive.arity()];
        for _ in 0..size - 1 - primitive.arity() {
            shares[draws.index(primitive.arity())] += 1;
        }
        if shares.iter().enumerate().all(|(i, share)| primitive.argument(i) == Type::Float || *share != 2) {
            break (index, shares);
        }
    };
    let stored = match set.get(index).op {
        Op::Random | Op::Scale => Stored::Number(10.0 * draws.unit() - 5.0),
        Op::Square(_) => Stored::Square { row: draws.below(8) as u8, column: draws.below(8) as u8 },
        _ => Stored::None,
    };
    let factor = if kind == Type::Float && draws.below(4) == 0 { 0.8 + 0.4 * draws.unit() } else { 1.0 };
    nodes.push(Node { primitive: index, stored, factor });
    for (argument, share) in shares.into_iter().enumerate() {
        exact(set.get(index).argument(argument), share, set, draws, nodes);
    }
}

/// A tree of boxes, as in an object-oriented system.
enum Number {
    Constant(f64),
    Input(usize),
    Plus(f64, Box<Number>, Box<Number>),
    Minus(f64, Box<Number>, Box<Number>),
    Scale(f64, Box<Number>),
    If(f64, Box<Truth>, Box<Number>, Box<Number>),
}

enum Truth {
    Constant(bool),
    Square(SquareTest, u32),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Not(Box<Truth>),
    AtMost(Box<Number>, Box<Number>),
}

impl Number {
    fn value(&self, inputs: &Inputs<'_>) -> f64 {
        match self {
            Number::Constant(x) => *x,
            Number::Input(index) => inputs.numbers[*index],
            Number::Plus(f, x, y) => f * (x.value(inputs) + y.value(inputs)),
            Number::Minus(f, x, y) => f * (x.value(inputs) - y.value(inputs)),
            Number::Scale(f, x) => f * x.value(inputs),
            Number::If(f, c, x, y) => f * if c.value(inputs) { x.value(inputs) } else { y.value(inputs) },
        }
    }
}

impl Truth {
    fn value(&self, inputs: &Inputs<'_>) -> bool {
        match self {
            Truth::Constant(truth) => *truth,
            Truth::Square(test, square) => {
                let on = |pieces: u64| pieces >> square & 1 == 1;
                match test {
                    SquareTest::Empty => !on(inputs.friendly | inputs.enemy),
                    SquareTest::Friendly => on(inputs.friendly),
                    SquareTest::Occupied => on(inputs.friendly | inputs.enemy),
                }
            }
            Truth::And(a, b) => a.value(inputs) && b.value(inputs),
            Truth::Or(a, b) => a.value(inputs) || b.value(inputs),
            Truth::Not(a) => !a.value(inputs),
            Truth::AtMost(x, y) => x.value(inputs) <= y.value(inputs),
        }
    }
}

/// Introns are skipped: they are never evaluated.
fn boxed_number(nodes: &[Node], at: &mut usize, set: &PrimitiveSet) -> Number {
    let node = nodes[*at];
    let primitive = set.get(node.primitive);
    *at += 1;
    let f = node.factor;
    let stored = if let Stored::Number(number) = node.stored { number } else { 0.0 };
    let number = |at: &mut usize| Box::new(boxed_number(nodes, at, set));
    let boxed = match primitive.op {
        Op::Constant(x) => Number::Constant(f * x),
        Op::Random => Number::Constant(f * stored),
        Op::Number(index) if f == 1.0 => Number::Input(index.into()),
        Op::Number(index) => Number::Scale(f, Box::new(Number::Input(index.into()))),
        Op::Plus => Number::Plus(f, number(at), number(at)),
        Op::Minus => Number::Minus(f, number(at), number(at)),
        Op::Scale => Number::Scale(f * stored, number(at)),
        Op::First => Number::Scale(f, number(at)),
        Op::If => {
            let condition = Box::new(boxed_truth(nodes, at, set));
            Number::If(f, condition, number(at), number(at))
        }
        other => unreachable!("{other:?}"),
    };
    skip(nodes, at, set, primitive.introns.len());
    boxed
}

fn boxed_truth(nodes: &[Node], at: &mut usize, set: &PrimitiveSet) -> Truth {
    let node = nodes[*at];
    let primitive = set.get(node.primitive);
    *at += 1;
    let truth = |at: &mut usize| Box::new(boxed_truth(nodes, at, set));
    let boxed = match primitive.op {
        Op::Truth(truth) => Truth::Constant(truth),
        Op::Square(test) => {
            let Stored::Square { row, column } = node.stored else { unreachable!("a square") };
            Truth::Square(test, u32::from(row) * 8 + u32::from(column))
        }
        Op::And => Truth::And(truth(at), truth(at)),
        Op::Or => Truth::Or(truth(at), truth(at)),
        Op::Nand => Truth::Not(Box::new(Truth::And(truth(at), truth(at)))),
        Op::Nor => Truth::Not(Box::new(Truth::Or(truth(at), truth(at)))),
        Op::Not => Truth::Not(truth(at)),
        Op::AtMost => {
            let x = Box::new(boxed_number(nodes, at, set));
            Truth::AtMost(x, Box::new(boxed_number(nodes, at, set)))
        }
        other => unreachable!("{other:?}"),
    };
    skip(nodes, at, set, primitive.introns.len());
    boxed
}

fn skip(nodes: &[Node], at: &mut usize, set: &PrimitiveSet, subtrees: usize) {
    let mut open = subtrees;
    while open > 0 {
        open += set.get(nodes[*at].primitive).arity();
        open -= 1;
        *at += 1;
    }
}

/// Positions by lanes.
struct Batch {
    numbers: Vec<Lanes>,
    friendly: [u64; LANES],
    enemy: [u64; LANES],
}

#[inline(always)]
fn run_all(program: &Program, registers: &mut [Register], batches: &[Batch]) -> f64 {
    batches.iter().map(|batch| program.run(registers, &batch.numbers, &batch.friendly, &batch.enemy)[0]).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_all_wide(program: &Program, registers: &mut [Register], batches: &[Batch]) -> f64 {
    run_all(program, registers, batches)
}

fn run_at_best(program: &Program, registers: &mut [Register], batches: &[Batch]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { run_all_wide(program, registers, batches) };
    }
    run_all(program, registers, batches)
}

fn benches(criterion: &mut Criterion) {
    let (set, mut draws) = (reversi(), Draws::new(20));
    let seen: Vec<([f64; 7], u64, u64)> = (0..POSITIONS).map(|_| numbers(&mut draws)).collect();
    let batches: Vec<Batch> = seen
        .chunks(LANES)
        .map(|lanes| Batch {
            numbers: (0..7).map(|n| std::array::from_fn(|lane| lanes[lane].0[n])).collect(),
            friendly: std::array::from_fn(|lane| lanes[lane].1),
            enemy: std::array::from_fn(|lane| lanes[lane].2),
        })
        .collect();
    for size in [20, 60, 200] {
        let trees: Vec<Tree> = (0..TREES)
            .map(|_| {
                let mut nodes = Vec::new();
                exact(Type::Float, size, &set, &mut draws, &mut nodes);
                Tree::new(nodes, &set).expect("a tree")
            })
            .collect();
        let boxed: Vec<Number> = trees.iter().map(|tree| boxed_number(tree.nodes(), &mut 0, &set)).collect();
        let programs: Vec<Program> = trees.iter().map(|tree| Program::new(tree, &set).expect("small")).collect();
        let mut group = criterion.benchmark_group("one position");
        group.throughput(Throughput::Elements((TREES * POSITIONS) as u64));
        let inputs = |(numbers, friendly, enemy): &([f64; 7], u64, u64)| (*numbers, *friendly, *enemy);
        group.bench_function(BenchmarkId::new("boxes", size), |bencher| {
            bencher.iter(|| {
                let mut sum = 0.0;
                for tree in &boxed {
                    for (numbers, friendly, enemy) in seen.iter().map(inputs) {
                        sum += tree.value(black_box(&Inputs { numbers: &numbers, friendly, enemy }));
                    }
                }
                sum
            });
        });
        group.bench_function(BenchmarkId::new("plain walk", size), |bencher| {
            bencher.iter(|| {
                let mut sum = 0.0;
                for tree in &trees {
                    for (numbers, friendly, enemy) in seen.iter().map(inputs) {
                        sum += evaluate(tree, &set, &Inputs { numbers: &numbers, friendly, enemy });
                    }
                }
                sum
            });
        });
        let mut registers: Vec<Vec<Register>> = programs.iter().map(Program::registers).collect();
        group.bench_function(BenchmarkId::new("program, 4 lanes", size), |bencher| {
            bencher.iter(|| {
                let runs = programs.iter().zip(&mut registers);
                runs.map(|(program, registers)| run_at_best(program, registers, black_box(&batches))).sum::<f64>()
            });
        });
        group.finish();
        let mut group = criterion.benchmark_group("one tree");
        group.throughput(Throughput::Elements(TREES as u64));
        group.bench_function(BenchmarkId::new("compile", size), |bencher| {
            bencher.iter(|| trees.iter().filter_map(|tree| Program::new(black_box(tree), &set)).count());
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
