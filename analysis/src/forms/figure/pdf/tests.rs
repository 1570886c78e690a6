//! That the file is a PDF, by reading it again as its specification says.

use std::{collections::BTreeMap, io::Read as _, str::from_utf8};

use flate2::read::ZlibDecoder;

use super::super::{FONT as SHIPPED, Figure};

fn figure(inside: &str) -> Figure {
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" font-family="DejaVu Sans">{inside}</svg>"#
    );
    Figure { name: "f".into(), title: "t – ü".into(), measured: false, svg }
}

const DRAWING: &str = r##"<defs><clipPath id="c"><rect x="10" y="20" width="30" height="40"/></clipPath></defs>
    <rect width="100%" height="100%" fill="white"/>
    <g clip-path="url(#c)"><path d="M0,0 L100,200" stroke="#0072B2" stroke-width="2" stroke-dasharray="4 2" fill="none"/></g>
    <circle cx="50" cy="60" r="5" fill="#D55E00" fill-opacity="0.25"/>
    <text x="20" y="150" font-size="12">Szöge ≥ 0.5 fi</text>
    <text x="20" y="180" font-size="12" transform="rotate(-90,20,180)">share</text>"##;

/// Objects by number, read by the table at the end.
fn objects(pdf: &[u8]) -> BTreeMap<usize, &[u8]> {
    let find = |from: usize, what: &[u8]| {
        from + pdf[from..].windows(what.len()).position(|part| part == what).expect("it is there")
    };
    let end = from_utf8(&pdf[find(0, b"startxref\n")..]).expect("text");
    let table: usize = end.lines().nth(1).expect("a place").parse().expect("a number");
    let lines: Vec<&str> = from_utf8(&pdf[table..]).expect("text").lines().collect();
    assert_eq!((lines[0], lines[2]), ("xref", "0000000000 65535 f "));
    let count: usize = lines[1].strip_prefix("0 ").expect("from 0").parse().expect("a number");
    let place = |line: &str| line[..10].parse::<usize>().expect("a place");
    let object = |number: usize| {
        let head = format!("{number} 0 obj\n");
        let at = place(lines[2 + number]);
        assert!(pdf[at..].starts_with(head.as_bytes()), "object {number} is where the table says");
        (number, &pdf[at + head.len()..find(at, b"\nendobj\n")])
    };
    (1..count).map(object).collect()
}

/// The number that follows a key in an object, as of a reference or a length.
fn number_of(object: &[u8], key: &str) -> usize {
    let text = String::from_utf8_lossy(object);
    let rest = text.split_once(&format!("/{key} ")).unwrap_or_else(|| panic!("no /{key} in {text}")).1;
    rest.trim_start_matches('[').split([' ', ']']).next().and_then(|number| number.parse().ok()).expect("a number")
}

fn stream(object: &[u8]) -> Vec<u8> {
    let begin = object.windows(7).position(|part| part == b"stream\n").expect("a stream") + 7;
    let packed = &object[begin..begin + number_of(object, "Length")];
    assert_eq!(&object[begin + packed.len()..], b"\nendstream");
    let mut data = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut data).expect("compressed");
    data
}

struct Parts {
    page: String,
    operators: String,
    font: Vec<u8>,
    /// Letters by number of glyph.
    texts: BTreeMap<u16, String>,
}

fn parts(pdf: &[u8]) -> Parts {
    assert!(pdf.starts_with(b"%PDF-1.4\n") && pdf.ends_with(b"%%EOF\n"));
    let objects = objects(pdf);
    let trailer = String::from_utf8_lossy(&pdf[pdf.len() - 200..]).into_owned();
    let catalog = objects[&number_of(trailer.as_bytes(), "Root")];
    let pages = objects[&number_of(catalog, "Pages")];
    let page = objects[&number_of(pages, "Kids")];
    let font = objects[&number_of(page, "F")];
    let descendant = objects[&number_of(font, "DescendantFonts")];
    let descriptor = objects[&number_of(descendant, "FontDescriptor")];
    let file = objects[&number_of(descriptor, "FontFile2")];
    let embedded = stream(file);
    assert_eq!(embedded.len(), number_of(file, "Length1"));
    let texts = String::from_utf8(stream(objects[&number_of(font, "ToUnicode")])).expect("text");
    let letters = |line: &str| {
        let (glyph, letters) = line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <")?;
        let units =
            (0..letters.len()).step_by(4).map(|at| u16::from_str_radix(&letters[at..at + 4], 16).expect("digits"));
        let letters = String::from_utf16(&units.collect::<Vec<_>>()).expect("letters");
        Some((u16::from_str_radix(glyph, 16).expect("digits"), letters))
    };
    // The range of all codes is a line of the same form.
    let texts = texts.lines().filter(|line| *line != "<0000> <FFFF>").filter_map(letters).collect();
    Parts {
        page: String::from_utf8_lossy(page).into_owned(),
        operators: String::from_utf8(stream(objects[&number_of(page, "Contents")])).expect("text"),
        font: embedded,
        texts,
    }
}

#[test]
fn it_has_what_the_drawing_has() {
    let pdf = figure(DRAWING).to_pdf().expect("a document");
    assert_eq!(figure(DRAWING).to_pdf().expect("a document"), pdf, "the same bytes");
    let Parts { page, operators, texts, .. } = parts(&pdf);
    // The title as UTF-16.
    let title = b"/Title <FEFF007400202013002000FC>" as &[u8];
    assert!(pdf.windows(title.len()).any(|part| part == title));
    assert!(page.contains("/MediaBox [0 0 300 150]"), "{page}");
    assert!(page.contains("/ca 0.25 ") && page.contains("/ca 1 "), "{page}");
    let lines: Vec<&str> = operators.lines().collect();
    assert_eq!(lines[0], "0.75 0 0 -0.75 0 150 cm", "from the top, in points");
    let count = |line: &str| lines.iter().filter(|other| **other == line).count();
    // The background and the circle; the line; the clip path.
    assert_eq!((count("f"), count("S"), count("W n")), (2, 1, 1));
    assert_eq!(count("q"), count("Q"));
    // #0072B2, and the line as it is drawn.
    for wanted in ["0 0.4471 0.698 RG", "2 w 0 J 0 j 4 M [4 2] 0 d", "0 0 m", "100 200 l", "10 20 m", "/O0-25 gs"] {
        assert!(lines.contains(&wanted), "no `{wanted}` in\n{operators}");
    }
    let shown = lines.iter().filter_map(|line| line.split_once(" Tm <")?.1.strip_suffix("> Tj"));
    let shown: String = shown.map(|glyph| texts[&u16::from_str_radix(glyph, 16).expect("digits")].as_str()).collect();
    assert_eq!(shown, "Szöge ≥ 0.5 fishare");
}

/// Tables of a TrueType file.
fn tables(font: &[u8]) -> BTreeMap<&str, &[u8]> {
    let word = |at: usize| u32::from_be_bytes(font[at..at + 4].try_into().expect("four bytes")) as usize;
    let count = u16::from_be_bytes([font[4], font[5]]).into();
    let table = |entry: usize| {
        let place = word(entry + 8);
        (from_utf8(&font[entry..entry + 4]).expect("a tag"), &font[place..place + word(entry + 12)])
    };
    (0..count).map(|table| 12 + 16 * table).map(table).collect()
}

fn outline<'a>(font: &BTreeMap<&str, &'a [u8]>, glyph: u16) -> &'a [u8] {
    let place = |glyph: usize| {
        u32::from_be_bytes(font["loca"][4 * glyph..4 * glyph + 4].try_into().expect("four bytes")) as usize
    };
    &font["glyf"][place(glyph.into())..place(usize::from(glyph) + 1)]
}

/// Each glyph that is shown, and each that it is made of, has the outline and the width of the shipped font.
#[test]
fn glyphs_are_those_of_the_shipped_font() {
    let Parts { font, texts, .. } = parts(&figure(DRAWING).to_pdf().expect("a document"));
    let (ours, shipped) = (tables(&font), tables(SHIPPED));
    assert!(texts.values().any(|text| text == "ö"));
    let mut parted = 0;
    let mut open: Vec<u16> = texts.keys().copied().collect();
    while let Some(glyph) = open.pop() {
        let outline = outline(&ours, glyph);
        assert_eq!(outline, self::outline(&shipped, glyph), "glyph {glyph}");
        assert_eq!(ours["hmtx"][4 * usize::from(glyph)..][..4], shipped["hmtx"][4 * usize::from(glyph)..][..4]);
        // The first part of a glyph that is made of others.
        if outline.len() > 14 && outline[0] & 0x80 != 0 {
            parted += 1;
            open.push(u16::from_be_bytes([outline[12], outline[13]]));
        }
    }
    assert!(parted > 0, "ö is an o with dots");
    assert!(font.len() < SHIPPED.len() / 8, "{} bytes", font.len());
}

#[test]
fn a_part_that_is_not_written_is_named() {
    let gradient = r##"<defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1"/></linearGradient></defs>
        <rect width="9" height="9" fill="url(#g)"/>"##;
    for (inside, says) in [
        (gradient, "a gradient or a pattern"),
        (r#"<g opacity="0.5"><rect width="9" height="9"/><rect width="5" height="5"/></g>"#, "an opacity of its own"),
        (r#"<text x="9" y="9" text-decoration="underline">a</text>"#, "a text with lines"),
    ] {
        let error = figure(inside).to_pdf().expect_err("no document").to_string();
        assert!(error.contains(says), "{error}");
    }
}
