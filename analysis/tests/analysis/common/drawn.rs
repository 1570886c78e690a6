//! What every figure must be like.

use analysis::Figure;

/// That a figure is well-formed, has these texts, draws text at all, and becomes a picture of twice its size.
#[track_caller]
pub(crate) fn check_figure(figure: &Figure, texts: &[&str]) {
    for text in texts {
        assert!(figure.svg.contains(&format!(">{text}<")), "`{text}` is not in {}:\n{}", figure.name, figure.svg);
    }
    let lower = figure.svg.to_ascii_lowercase();
    assert!(!lower.contains("nan") && !lower.contains("\"inf"), "{} has no number somewhere", figure.name);
    let png = figure.to_png().expect("well-formed SVG");
    let attribute = |name: &str| -> f64 {
        let rest = figure.svg.split_once(&format!(" {name}=\"")).expect("an attribute").1;
        rest.split('"').next().expect("a value").parse().expect("a number")
    };
    let side = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes")));
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!([side(16), side(20)], [2.0 * attribute("width").ceil(), 2.0 * attribute("height").ceil()]);
    assert!(side(16) >= 1000.0, "too small for print");
    // A renderer without a font leaves every text out and says nothing.
    let mute = Figure { svg: figure.svg.replace("<text", "<desc").replace("</text", "</desc"), ..figure.clone() };
    assert_ne!(mute.to_png().expect("well-formed"), png, "{} shows no text", figure.name);
}
