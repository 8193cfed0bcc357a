//! The papers, reports and lectures that Talweg implements in full. The shipped scenes reproduce their figures.

use super::examples;

/// A paper, report or lecture that Talweg implements.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceWork {
    /// File name prefix of the shipped scenes that reproduce this work.
    prefix: &'static str,
    /// Authors and year; a description if the work names no author.
    pub authors: &'static str,
    /// Original title of the work.
    pub title: &'static str,
    /// Summary of the work in one sentence.
    pub about: &'static str,
}

static WORKS: [SourceWork; 5] = [
    SourceWork {
        prefix: "paper-000-",
        authors: "Erwan Le Martelot, 2005",
        title: "Synthèse aléatoire de terrains 3D",
        about: "Midpoint displacement, spectral synthesis, Voronoi, rivers from squig curves, and five erosions after \
                Olsen 2004.",
    },
    SourceWork {
        prefix: "paper-001-",
        authors: "A lecture by unnamed authors",
        title: "Génération procédurale des terrains virtuels dans les jeux vidéo",
        about: "Perlin noise against midpoint displacement for terrain in games.",
    },
    SourceWork {
        prefix: "paper-002-",
        authors: "An article by unnamed authors",
        title: "Génération procédurale de terrain, part II: Stamp Noise",
        about: "Cones, bells and pictures stamped onto the ground, at smaller and smaller scales.",
    },
    SourceWork {
        prefix: "paper-003-",
        authors: "Yacine Petitprez, 2007",
        title: "Génération procédurale, planètes telluriques",
        about: "Continents from plates, rivers, craters, and planets in the colours of their climates.",
    },
    SourceWork {
        prefix: "paper-004-",
        authors: "Jean-David Génevaux, François Grosbellet, Eric Galin, Adrien Peytavie, Eric Guérin, Cyril Briquet and \
                  Bedřich Beneš, 2014",
        title: "Modélisation de terrains par primitives",
        about: "Terrain as a tree of rivers, lakes, craters, dunes and roads.",
    },
];

impl SourceWork {
    /// All works, in the order of their shipped scenes.
    pub fn all() -> &'static [Self] {
        &WORKS
    }

    /// The work whose figure the shipped scene with this [name](super::Scene::name) reproduces, if any.
    pub fn of_scene(name: &str) -> Option<&'static Self> {
        let shipped = examples().iter().find(|shipped| shipped.scene.name == name)?;
        WORKS.iter().find(|work| shipped.name.starts_with(work.prefix))
    }

    /// The [name](super::Scene::name) of a scene of a work without the name of the work, for lists below that name.
    pub fn caption(name: &str) -> &str {
        let figure = name.find("figure ").map(|start| &name[start..]);
        figure.or_else(|| name.split_once(": ").map(|(_, caption)| caption)).unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_of_a_work_is_named_and_none_by_a_number() {
        for shipped in examples() {
            let work = SourceWork::of_scene(&shipped.scene.name);
            assert_eq!(work.is_some(), shipped.name.starts_with("paper-"), "{}", shipped.name);
            assert!(!shipped.scene.name.contains("Document"), "{}", shipped.scene.name);
        }
        for work in SourceWork::all() {
            assert!(examples().iter().any(|shipped| SourceWork::of_scene(&shipped.scene.name) == Some(work)));
        }
    }

    #[test]
    fn captions_omit_the_name_of_the_work() {
        assert_eq!(SourceWork::caption("Le Martelot 2005, figure 2: rough"), "figure 2: rough");
        assert_eq!(SourceWork::caption("Stamp noise: first picture"), "first picture");
        assert_eq!(SourceWork::caption("A moon"), "A moon");
    }

    #[test]
    fn shipped_scenes_have_unique_names() {
        let mut names: Vec<&str> = examples().iter().map(|shipped| shipped.scene.name.as_str()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
