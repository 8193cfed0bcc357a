//! The tour and the lessons, as data. A lesson is a list of steps. A step has one instruction and a goal. The goal says
//! when the step is done, and which widget the window points at meanwhile.

use egui_phosphor::regular as icon;

use super::goals::StepGoal;

/// The name of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonName {
    /// The tour of the editor.
    Tour,
    RiverValley,
    Island,
    Canyon,
    Planet,
    PaintUplift,
}

/// The scene in which a lesson begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonScene {
    /// The open scene. If it is a planet or has no layers, the lesson begins in the scene with this RON text.
    Open(&'static str),
    /// A new terrain with this RON text. Its name is the title of the lesson.
    Terrain(&'static str),
    /// A new planet. Its name is the title of the lesson.
    Planet,
}

/// A series of steps of about a minute in all.
#[derive(Debug)]
pub struct Lesson {
    /// Title of the lesson, and name of the scene that it leaves.
    pub title: &'static str,
    /// One sentence about the scene that the lesson makes.
    pub about: &'static str,
    pub icon: &'static str,
    pub scene: LessonScene,
    pub steps: &'static [LessonStep],
}

/// One step of a lesson.
#[derive(Debug)]
pub struct LessonStep {
    pub title: &'static str,
    /// The instruction.
    pub text: &'static str,
    pub goal: StepGoal,
}

const fn step(title: &'static str, text: &'static str, goal: StepGoal) -> LessonStep {
    LessonStep { title, text, goal }
}

impl LessonName {
    pub const ALL: [Self; 6] =
        [Self::Tour, Self::RiverValley, Self::Island, Self::Canyon, Self::Planet, Self::PaintUplift];

    /// The lessons other than the tour.
    pub fn lessons() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|name| *name != Self::Tour)
    }

    pub fn lesson(self) -> &'static Lesson {
        match self {
            Self::Tour => &TOUR,
            Self::RiverValley => &RIVER_VALLEY,
            Self::Island => &ISLAND,
            Self::Canyon => &CANYON,
            Self::Planet => &PLANET,
            Self::PaintUplift => &PAINT_UPLIFT,
        }
    }
}

static TOUR: Lesson = Lesson {
    title: "Tour",
    about: "Introduces the editor, from the first look around to your own terrain.",
    icon: icon::FLAG,
    scene: LessonScene::Open(r#"(version: 1, layers: [(name: "Perlin noise", node: Perlin())])"#),
    steps: &[
        step(
            "Look around",
            "Drag in the view to orbit around the cursor; scroll to zoom. F frames the whole terrain.",
            StepGoal::Look,
        ),
        step(
            "Change a parameter",
            "Click a layer on the left and drag one of its sliders. Ctrl+Z undoes the whole drag.",
            StepGoal::AnyEdit,
        ),
        step(
            "Add an erosion",
            "Press Add above the layer list and choose an erosion, such as Thermal erosion.",
            StepGoal::AddErosion("Thermal"),
        ),
        step(
            "Play the erosion",
            "Press Play in the bar at the bottom, or Space. Drag the bar to any iteration.",
            StepGoal::Play,
        ),
        step(
            "Save and export",
            "Ctrl+S saves the scene. File > Export… writes heights for other programs.",
            StepGoal::Save,
        ),
    ],
};

static RIVER_VALLEY: Lesson = Lesson {
    title: "River valley",
    about: "Carves branching valleys into mountains and fills their floors.",
    icon: icon::WAVES,
    scene: LessonScene::Terrain("(version: 1, settings: (size_metres: 12000.0, relief_metres: 2000.0))"),
    steps: &[
        step(
            "Add mountains",
            "Press Add above the layer list and choose Ridged noise: sharp crests with smooth valleys.",
            StepGoal::Add("Ridged"),
        ),
        step(
            "Let streams cut",
            "Press Add again and choose Uplift and stream power. Streams cut valleys that branch like a tree.",
            StepGoal::Add("StreamPower"),
        ),
        step(
            "Form large valleys first",
            "Press the preset All scales. The large valleys form first, then ever finer ones.",
            StepGoal::Preset("StreamPower", "AllScales"),
        ),
        step(
            "Fill the valley floors",
            "Drag Deposition to the right. The rivers drop their sediment, and the valley floors become flat.",
            StepGoal::Param("StreamPower", "deposition"),
        ),
        step(
            "Add the rivers",
            "Press Add and choose River network. It cuts the river beds and fills them with water.",
            StepGoal::Add("Rivers"),
        ),
    ],
};

static ISLAND: Lesson = Lesson {
    title: "Island",
    about: "Sinks the edges of hills below the sea and lets waves cut cliffs.",
    icon: icon::ISLAND,
    scene: LessonScene::Terrain("(version: 1, settings: (size_metres: 6000.0, relief_metres: 700.0))"),
    steps: &[
        step("Add hills", "Press Add above the layer list and choose Perlin noise.", StepGoal::Add("Perlin")),
        step(
            "Make an island",
            "Press Add and choose Island falloff. The terrain sinks below the sea towards its edges.",
            StepGoal::Add("Island"),
        ),
        step(
            "Shape the coast",
            "Drag Coast to the right for longer bays and headlands.",
            StepGoal::Param("Island", "coast"),
        ),
        step(
            "Let waves cut cliffs",
            "Press Add and choose Coastal erosion. Cliffs retreat, and sand gathers in beaches.",
            StepGoal::Add("Coastal"),
        ),
        step(
            "Raise the sea",
            "Click Scene settings at the bottom of the layer list and drag Sea level a little.",
            StepGoal::Setting("sea_level"),
        ),
    ],
};

static CANYON: Lesson = Lesson {
    title: "Canyon",
    about: "Cuts gorges with rock steps into a high plain.",
    icon: icon::STAIRS,
    scene: LessonScene::Terrain(
        "(version: 1, settings: (size_metres: 12000.0, relief_metres: 1600.0, sun_azimuth: 285.0, sun_elevation: 35.0, \
         surroundings: Land), palette: \"canyon\")",
    ),
    steps: &[
        step("Add the plain", "Press Add above the layer list and choose Perlin noise.", StepGoal::Add("Perlin")),
        step(
            "Flatten it",
            "Drag Amplitude to the left, to about a third. The hills become a high plain.",
            StepGoal::Param("Perlin", "amplitude"),
        ),
        step(
            "Add beds of rock",
            "Press Add and choose Rock layers: hard and soft beds alternate. Streams erode the soft beds faster.",
            StepGoal::Add("Hardness"),
        ),
        step("Let streams cut", "Press Add and choose Uplift and stream power.", StepGoal::Add("StreamPower")),
        step(
            "Cut gorges",
            "Press the preset Plateau canyons. Gorges cut their way back into the plain.",
            StepGoal::Preset("StreamPower", "Canyons"),
        ),
    ],
};

static PLANET: Lesson = Lesson {
    title: "Planet",
    about: "Shapes the continents of a planet and cuts its rivers.",
    icon: icon::PLANET,
    scene: LessonScene::Planet,
    steps: &[
        step(
            "Turn the planet",
            "Drag in the view to turn the planet; scroll to come down to the ground.",
            StepGoal::Look,
        ),
        step(
            "Set the land",
            "Drag Land. Continents cover this part of the planet; the rest is ocean.",
            StepGoal::Param("Continents", "land"),
        ),
        step(
            "Choose the plates",
            "Drag Plates. Few plates make large continents, many plates make islands.",
            StepGoal::Param("Continents", "plates"),
        ),
        step(
            "Raise the mountains",
            "Drag Mountains to the right. Ranges rise where two plates meet on land.",
            StepGoal::Param("Continents", "mountains"),
        ),
        step(
            "Add the rivers",
            "Press Add above the layer list and choose Rivers of the planet. Every river reaches the sea.",
            StepGoal::Add("PlanetRivers"),
        ),
    ],
};

static PAINT_UPLIFT: Lesson = Lesson {
    title: "Paint uplift",
    about: "Paints where mountains grow, and lets rivers erode them while they rise.",
    icon: icon::PAINT_BRUSH,
    scene: LessonScene::Terrain("(version: 1, settings: (size_metres: 16000.0, relief_metres: 2500.0))"),
    steps: &[
        step(
            "Add the layers",
            "Press Add and choose Painted uplift and stream power. It adds a plain, an uplift map and an erosion.",
            StepGoal::AddPaintedUplift,
        ),
        step("Paint the uplift", "Drag in the view. Mountains will grow where you paint.", StepGoal::Paint),
        step(
            "Watch them grow",
            "Press Play in the bar at the bottom, or Space. The mountains rise while streams cut them.",
            StepGoal::Play,
        ),
        step(
            "Raise them faster",
            "Click the layer Mountains and drag Uplift rate to the right for higher mountains.",
            StepGoal::Param("StreamPower", "uplift_rate"),
        ),
        step(
            "Look along the range",
            "Drag in the view to orbit around the cursor, and scroll to come closer.",
            StepGoal::Look,
        ),
    ],
};
