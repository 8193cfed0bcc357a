//! Coordinate systems as text: WKT (OGC 01-009, ISO 19162) and the older notation of Esri's `.prj` files.

use super::place::CoordinateSystem;
use super::units::length_named;

/// A node of a WKT text, such as `UNIT["metre",1]`.
struct WktNode {
    keyword: String,
    texts: Vec<String>,
    numbers: Vec<f64>,
    children: Vec<WktNode>,
}

/// Maximum nesting depth of a WKT text.
const DEEPEST: usize = 32;

impl WktNode {
    fn parse(text: &str) -> Option<Self> {
        Self::parse_at(&mut text.trim().char_indices().peekable(), text.trim(), 0)
    }

    fn parse_at(letters: &mut std::iter::Peekable<std::str::CharIndices>, text: &str, depth: usize) -> Option<Self> {
        let start = letters.peek()?.0;
        let mut end = start;
        while let Some((at, letter)) = letters.peek().copied() {
            if letter == '[' || letter == '(' {
                end = at;
                break;
            }
            letters.next();
        }
        letters.next()?;
        let keyword = text.get(start..end)?.trim().to_ascii_uppercase();
        let mut node = Self { keyword, texts: Vec::new(), numbers: Vec::new(), children: Vec::new() };
        if depth > DEEPEST {
            return None;
        }
        loop {
            match letters.peek().copied()? {
                (_, ']' | ')') => {
                    letters.next();
                    return Some(node);
                }
                (_, '"') => {
                    letters.next();
                    let quoted: String = letters.by_ref().map(|(_, c)| c).take_while(|c| *c != '"').collect();
                    node.texts.push(quoted);
                }
                (_, c) if c == ',' || c.is_whitespace() => {
                    letters.next();
                }
                (at, c) if c.is_ascii_alphabetic() => {
                    // A word without brackets, such as the direction of an axis, counts as text.
                    let rest = &text[at..];
                    let stop = rest.find(['[', '(', ']', ')', ','])?;
                    if rest[stop..].starts_with(['[', '(']) {
                        node.children.push(Self::parse_at(letters, text, depth + 1)?);
                    } else {
                        node.texts.push(rest[..stop].trim().into());
                        while letters.peek().is_some_and(|(k, _)| *k < at + stop) {
                            letters.next();
                        }
                    }
                }
                (at, _) => {
                    let rest = &text[at..];
                    let stop = rest.find([']', ')', ','])?;
                    node.numbers.extend(rest[..stop].trim().parse::<f64>().ok());
                    while letters.peek().is_some_and(|(k, _)| *k < at + stop) {
                        letters.next();
                    }
                }
            }
        }
    }

    fn child(&self, keywords: &[&str]) -> Option<&Self> {
        self.children.iter().find(|child| keywords.contains(&child.keyword.as_str()))
    }

    /// The outermost node with one of the keywords.
    fn find(&self, keywords: &[&str]) -> Option<&Self> {
        if keywords.contains(&self.keyword.as_str()) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(keywords))
    }

    fn epsg(&self) -> Option<u16> {
        let id = self.child(&["AUTHORITY", "ID"])?;
        let is_epsg = id.texts.first().is_some_and(|name| name.eq_ignore_ascii_case("EPSG"));
        let number = id.texts.get(1).and_then(|text| text.parse().ok());
        number.or_else(|| id.numbers.first().map(|number| *number as u16)).filter(|_| is_epsg)
    }

    /// Name of the unit of a coordinate system, and its size in metres or radians.
    fn unit(&self) -> Option<(String, f64)> {
        const UNITS: [&str; 3] = ["UNIT", "LENGTHUNIT", "ANGLEUNIT"];
        let unit = self.child(&UNITS).or_else(|| self.child(&["AXIS"])?.child(&UNITS))?;
        Some((unit.texts.first()?.clone(), *unit.numbers.first()?))
    }
}

const PROJECTED: [&str; 4] = ["PROJCS", "PROJCRS", "PROJECTEDCRS", "DERIVEDPROJCRS"];
const GEOGRAPHIC: [&str; 5] = ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS"];
const VERTICAL: [&str; 4] = ["VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS"];

/// The coordinate system that a text describes; `None` if the text has neither notation.
pub(super) fn system_of_text(text: &str) -> Option<CoordinateSystem> {
    let text = text.trim();
    let Some(root) = WktNode::parse(text) else { return system_of_old_text(text) };
    if let Some(projected) = root.find(&PROJECTED) {
        return Some(CoordinateSystem {
            epsg: projected.epsg(),
            is_geographic: Some(false),
            unit: projected.unit().map(|(_, metres)| metres).filter(|metres| *metres > 0.0),
            radius_metres: None,
            proj: proj4wkt::wkt_to_projstring(text).ok(),
        });
    }
    let geographic = root.find(&GEOGRAPHIC)?;
    let degrees = geographic.unit().map(|(_, radians)| radians.to_degrees());
    // Files state the degree with few digits, so a unit this close to a degree counts as a degree.
    let unit = degrees.filter(|size| *size > 0.0 && (size - 1.0).abs() > 1.0e-6);
    Some(CoordinateSystem { epsg: geographic.epsg(), is_geographic: Some(true), unit, ..CoordinateSystem::default() })
}

/// Name and length in metres of the unit of heights in a WKT text, if it is not the metre.
pub(super) fn wkt_height_unit(text: &str) -> Option<(String, f64)> {
    let unit = WktNode::parse(text.trim())?.find(&VERTICAL)?.unit()?;
    (unit.1 > 0.0 && unit.1 != 1.0).then_some(unit)
}

/// Esri's older notation: lines such as `Projection UTM` and `Units METERS`.
fn system_of_old_text(text: &str) -> Option<CoordinateSystem> {
    let value = |key: &str| {
        let mut lines = text.lines().map(str::trim);
        let line = lines.find(|line| line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key)))?;
        Some(line[key.len()..].trim().to_ascii_uppercase())
    };
    let projection = value("Projection")?;
    let units = value("Units").unwrap_or_default();
    let is_geographic = projection.starts_with("GEOGRAPHIC");
    let zone = value("Zone").and_then(|zone| zone.parse::<i32>().ok()).filter(|zone| (1..=60).contains(&zone.abs()));
    let proj = zone.filter(|_| projection == "UTM").map(|zone| {
        let south = if zone < 0 { " +south" } else { "" };
        format!("+proj=utm +zone={}{south} +datum=WGS84 +units=m", zone.abs())
    });
    let unit = match units.as_str() {
        "DS" => Some(1.0 / 3600.0),
        "DM" => Some(1.0 / 60.0),
        name if !is_geographic => length_named(name).map(|(_, metres)| metres),
        _ => None,
    };
    Some(CoordinateSystem { epsg: None, is_geographic: Some(is_geographic), unit, radius_metres: None, proj })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wkt_gives_kind_number_and_unit() {
        let degrees = system_of_text("GEOGCS[\"WGS 84\",DATUM[\"D\",SPHEROID[\"S\",6378137,298.257]],PRIMEM[\"G\",0],UNIT[\"Degree\",0.017453292519943295]]").unwrap();
        assert_eq!((degrees.is_geographic, degrees.unit, degrees.epsg), (Some(true), None, None));
        let grads =
            system_of_text("GEOGCS[\"NTF\",UNIT[\"grad\",0.01570796326794897],AUTHORITY[\"EPSG\",\"4807\"]]").unwrap();
        assert!((grads.unit.unwrap() - 0.9).abs() < 1e-12 && grads.epsg == Some(4807));
        let feet = system_of_text(
            "COMPD_CS[\"a\",PROJCS[\"b\",GEOGCS[\"c\",UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Lambert_Conformal_Conic_2SP\"],\
             UNIT[\"US survey foot\",0.304800609601219],AUTHORITY[\"EPSG\",\"2263\"]],\
             VERT_CS[\"d\",VERT_DATUM[\"e\",2005],UNIT[\"US survey foot\",0.304800609601219]]]",
        )
        .unwrap();
        assert_eq!((feet.epsg, feet.is_geographic, feet.unit), (Some(2263), Some(false), Some(0.304_800_609_601_219)));
        let wkt2 = system_of_text("PROJCRS[\"x\",BASEGEOGCRS[\"y\",ANGLEUNIT[\"degree\",0.0174532925199433]],CS[Cartesian,2],AXIS[\"(E)\",east,ORDER[1],LENGTHUNIT[\"metre\",1]],ID[\"EPSG\",32632]]").unwrap();
        assert_eq!((wkt2.epsg, wkt2.unit), (Some(32632), Some(1.0)));
    }

    #[test]
    fn heights_in_feet_and_old_texts_are_recognised() {
        let text = "COMPD_CS[\"a\",GEOGCS[\"c\",UNIT[\"degree\",0.017]],VERT_CS[\"d\",UNIT[\"foot\",0.3048]]]";
        assert_eq!(wkt_height_unit(text), Some(("foot".into(), 0.3048)));
        let old = system_of_text("Projection    GEOGRAPHIC\nDatum WGS84\nUnits DD\n").unwrap();
        assert_eq!((old.is_geographic, old.unit), (Some(true), None));
        let utm = system_of_text("Projection UTM\nZone 32\nUnits FEET\n").unwrap();
        assert_eq!((utm.is_geographic, utm.unit), (Some(false), Some(0.3048)));
        for broken in ["", "PROJCS[", "GEOGCS[\"a\"", "hello", "]]]", "PROJCS[\"a\",UNIT[", "é["] {
            let _ = system_of_text(broken);
        }
    }
}
