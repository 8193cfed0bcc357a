//! `talweg doctor`: what the program finds on this computer, and what it means for drawing, memory and files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::{CommandResult, EditorCommands, print, usage};
use talweg::io::memory::{bytes_text, free_memory, memory_limit};
use talweg::io::process_number;
use talweg::preferences::{cache_folder, config_folder};
use talweg::recovery::state_folder;

/// Print what Talweg finds on this computer (graphics card, driver, memory, folders), and what it means
///
/// The output contains no personal data except the paths of Talweg's folders. Add it to a report of a problem.
#[derive(Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    graphics: GraphicsArgs,
}

/// The choice of a graphics system.
#[derive(Args)]
pub struct GraphicsArgs {
    /// Graphics system that draws: vulkan, directx12 or metal; by default the first one that works
    #[arg(long, value_name = "SYSTEM")]
    graphics: Option<String>,
}

impl GraphicsArgs {
    /// Makes the editor and its views draw with the chosen system.
    ///
    /// # Errors
    /// If this computer cannot have a system of this name.
    pub fn choose(&self, editor: &EditorCommands) -> CommandResult {
        let Some(name) = &self.graphics else { return Ok(()) };
        (editor.choose_graphics)(name).map_err(|why| usage(anyhow::anyhow!(why)))
    }
}

/// A graphics card, or a driver that draws in software.
#[derive(Clone, Debug, PartialEq)]
pub struct CardReport {
    /// Name of the card.
    pub name: String,
    /// Name of the graphics system, such as Vulkan.
    pub system: &'static str,
    /// Name and version of the driver; empty if the driver does not tell.
    pub driver: String,
    /// Whether the driver draws on the processor.
    pub is_software: bool,
    /// Largest width and height of a texture, in texels.
    pub largest_texture: u32,
    /// Largest size in bytes of a buffer that a shader reads.
    pub largest_buffer: u64,
}

/// The graphics of a computer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphicsReport {
    /// All cards. A card appears once for each graphics system that it has a driver for.
    pub cards: Vec<CardReport>,
    /// The graphics systems in the order in which they are tried, each with the reason why it cannot draw.
    pub systems: Vec<(&'static str, Result<(), String>)>,
}

/// A card with smaller textures cannot show a terrain of 4097 samples per side.
const LEAST_TEXTURE: u32 = 8192;
/// With less free memory, the editor works only with small terrains.
const LEAST_MEMORY: u64 = 2 << 30;

/// Runs `talweg doctor`.
pub fn run(args: &DoctorArgs, editor: Option<&EditorCommands>) -> CommandResult {
    editor.map_or(Ok(()), |editor| args.graphics.choose(editor))?;
    let graphics = editor.map(|editor| (editor.graphics)());
    print(&report(graphics.as_ref()))
}

/// The version of Talweg, and the system, the processor and the memory of this computer, each with its name.
pub fn computer() -> [(&'static str, String); 4] {
    let unknown = || "unknown".to_string();
    let parts =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()).with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(parts);
    let brand = system.cpus().first().map_or_else(unknown, |cpu| cpu.brand().trim().to_string());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let free = free_memory(0).map_or_else(unknown, bytes_text);
    let os = System::long_os_version().unwrap_or_else(unknown);
    [
        ("Talweg", env!("CARGO_PKG_VERSION").into()),
        ("System", format!("{os} ({})", std::env::consts::ARCH)),
        ("Processor", format!("{brand}, {threads} threads")),
        ("Memory", format!("{}, {free} free for Talweg", bytes_text(system.total_memory()))),
    ]
}

/// The report as text. `graphics` is `None` if the program was built without the editor.
pub fn report(graphics: Option<&GraphicsReport>) -> String {
    let mut text = String::new();
    let mut advice = Vec::new();
    let mut line = |name: &str, value: &str| {
        // writing to a string cannot fail
        let _ = writeln!(text, "{name:<12} {value}");
    };
    computer().iter().for_each(|(name, value)| line(name, value));
    let free = free_memory(0);
    if free.is_some_and(|free| free < LEAST_MEMORY) {
        let why = if memory_limit().is_some() { "the limit of --memory" } else { "other programs" };
        advice.push(format!("Little memory is left by {why}: large terrains are refused."));
    }
    if cfg!(target_os = "linux") {
        line("Display", &display());
    }
    match graphics {
        None => line("Graphics", "this build has no editor; it needs no graphics card"),
        Some(graphics) => {
            for card in &graphics.cards {
                line("Card", &card_text(card));
            }
            for (label, tried) in &graphics.systems {
                line("Graphics", &format!("{label}: {}", tried.as_ref().map_or_else(String::as_str, |()| "works")));
            }
            advice.extend(graphics_advice(graphics));
        }
    }
    for (name, folder, use_of) in [
        ("Settings", config_folder(), "settings"),
        ("Work", state_folder(), "unsaved work"),
        ("Cache", cache_folder(), "pictures of scenes, textures of materials"),
    ] {
        let Some(folder) = folder else {
            line(name, "the system names no folder");
            advice.push(format!("Without a home folder, {use_of} cannot be kept."));
            continue;
        };
        let problem = write_problem(&folder);
        line(name, &format!("{}: {}", folder.display(), problem.as_deref().unwrap_or("can be written")));
        if let Some(problem) = problem {
            advice.push(format!("{} cannot be written, so {use_of} cannot be kept: {problem}.", folder.display()));
        }
    }
    if advice.is_empty() {
        advice.push("No problem was found.".into());
    }
    text.push('\n');
    advice.iter().for_each(|advice| _ = writeln!(text, "- {advice}"));
    text
}

fn display() -> String {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let all = [("WAYLAND_DISPLAY", "Wayland"), ("DISPLAY", "X11")];
    let found: Vec<String> =
        all.iter().filter_map(|(name, kind)| Some(format!("{kind} ({name}={})", named(name)?))).collect();
    if found.is_empty() {
        "none: the editor needs a desktop, or a virtual display such as Xvfb".into()
    } else {
        found.join(", ")
    }
}

fn card_text(card: &CardReport) -> String {
    let kind = if card.is_software { ", draws on the processor" } else { "" };
    let driver = if card.driver.is_empty() { String::new() } else { format!(", driver {}", card.driver) };
    format!(
        "{} ({}{kind}){driver}; textures up to {}, buffers up to {}",
        card.name,
        card.system,
        card.largest_texture,
        bytes_text(card.largest_buffer)
    )
}

/// Advice to the user about cards and graphics systems.
fn graphics_advice(graphics: &GraphicsReport) -> Vec<String> {
    let Some((working, _)) = graphics.systems.iter().find(|(_, tried)| tried.is_ok()) else {
        return vec![
            "The editor cannot draw. Install the driver of your graphics card, or mesa-vulkan-drivers (Debian, Ubuntu) \
             to draw in software. `talweg render` and `talweg export` need no driver."
                .into(),
        ];
    };
    let mut advice = Vec::new();
    let used: Vec<&CardReport> = graphics.cards.iter().filter(|card| card.system == *working).collect();
    if used.iter().all(|card| card.is_software) {
        advice.push(
            "No graphics card was found, so the processor draws: the view is slow. Install the driver of your card."
                .to_string(),
        );
    } else if used.iter().any(|card| !card.is_software && card.largest_texture < LEAST_TEXTURE) {
        advice.push(format!(
            "The card has textures of less than {LEAST_TEXTURE} texels: use terrains up to 2049 samples."
        ));
    }
    if used.iter().filter(|card| !card.is_software).count() > 1 {
        advice.push("There are several cards. WGPU_ADAPTER_NAME=NAME chooses one by a part of its name.".into());
    }
    advice
}

/// The reason why a folder, or the nearest existing folder above it, cannot be written.
fn write_problem(folder: &Path) -> Option<String> {
    let existing = folder.ancestors().find(|folder| folder.is_dir()).map(PathBuf::from)?;
    let tried = existing.join(format!(".talweg-doctor-{}", process_number()));
    let written = std::fs::File::create_new(&tried).and_then(|_| std::fs::remove_file(&tried));
    written.err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(is_software: bool, system: &'static str) -> CardReport {
        CardReport {
            name: "Test card".into(),
            system,
            driver: "driver 1.2".into(),
            is_software,
            largest_texture: 16_384,
            largest_buffer: 1 << 30,
        }
    }

    #[test]
    fn the_report_says_what_the_graphics_mean() {
        let failed = |why: &str| Err(why.to_string());
        let report_of = |cards: Vec<CardReport>, vulkan: Result<(), String>| {
            report(Some(&GraphicsReport {
                cards,
                systems: vec![("DirectX 12", failed("no card")), ("Vulkan", vulkan)],
            }))
        };
        let good = report_of(vec![card(false, "Vulkan")], Ok(()));
        assert!(good.contains("Test card (Vulkan), driver driver 1.2; textures up to 16384, buffers up to 1.0 GiB"));
        assert!(good.contains("Vulkan: works") && good.contains("DirectX 12: no card"), "{good}");
        let slow = report_of(vec![card(true, "Vulkan")], Ok(()));
        assert!(slow.contains("- No graphics card was found, so the processor draws"), "{slow}");
        let none = report_of(Vec::new(), failed("no driver"));
        assert!(none.contains("- The editor cannot draw. Install the driver"), "{none}");
        let two = report_of(vec![card(false, "Vulkan"), card(false, "Vulkan")], Ok(()));
        assert!(two.contains("WGPU_ADAPTER_NAME"), "{two}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(write_problem(&folder.path().join("deep/in/it")), None);
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        // a file is no folder; the folder that contains it can be written
        assert_eq!(write_problem(&file), None);
        // nobody can create a file in /proc
        #[cfg(target_os = "linux")]
        assert!(write_problem(Path::new("/proc/talweg")).is_some());
        assert!(report(None).contains("this build has no editor"));
    }
}
