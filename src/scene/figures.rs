//! The figures that the shipped scenes reproduce, and the claims of the texts that a number can test.
//!
//! The tables *Claims* and *Figures* of `docs/documents.md` are the only source of these sentences.

use std::sync::LazyLock;

use super::{ShippedScene, SourceWork, example};

const PAGE: &str = include_str!("../../docs/documents.md");

/// A claim of a text, with the measured value. All texts are Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentClaim {
    /// The statement, with the place where the text makes it.
    pub statement: &'static str,
    /// The numbers that Talweg measures.
    pub measured: &'static str,
    /// Whether the whole claim holds in Talweg.
    pub holds: bool,
    /// The command that measures the numbers.
    pub command: &'static str,
}

/// A figure of one of the [works](SourceWork), reproduced by a shipped scene.
#[derive(Debug)]
pub struct DocumentFigure {
    /// The scene that reproduces the figure.
    pub scene: &'static ShippedScene,
    /// The work that contains the figure.
    pub work: &'static SourceWork,
    /// One sentence that says what the figure shows, as Markdown.
    pub shows: &'static str,
    /// The claims of the text about this figure.
    pub claims: Vec<DocumentClaim>,
}

static FIGURES: LazyLock<Vec<DocumentFigure>> = LazyLock::new(|| {
    let claims: Vec<(&str, DocumentClaim)> = rows(PAGE, "Claims").filter_map(claim).collect();
    let figure = |row: Vec<&'static str>| {
        let [scene, shows] = row[..] else { return None };
        let scene = example(quoted(scene)?)?;
        let of_scene = claims.iter().filter(|(name, _)| *name == scene.name);
        let claims = of_scene.map(|(_, claim)| claim.clone()).collect();
        Some(DocumentFigure { scene, work: SourceWork::of_scene(&scene.scene.name)?, shows, claims })
    };
    rows(PAGE, "Figures").filter_map(figure).collect()
});

/// All figures that the shipped scenes reproduce, in the order of the works.
pub fn figures() -> &'static [DocumentFigure] {
    &FIGURES
}

/// The cells of each row of the table below the heading `title`, without the row of titles.
fn rows<'a>(page: &'a str, title: &str) -> impl Iterator<Item = Vec<&'a str>> {
    let heading = format!("## {title}");
    let section = page.lines().skip_while(move |line| *line != heading).skip(1);
    let table = section.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|'));
    table.skip(2).map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// The scene and the claim of a row. `None` if the row is not a claim.
fn claim(row: Vec<&'static str>) -> Option<(&'static str, DocumentClaim)> {
    let [scene, statement, measured, holds, command] = row[..] else { return None };
    let holds = match holds {
        "✓" => true,
        "✗" => false,
        _ => return None,
    };
    Some((quoted(scene)?, DocumentClaim { statement, measured, holds, command: quoted(command)? }))
}

/// The text between the backticks of a cell.
fn quoted(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;

    #[test]
    fn every_paper_scene_is_a_figure() {
        let paper = |name: &&str| name.starts_with("paper-");
        let mut shipped: Vec<&str> = examples().iter().map(|shipped| shipped.name).filter(paper).collect();
        let mut listed: Vec<&str> = figures().iter().map(|figure| figure.scene.name).collect();
        shipped.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, shipped);
    }

    /// Every row of the table is read, and has the numbers and a command of this program.
    #[test]
    fn every_claim_has_numbers_and_a_command() {
        let claims: Vec<&DocumentClaim> = figures().iter().flat_map(|figure| &figure.claims).collect();
        assert_eq!(claims.len(), rows(PAGE, "Claims").count(), "a row has no scene, no mark or no command");
        for claim in &claims {
            assert!(claim.measured.contains(|c: char| c.is_ascii_digit()), "{claim:?}");
            assert!(claim.command.starts_with("talweg "), "{claim:?}");
            assert!(claim.statement.ends_with('.') && claim.measured.ends_with('.'), "{claim:?}");
        }
        assert!(claims.iter().any(|claim| claim.holds) && claims.iter().any(|claim| !claim.holds));
    }

    #[test]
    fn tables_are_read_below_their_heading_only() {
        let page = "## A\n\n| x | y |\n|---|---|\n| `1` | 2 |\n\n## B\n| z |\n|---|\n| 3 |\n";
        assert_eq!(rows(page, "A").collect::<Vec<_>>(), [vec!["`1`", "2"]]);
        assert_eq!(rows(page, "B").collect::<Vec<_>>(), [vec!["3"]]);
        assert_eq!(rows(page, "C").count(), 0);
        assert_eq!((quoted("`1`"), quoted("2")), (Some("1"), None));
    }
}
