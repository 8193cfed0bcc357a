//! The graphics system that draws: Vulkan, DirectX 12 or Metal.
//!
//! The engine panics if the system that it tries first fails. This module opens a card of each system before the engine
//! starts, and the engine gets the first system that works. The user can choose another one with `--graphics` or with
//! the environment variable `WGPU_BACKEND`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use bevy::render::error_handler::{ErrorType, RenderError};
use bevy::render::settings::{Backends, WgpuSettings};
use bevy::tasks::block_on;
use wgpu::{DeviceDescriptor, DeviceType, Instance, InstanceDescriptor, Limits, RequestAdapterOptions};

use super::launch::AppError;
use talweg_cli::doctor::{CardReport, GraphicsReport};

/// A graphics system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphicsSystem {
    Vulkan,
    DirectX12,
    Metal,
}

impl GraphicsSystem {
    /// The systems that this operating system can have, in the order in which they are tried.
    pub const ALL: &[Self] = if cfg!(windows) {
        &[Self::DirectX12, Self::Vulkan]
    } else if cfg!(target_vendor = "apple") {
        &[Self::Metal]
    } else {
        &[Self::Vulkan]
    };

    pub fn label(self) -> &'static str {
        match self {
            Self::Vulkan => "Vulkan",
            Self::DirectX12 => "DirectX 12",
            Self::Metal => "Metal",
        }
    }

    /// Name of the system on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::DirectX12 => "directx12",
            Self::Metal => "metal",
        }
    }

    fn backends(self) -> Backends {
        match self {
            Self::Vulkan => Backends::VULKAN,
            Self::DirectX12 => Backends::DX12,
            Self::Metal => Backends::METAL,
        }
    }

    /// Opens the best card of the system as the engine would.
    ///
    /// # Errors
    /// The reason why the system cannot draw.
    fn open(self) -> Result<(), String> {
        caught(|| {
            let instance = instance_of(self);
            let options = RequestAdapterOptions::default();
            let card = block_on(instance.request_adapter(&options)).map_err(|_| "no card or driver was found")?;
            if let Some(missing) = missing_limit(&card.limits()) {
                return Err(missing);
            }
            let limits = DeviceDescriptor { required_limits: card.limits(), ..DeviceDescriptor::default() };
            block_on(card.request_device(&limits)).map(|_| ()).map_err(|error| error.to_string())
        })
        .unwrap_or_else(Err)
    }
}

/// Minimum number of storage buffers per shader stage. WebGPU guarantees it, and the engine needs it.
const STORAGE_BUFFERS: u32 = 8;

/// The reason why the engine cannot draw with a driver that has these limits. Mesa 20.3, the software driver of Debian
/// 11, offers three storage buffers.
fn missing_limit(limits: &Limits) -> Option<String> {
    let offered = limits.max_storage_buffers_per_shader_stage;
    (offered < STORAGE_BUFFERS).then(|| {
        format!(
            "the driver is too old and should be updated: it offers {offered} storage buffers per shader, and Talweg \
             needs {STORAGE_BUFFERS}"
        )
    })
}

/// Describes a drawing error for the user. A caller may ignore [`ErrorType::Validation`] and keep drawing.
pub fn drawing_failure(error: &RenderError) -> String {
    let what = match error.ty {
        ErrorType::DeviceLost => "the graphics card stopped answering",
        ErrorType::OutOfMemory => "the graphics card has too little memory",
        ErrorType::Validation | ErrorType::Internal => "the graphics card rejected the drawing commands",
    };
    let said = error.description.lines().map(str::trim).rfind(|line| !line.is_empty());
    said.map_or(what.to_string(), |said| format!("{what} ({said})"))
}

/// Runs `work`. If a driver panics, returns the message of the panic. The caller decides whether a panic is printed.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("the driver failed").to_string()
    })
}

fn instance_of(system: GraphicsSystem) -> Instance {
    Instance::new(InstanceDescriptor {
        backends: system.backends(),
        ..InstanceDescriptor::new_without_display_handle_from_env()
    })
}

static CHOSEN: OnceLock<GraphicsSystem> = OnceLock::new();

/// Makes the program draw with the system of this name.
///
/// # Errors
/// If this operating system has no system of this name; the message lists the names.
pub fn choose(name: &str) -> Result<(), String> {
    let Some(system) = GraphicsSystem::ALL.iter().find(|system| system.name() == name) else {
        let names: Vec<&str> = GraphicsSystem::ALL.iter().map(|system| system.name()).collect();
        return Err(format!("--graphics cannot be {name} here; give one of {}", names.join(", ")));
    };
    // the command line is read once, so no other choice exists
    let _ = CHOSEN.set(*system);
    Ok(())
}

/// The systems that the program may use, in the order in which they are tried.
fn allowed() -> Vec<GraphicsSystem> {
    if let Some(chosen) = CHOSEN.get() {
        return vec![*chosen];
    }
    let all = GraphicsSystem::ALL.iter().copied();
    match Backends::from_env() {
        Some(backends) => all.filter(|system| backends.contains(system.backends())).collect(),
        None => all.collect(),
    }
}

/// The engine's settings for the first graphics system that works.
///
/// # Errors
/// [`AppError::NoGraphics`] with the reason for each system, if none works.
pub fn settings() -> Result<WgpuSettings, AppError> {
    static WORKING: OnceLock<Backends> = OnceLock::new();
    let with = |backends| WgpuSettings { backends: Some(backends), ..WgpuSettings::default() };
    if let Some(known) = WORKING.get() {
        return Ok(with(*known));
    }
    let systems = allowed();
    if systems.is_empty() {
        return Err(AppError::NoGraphics("WGPU_BACKEND names no system that Talweg can draw with".into()));
    }
    let mut reasons = Vec::new();
    for system in systems {
        match system.open() {
            Ok(()) => return Ok(with(*WORKING.get_or_init(|| system.backends()))),
            Err(reason) => reasons.push(format!("{}: {reason}", system.label())),
        }
    }
    Err(AppError::NoGraphics(reasons.join("; ")))
}

/// Lists the graphics cards of this computer, and opens each graphics system, for `talweg doctor`.
pub fn report() -> GraphicsReport {
    let mut cards = Vec::new();
    for &system in GraphicsSystem::ALL {
        let listed = caught(|| {
            let found = block_on(instance_of(system).enumerate_adapters(system.backends()));
            found.iter().map(|card| (card.get_info(), card.limits())).collect::<Vec<_>>()
        });
        // a system that panics while it lists its cards has none that can be used; `open` tells the reason
        for (info, limits) in listed.unwrap_or_default() {
            cards.push(CardReport {
                name: info.name,
                system: system.label(),
                driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
                is_software: info.device_type == DeviceType::Cpu,
                largest_texture: limits.max_texture_dimension_2d,
                largest_buffer: limits.max_storage_buffer_binding_size,
            });
        }
    }
    let tried = |system: &GraphicsSystem| (system.label(), system.open());
    GraphicsReport { cards, systems: allowed().iter().map(tried).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_systems_of_this_computer_can_be_chosen() {
        let said = choose("glide").unwrap_err();
        for system in GraphicsSystem::ALL {
            assert!(said.contains(system.name()), "{said}");
        }
    }

    #[test]
    fn a_driver_with_few_storage_buffers_is_too_old() {
        let offering = |count| Limits { max_storage_buffers_per_shader_stage: count, ..Limits::default() };
        assert_eq!(missing_limit(&offering(8)), None);
        let said = missing_limit(&offering(3)).unwrap();
        assert!(said.contains("too old") && said.contains("3 storage buffers"), "{said}");
    }

    #[test]
    fn a_panic_of_a_driver_is_a_reason() {
        assert_eq!(caught(|| panic!("no {}", "swap chain")), Err::<(), _>("no swap chain".into()));
        assert_eq!(caught(|| panic!("lost")), Err::<(), _>("lost".into()));
        assert_eq!(caught(|| 7), Ok(7));
    }

    #[test]
    fn a_working_system_has_a_card_in_the_report() {
        let report = report();
        let works = |(label, tried): &(&str, Result<(), String>)| tried.is_ok().then_some(label.to_string());
        let working: Vec<String> = report.systems.iter().filter_map(works).collect();
        assert!(!working.is_empty(), "the tests need a driver: {:?}", report.systems);
        assert!(settings().is_ok_and(|settings| settings.backends.is_some()));
        for label in working {
            let card = report.cards.iter().find(|card| card.system == label).expect("a card of the system");
            assert!(!card.name.is_empty() && card.largest_texture >= 2048, "{card:?}");
        }
    }
}
