//! What is drawn on the page: operators of PDF (PDF Reference, appendix A) for the nodes of usvg's tree.

use std::collections::BTreeMap;

use resvg::{
    tiny_skia::{Path, PathSegment, Point, Transform},
    usvg::{BlendMode, ClipPath, Fill, FillRule, Group, LineCap, LineJoin, Node, Paint, PaintOrder, Stroke, Text},
};

use super::{FONT, POINTS, font::UNITS_PER_EM, object::number};

/// The page so far.
pub(super) struct Content {
    pub(super) operators: String,
    /// Opacities in use, by the name of their state.
    pub(super) opacities: BTreeMap<String, String>,
    /// Glyphs in use with their texts.
    pub(super) glyphs: BTreeMap<u16, String>,
}

impl Content {
    /// An empty page, this many pixels high. SVG counts down, PDF up.
    pub(super) fn new(height: f32) -> Self {
        let mut content = Content { operators: String::new(), opacities: BTreeMap::new(), glyphs: BTreeMap::new() };
        content.transform(Transform::from_row(POINTS, 0.0, 0.0, -POINTS, 0.0, height * POINTS));
        content
    }

    /// Draws a group.
    ///
    /// # Errors
    /// It has something that no drawing of ours has.
    pub(super) fn group(&mut self, group: &Group) -> Result<(), String> {
        if group.opacity().get() < 1.0 {
            return Err("a group with an opacity of its own".into());
        }
        if group.blend_mode() != BlendMode::Normal || group.mask().is_some() || !group.filters().is_empty() {
            return Err("a group with a blend mode, a mask or a filter".into());
        }
        self.line("q");
        if group.transform() != Transform::identity() {
            self.transform(group.transform());
        }
        if let Some(clip) = group.clip_path() {
            self.clip(clip)?;
        }
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group)?,
                Node::Path(path) if !path.is_visible() => {}
                Node::Path(path) => self.painted(path.data(), path.fill(), path.stroke(), path.paint_order())?,
                Node::Text(text) => self.text(text)?,
                Node::Image(_) => return Err("an image".into()),
            }
        }
        self.line("Q");
        Ok(())
    }

    fn line(&mut self, line: &str) {
        self.operators.push_str(line);
        self.operators.push('\n');
    }

    fn transform(&mut self, transform: Transform) {
        self.line(&format!("{} cm", matrix(transform)));
    }

    /// Leaves what is drawn from now on only inside the clip path.
    fn clip(&mut self, clip: &ClipPath) -> Result<(), String> {
        if clip.clip_path().is_some() || clip.root().clip_path().is_some() {
            return Err("a clip path in a clip path".into());
        }
        for node in clip.root().children() {
            let Node::Path(path) = node else { return Err("a clip path of something else than paths".into()) };
            let placed = path.data().clone().transform(clip.transform().pre_concat(path.abs_transform()));
            self.path(&placed.ok_or("a clip path that cannot be placed")?);
        }
        self.line("W n");
        Ok(())
    }

    fn painted(
        &mut self,
        path: &Path,
        fill: Option<&Fill>,
        stroke: Option<&Stroke>,
        order: PaintOrder,
    ) -> Result<(), String> {
        if order == PaintOrder::StrokeAndFill {
            self.stroked(path, stroke)?;
        }
        if let Some(fill) = fill {
            self.state(fill.opacity().get());
            self.colour(fill.paint(), "rg")?;
            self.path(path);
            self.line(if fill.rule() == FillRule::EvenOdd { "f*" } else { "f" });
        }
        if order == PaintOrder::FillAndStroke {
            self.stroked(path, stroke)?;
        }
        Ok(())
    }

    fn stroked(&mut self, path: &Path, stroke: Option<&Stroke>) -> Result<(), String> {
        let Some(stroke) = stroke else { return Ok(()) };
        self.state(stroke.opacity().get());
        self.colour(stroke.paint(), "RG")?;
        let cap = match stroke.linecap() {
            LineCap::Butt => 0,
            LineCap::Round => 1,
            LineCap::Square => 2,
        };
        let join = match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => 0,
            LineJoin::Round => 1,
            LineJoin::Bevel => 2,
        };
        let dashes = stroke.dasharray().unwrap_or_default().iter().map(|dash| number(*dash)).collect::<Vec<_>>();
        let line = format!(
            "{} w {cap} J {join} j {} M [{}] {} d",
            number(stroke.width().get()),
            number(stroke.miterlimit().get()),
            dashes.join(" "),
            number(stroke.dashoffset()),
        );
        self.line(&line);
        self.path(path);
        self.line("S");
        Ok(())
    }

    fn path(&mut self, path: &Path) {
        // The last point, and the first one of the part.
        let (mut at, mut start) = (Point::zero(), Point::zero());
        for segment in path.segments() {
            let (points, operator) = match segment {
                PathSegment::MoveTo(to) => {
                    start = to;
                    (vec![to], "m")
                }
                PathSegment::LineTo(to) => (vec![to], "l"),
                // PDF has cubic curves alone.
                PathSegment::QuadTo(control, to) => {
                    let between = |end: Point| {
                        let part = |end: f32, control: f32| end + (control - end) * 2.0 / 3.0;
                        Point::from_xy(part(end.x, control.x), part(end.y, control.y))
                    };
                    (vec![between(at), between(to), to], "c")
                }
                PathSegment::CubicTo(one, two, to) => (vec![one, two, to], "c"),
                PathSegment::Close => (Vec::new(), "h"),
            };
            at = points.last().copied().unwrap_or(start);
            let points: String =
                points.iter().map(|point| format!("{} {} ", number(point.x), number(point.y))).collect();
            self.line(&format!("{points}{operator}"));
        }
    }

    /// Texts, each glyph in the place that the tree gives it.
    fn text(&mut self, text: &Text) -> Result<(), String> {
        for span in text.layouted().iter().filter(|span| span.visible) {
            if span.stroke.is_some()
                || span.underline.is_some()
                || span.overline.is_some()
                || span.line_through.is_some()
            {
                return Err("a text with lines".into());
            }
            let Some(fill) = &span.fill else { continue };
            self.state(fill.opacity().get());
            self.colour(fill.paint(), "rg")?;
            self.line(&format!("BT /{FONT} 1 Tf"));
            for glyph in &span.positioned_glyphs {
                let id = u16::try_from(glyph.id.0).map_err(|_| "a glyph that is not of the font")?;
                self.glyphs.entry(id).or_insert_with(|| glyph.text.clone());
                // From the em square to the drawing.
                let em = f32::from(UNITS_PER_EM);
                let place = glyph.outline_transform().pre_scale(em, em);
                self.line(&format!("{} Tm <{id:04X}> Tj", matrix(place)));
            }
            self.line("ET");
        }
        Ok(())
    }

    fn colour(&mut self, paint: &Paint, operator: &str) -> Result<(), String> {
        let Paint::Color(colour) = paint else { return Err("a gradient or a pattern".into()) };
        let parts = [colour.red, colour.green, colour.blue].map(|part| number(f32::from(part) / 255.0));
        self.line(&format!("{} {operator}", parts.join(" ")));
        Ok(())
    }

    fn state(&mut self, opacity: f32) {
        let value = number(opacity);
        let name = format!("O{}", value.replace('.', "-"));
        self.line(&format!("/{name} gs"));
        self.opacities.insert(name, value);
    }
}

fn matrix(transform: Transform) -> String {
    let Transform { sx, ky, kx, sy, tx, ty } = transform;
    [sx, ky, kx, sy, tx, ty].map(number).join(" ")
}
