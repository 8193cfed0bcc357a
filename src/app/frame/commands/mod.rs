//! The commands of the editor. A menu entry, a button, a key and a script all issue the same command value, and the
//! handler of its type executes it.
//!
//! ```text
//! feature: enum of actions ── Action (label, tooltip, icon, shortcuts) ──▶ CommandRegistry: listed, handler
//! menu, button, key, script ── Command (one action) ──▶ CommandQueue ── run_all ──▶ the handler of its type
//! ```
//! An action belongs to the feature that executes it; this module does not depend on any feature.

mod basic;
mod keymap;
mod shortcuts;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use bevy::ecs::system::{In, IntoSystem, SystemId};
use bevy::prelude::{App, Resource, World, error};
use bevy_egui::egui;
use egui::KeyboardShortcut;

pub use basic::{ComputeAction, EditAction, FileAction, Proceed};
pub use keymap::{Keymap, shortcut_text, shortcuts_text};
pub use shortcuts::pressed;

/// Writes a list of shortcuts: `keys![COMMAND + S]` is Ctrl+S, or Cmd+S on a Mac.
macro_rules! keys {
    ($($modifiers:ident + $key:ident),*) => {{
        use bevy_egui::egui::{Key, KeyboardShortcut};
        use $crate::frame::commands::held;
        const KEYS: &[KeyboardShortcut] = &[ $( KeyboardShortcut::new(held::$modifiers, Key::$key) ),* ];
        KEYS
    }};
}
pub(crate) use keys;

/// Short names of the modifier keys, for `keys!`.
pub(crate) mod held {
    use bevy_egui::egui::Modifiers;

    pub const NONE: Modifiers = Modifiers::NONE;
    pub const ALT: Modifiers = Modifiers::ALT;
    pub const SHIFT: Modifiers = Modifiers::SHIFT;
    pub const COMMAND: Modifiers = Modifiers::COMMAND;
    pub const COMMAND_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };
}

/// The texts, icon and default keys of a command. Menus, buttons and the list of shortcuts show them.
#[derive(Clone, Debug)]
pub struct Info {
    pub label: String,
    /// One sentence that says what the command does.
    pub tooltip: String,
    pub icon: &'static str,
    /// The default keys. [`Keymap::keys`] returns the keys that are active.
    pub shortcuts: &'static [KeyboardShortcut],
}

impl Info {
    pub fn new(
        label: impl Into<String>,
        tooltip: impl Into<String>,
        icon: &'static str,
        shortcuts: &'static [KeyboardShortcut],
    ) -> Self {
        Self { label: label.into(), tooltip: tooltip.into(), icon, shortcuts }
    }
}

/// A type of commands that a feature offers.
pub trait Action: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The texts, icon and default keys of the action.
    fn info(&self) -> Info;

    /// Heading under which the list of shortcuts shows the action.
    fn section(&self) -> &'static str;

    /// Whether the action shows a text field that gets the keyboard focus. Input that is typed before the field is
    /// drawn goes into it.
    fn asks_for_text(&self) -> bool {
        false
    }

    /// The tooltip text, followed by the shortcut.
    fn tooltip(&self, ctx: &egui::Context) -> String {
        Command::from(self.clone()).tooltip(ctx)
    }
}

/// An [`Action`] of any type, as a trait object.
trait AnyAction: Debug + Send + Sync {
    fn info(&self) -> Info;
    fn section(&self) -> &'static str;
    fn asks_for_text(&self) -> bool;
    fn type_name(&self) -> &'static str;
    fn is(&self, other: &dyn Any) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<A: Action> AnyAction for A {
    fn info(&self) -> Info {
        Action::info(self)
    }

    fn section(&self) -> &'static str {
        Action::section(self)
    }

    fn asks_for_text(&self) -> bool {
        Action::asks_for_text(self)
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<A>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// One action of any feature. Menus, keys and scripts issue this value, and the handler of the action's type executes
/// it.
#[derive(Clone, Debug)]
pub struct Command(Arc<dyn AnyAction>);

impl<A: Action> From<A> for Command {
    fn from(action: A) -> Self {
        Self(Arc::new(action))
    }
}

impl PartialEq for Command {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(other.0.as_any())
    }
}

impl Command {
    /// The texts, icon and default keys of the command.
    pub fn info(&self) -> Info {
        self.0.info()
    }

    /// Heading under which the list of shortcuts shows the command.
    pub fn section(&self) -> &'static str {
        self.0.section()
    }

    /// Whether the command shows a text field that gets the keyboard focus.
    pub fn asks_for_text(&self) -> bool {
        self.0.asks_for_text()
    }

    /// Returns the action if it has the type `A`.
    pub fn action<A: Action>(&self) -> Option<&A> {
        self.0.as_any().downcast_ref()
    }

    /// The name under which the preferences store the command, independent of its label: `EditAction.Undo`.
    pub fn name(&self) -> String {
        let of = self.0.type_name();
        format!("{}.{:?}", of.rsplit("::").next().unwrap_or(of), self.0)
    }

    /// The shortcut that menus show.
    pub fn shortcut(&self, ctx: &egui::Context) -> Option<KeyboardShortcut> {
        Keymap::shown(ctx).keys(self).first().copied()
    }

    /// The tooltip text, followed by the shortcut.
    pub fn tooltip(&self, ctx: &egui::Context) -> String {
        let tooltip = self.info().tooltip;
        match self.shortcut(ctx) {
            Some(shortcut) => format!("{tooltip} ({})", shortcut_text(&shortcut)),
            None => tooltip,
        }
    }
}

/// Commands that have been issued but not yet executed, in the order of issue.
#[derive(Resource, Default)]
pub struct CommandQueue(Vec<Command>);

impl CommandQueue {
    pub fn push(&mut self, command: impl Into<Command>) {
        self.0.push(command.into());
    }

    pub fn extend(&mut self, commands: impl IntoIterator<Item = Command>) {
        self.0.extend(commands);
    }
}

type Handler = Arc<dyn Fn(&mut World, &Command) + Send + Sync>;
type Applies = Arc<dyn Fn(&World, &Command) -> bool + Send + Sync>;

/// All commands and their handlers.
#[derive(Resource, Default)]
pub struct CommandRegistry {
    listed: Vec<Command>,
    handlers: HashMap<TypeId, Handler>,
    /// Types of actions whose keys take precedence over all other keys, each with the condition under which they do.
    scopes: HashMap<TypeId, Applies>,
    /// Systems that leave a mode, such as painting. Cancel runs them first; each returns whether it left a mode.
    leaving: Vec<SystemId<(), bool>>,
    /// Systems that close a window. Cancel runs them before it stops the computation; each returns whether it closed a
    /// window.
    closing: Vec<SystemId<(), bool>>,
}

impl CommandRegistry {
    /// The commands without arguments, in the order of registration.
    pub fn all(&self) -> &[Command] {
        &self.listed
    }

    /// Whether the keys of a command apply only in some states of the editor. In these states, they take precedence
    /// over the keys of other commands.
    pub fn is_scoped(&self, command: &Command) -> bool {
        self.scopes.contains_key(&command.0.as_any().type_id())
    }

    /// The other commands that share a shortcut with `command` in the same state of the editor.
    pub fn conflicts(&self, keymap: &Keymap, command: &Command) -> Vec<(KeyboardShortcut, Command)> {
        let keys = keymap.keys(command);
        // two types of actions with a scope never apply at the same time
        let state = |command: &Command| self.is_scoped(command).then(|| command.0.as_any().type_id());
        let same = |other: &&Command| *other != command && state(other) == state(command);
        let shared = |other: &Command| {
            let common = keymap.keys(other).into_iter().find(|chord| keys.contains(chord))?;
            Some((common, other.clone()))
        };
        if keys.is_empty() { Vec::new() } else { self.listed.iter().filter(same).filter_map(shared).collect() }
    }
}

/// Registers commands.
pub trait CommandApp {
    /// Registers the actions of one type and their handler. Only the actions in `listed` have shortcuts and appear in
    /// the list of shortcuts.
    fn add_actions<A: Action, M>(
        &mut self,
        listed: impl IntoIterator<Item = A>,
        handler: impl IntoSystem<In<A>, (), M> + 'static,
    ) -> &mut Self;

    /// Gives the keys of these actions precedence over all other keys while `applies` returns true. At other times, the
    /// keys do nothing.
    fn scope_actions<A: Action>(&mut self, applies: fn(&World, &A) -> bool) -> &mut Self;

    /// Adds a system that leaves a mode when Cancel is pressed. The system returns whether it left a mode.
    fn add_mode_exit<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self;

    /// Adds a system that closes a window before Cancel stops the computation. The system returns whether it closed a
    /// window.
    fn add_window_close<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self;
}

fn registry(app: &mut App) -> bevy::prelude::Mut<'_, CommandRegistry> {
    app.world_mut().get_resource_or_init::<CommandRegistry>()
}

impl CommandApp for App {
    fn add_actions<A: Action, M>(
        &mut self,
        listed: impl IntoIterator<Item = A>,
        handler: impl IntoSystem<In<A>, (), M> + 'static,
    ) -> &mut Self {
        let id = self.register_system(handler);
        let handler: Handler = Arc::new(move |world, command| {
            let Some(action) = command.action::<A>() else { return };
            if let Err(problem) = world.run_system_with(id, action.clone()) {
                error!("the command {command:?} failed: {problem}");
            }
        });
        let mut registry = registry(self);
        registry.listed.extend(listed.into_iter().map(Command::from));
        registry.handlers.insert(TypeId::of::<A>(), handler);
        self
    }

    fn scope_actions<A: Action>(&mut self, applies: fn(&World, &A) -> bool) -> &mut Self {
        let applies: Applies = Arc::new(move |world, command| command.action().is_some_and(|a| applies(world, a)));
        registry(self).scopes.insert(TypeId::of::<A>(), applies);
        self
    }

    fn add_mode_exit<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self {
        let id = self.register_system(system);
        registry(self).leaving.push(id);
        self
    }

    fn add_window_close<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self {
        let id = self.register_system(system);
        registry(self).closing.push(id);
        self
    }
}

/// Executes the issued commands, and the commands that their handlers issue in turn.
pub fn run_all(world: &mut World, ctx: &egui::Context) {
    loop {
        let commands = std::mem::take(&mut world.resource_mut::<CommandQueue>().0);
        if commands.is_empty() {
            return;
        }
        for command in commands {
            let handler = world.resource::<CommandRegistry>().handlers.get(&command.0.as_any().type_id()).cloned();
            match handler {
                Some(handler) => handler(world, &command),
                None => error!("no handler for the command {command:?}"),
            }
            ctx.request_repaint();
        }
    }
}

/// Leaves the active mode. Returns false if no mode was active.
pub fn leave(world: &mut World) -> bool {
    run_until_true(world, |registry| &registry.leaving)
}

/// Closes one of the open windows that Cancel can close. Returns false if no such window was open.
pub fn close(world: &mut World) -> bool {
    run_until_true(world, |registry| &registry.closing)
}

fn run_until_true(world: &mut World, which: fn(&CommandRegistry) -> &Vec<SystemId<(), bool>>) -> bool {
    let systems = which(world.resource::<CommandRegistry>()).clone();
    systems.into_iter().any(|id| world.run_system(id).unwrap_or(false))
}
