//! The glyphs that a figure uses, as a TrueType font of their own (Apple's TrueType Reference Manual, chapter 6), and the
//! font of PDF that shows them (PDF Reference, section 5.6).

use std::collections::{BTreeMap, BTreeSet};

use super::object::{Objects, utf16};

/// Units of the shipped font's em square.
pub(super) const UNITS_PER_EM: u16 = 2_048;
/// PDF's units of an em square.
const UNITS_OF_PDF: i32 = 1_000;
/// Tables that a renderer needs; `glyf`, `loca`, `hmtx`, `hhea` and `maxp` are made anew.
const TABLES: [&[u8; 4]; 9] = [b"cvt ", b"fpgm", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"prep"];

/// The shipped font with outlines of the used glyphs alone. Numbers of glyphs are kept, so that texts need no others.
pub(super) struct Subset<'a> {
    font: Font<'a>,
    glyphs: &'a BTreeMap<u16, String>,
}

impl<'a> Subset<'a> {
    /// Of these glyphs, with their texts.
    pub(super) fn of(font: &'a [u8], glyphs: &'a BTreeMap<u16, String>) -> Self {
        Subset { font: Font(font), glyphs }
    }

    /// Adds the font to a file; gives its object.
    pub(super) fn write(&self, objects: &mut Objects) -> usize {
        let name = format!("{}+DejaVuSans", self.tag());
        let file = self.file();
        let file = objects.stream(&format!("/Length1 {} ", file.len()), &file);
        let [x_min, y_min, x_max, y_max] = [36, 38, 40, 42].map(|at| self.of_pdf(self.font.signed(b"head", at)));
        let [ascent, descent] = [4, 6].map(|at| self.of_pdf(self.font.signed(b"hhea", at)));
        // Flags: symbols, since glyphs have their own numbers. The height of capitals and the width of stems, which only
        // matter where a font is replaced, are those of DejaVu Sans.
        let descriptor = objects.add(&format!(
            "<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [{x_min} {y_min} {x_max} {y_max}] \
             /ItalicAngle 0 /Ascent {ascent} /Descent {descent} /CapHeight 729 /StemV 90 /FontFile2 {file} 0 R >>"
        ));
        let widths = self.glyphs.keys().map(|&glyph| {
            let width = self.of_pdf(i32::from(self.font.advance(glyph)));
            format!("{glyph} [{width}]")
        });
        let widths = widths.collect::<Vec<_>>().join(" ");
        let descendant = objects.add(&format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) /Ordering \
             (Identity) /Supplement 0 >> /FontDescriptor {descriptor} 0 R /W [{widths}] /CIDToGIDMap /Identity >>"
        ));
        let texts = objects.stream("", self.texts().as_bytes());
        objects.add(&format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [{descendant} 0 R] \
             /ToUnicode {texts} 0 R >>"
        ))
    }

    /// Six capitals that tell subsets of a font apart when documents are merged.
    fn tag(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in self.glyphs.keys().flat_map(|glyph| glyph.to_be_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        (0..6).map(|place| char::from(b'A' + (hash >> (8 * place)) as u8 % 26)).collect()
    }

    /// What letters glyphs are, for those who search or copy.
    fn texts(&self) -> String {
        let mut text = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /texts def\n\
                        /CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
            .to_owned();
        let known: Vec<_> = self.glyphs.iter().filter(|(_, text)| !text.is_empty()).collect();
        // A list has at most 100 entries.
        for part in known.chunks(100) {
            text.push_str(&format!("{} beginbfchar\n", part.len()));
            for (glyph, letters) in part {
                text.push_str(&format!("<{glyph:04X}> <{}>\n", utf16(letters)));
            }
            text.push_str("endbfchar\n");
        }
        text + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    }

    /// The font's file.
    fn file(&self) -> Vec<u8> {
        let used = self.font.with_parts(self.glyphs.keys().copied());
        let count = used.last().map_or(0, |last| last + 1);
        let (mut outlines, mut places, mut metrics) = (Vec::new(), Vec::new(), Vec::new());
        for glyph in 0..count {
            places.extend((outlines.len() as u32).to_be_bytes());
            let is_used = used.contains(&glyph);
            if is_used {
                outlines.extend(self.font.outline(glyph));
                outlines.resize(outlines.len().next_multiple_of(4), 0);
            }
            let (advance, bearing) =
                if is_used { (self.font.advance(glyph), self.font.bearing(glyph)) } else { (0, 0) };
            metrics.extend(advance.to_be_bytes());
            metrics.extend(bearing.to_be_bytes());
        }
        places.extend((outlines.len() as u32).to_be_bytes());
        let counted = |tag: &[u8; 4], at: usize| {
            let mut table = self.font.table(tag).to_vec();
            table[at..at + 2].copy_from_slice(&count.to_be_bytes());
            table
        };
        let tables = TABLES.map(|tag| {
            let table = match tag {
                b"glyf" => outlines.clone(),
                b"loca" => places.clone(),
                b"hmtx" => metrics.clone(),
                // The number of glyphs with widths of their own, and that of all glyphs.
                b"hhea" => counted(tag, 34),
                b"maxp" => counted(tag, 4),
                tag => self.font.table(tag).to_vec(),
            };
            (tag, table)
        });
        assembled(&tables)
    }

    /// A length in PDF's units, rounded.
    fn of_pdf(&self, length: i32) -> i32 {
        let em = i32::from(UNITS_PER_EM);
        (length * UNITS_OF_PDF + em / 2).div_euclid(em)
    }
}

/// A TrueType file of these tables, which are in the order of their tags.
fn assembled(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = count.ilog2() as u16;
    let search = 16 << power;
    let mut file = vec![0, 1, 0, 0];
    file.extend([count, search, power, count * 16 - search].iter().flat_map(|part| part.to_be_bytes()));
    let mut place = file.len() + 16 * tables.len();
    let mut body = Vec::new();
    for (tag, table) in tables {
        file.extend(*tag);
        file.extend([sum(table), place as u32, table.len() as u32].iter().flat_map(|part| part.to_be_bytes()));
        body.extend(table);
        let padded = table.len().next_multiple_of(4);
        body.resize(body.len() + padded - table.len(), 0);
        place += padded;
    }
    file.extend(body);
    file
}

/// Checksum of a table.
fn sum(table: &[u8]) -> u32 {
    let words = table.chunks(4).map(|part| {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        u32::from_be_bytes(word)
    });
    words.fold(0, u32::wrapping_add)
}

/// The shipped font. It is known to be whole, with outlines of TrueType and long places of them.
struct Font<'a>(&'a [u8]);

impl<'a> Font<'a> {
    fn table(&self, tag: &[u8; 4]) -> &'a [u8] {
        let count = usize::from(short(self.0, 4));
        let entry = (0..count).map(|table| 12 + 16 * table).find(|&entry| self.0[entry..entry + 4] == tag[..]);
        let entry = entry.expect("a table of the shipped font");
        let [place, length] = [8, 12].map(|at| long(self.0, entry + at) as usize);
        &self.0[place..place + length]
    }

    fn signed(&self, tag: &[u8; 4], at: usize) -> i32 {
        (short(self.table(tag), at) as i16).into()
    }

    fn outline(&self, glyph: u16) -> &'a [u8] {
        let [from, to] = [0, 1].map(|end| long(self.table(b"loca"), 4 * (usize::from(glyph) + end)) as usize);
        &self.table(b"glyf")[from..to]
    }

    /// The width of a glyph. Those behind the last that has one of its own have the same.
    fn advance(&self, glyph: u16) -> u16 {
        let own = short(self.table(b"hhea"), 34);
        short(self.table(b"hmtx"), 4 * usize::from(glyph.min(own - 1)))
    }

    fn bearing(&self, glyph: u16) -> u16 {
        let (own, glyph) = (usize::from(short(self.table(b"hhea"), 34)), usize::from(glyph));
        short(self.table(b"hmtx"), if glyph < own { 4 * glyph + 2 } else { 4 * own + 2 * (glyph - own) })
    }

    /// Glyphs, the first of the font, and those that they are made of.
    fn with_parts(&self, glyphs: impl Iterator<Item = u16>) -> BTreeSet<u16> {
        let mut all = BTreeSet::new();
        let mut open: Vec<u16> = glyphs.chain([0]).collect();
        while let Some(glyph) = open.pop() {
            if all.insert(glyph) {
                open.extend(parts(self.outline(glyph)));
            }
        }
        all
    }
}

/// The glyphs that an outline is made of; none of an outline of its own.
fn parts(outline: &[u8]) -> Vec<u16> {
    // Flags of a part: its offsets are words; it has a scale, two scales or a matrix; another follows.
    const WORDS: u16 = 0x1;
    const SCALE: u16 = 0x8;
    const SCALES: u16 = 0x40;
    const MATRIX: u16 = 0x80;
    const MORE: u16 = 0x20;
    let mut found = Vec::new();
    if outline.is_empty() || (short(outline, 0) as i16) >= 0 {
        return found;
    }
    let mut at = 10;
    loop {
        let flags = short(outline, at);
        found.push(short(outline, at + 2));
        at += 4 + if flags & WORDS != 0 { 4 } else { 2 };
        at += match flags {
            flags if flags & SCALE != 0 => 2,
            flags if flags & SCALES != 0 => 4,
            flags if flags & MATRIX != 0 => 8,
            _ => 0,
        };
        if flags & MORE == 0 {
            return found;
        }
    }
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
