//! What a person can ask for. A menu entry, a button, a key and a script all carry the same value to what carries it
//! out.
//!
//! ```text
//! feature: enum of actions ── Action (label, tooltip, icon, shortcuts) ──▶ CommandRegistry: listed, handler
//! menu, button, key, script ── Command (one action) ──▶ CommandQueue ── run_all ──▶ the handler of its type
//! ```
//! An action belongs to the feature that can do it; nothing here knows any.

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

/// `keys![COMMAND + S]`: Ctrl, on a Mac Cmd, and S.
macro_rules! keys {
    ($($modifiers:ident + $key:ident),*) => {{
        use bevy_egui::egui::{Key, KeyboardShortcut};
        use $crate::frame::commands::held;
        const KEYS: &[KeyboardShortcut] = &[ $( KeyboardShortcut::new(held::$modifiers, Key::$key) ),* ];
        KEYS
    }};
}
pub(crate) use keys;

/// Modifiers that `keys!` knows.
pub(crate) mod held {
    use bevy_egui::egui::Modifiers;

    pub const NONE: Modifiers = Modifiers::NONE;
    pub const ALT: Modifiers = Modifiers::ALT;
    pub const SHIFT: Modifiers = Modifiers::SHIFT;
    pub const COMMAND: Modifiers = Modifiers::COMMAND;
    pub const COMMAND_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };
}

/// What menus, buttons and the list of shortcuts say about a command.
#[derive(Clone, Debug)]
pub struct Info {
    pub label: String,
    /// One sentence that says what happens.
    pub tooltip: String,
    pub icon: &'static str,
    /// The keys that it comes with; those in force are [`Keymap::keys`].
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

/// What a feature can be asked for.
pub trait Action: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// What is said about it.
    fn info(&self) -> Info;

    /// Its heading in the list of shortcuts.
    fn section(&self) -> &'static str;

    /// The tooltip with the shortcut behind it.
    fn tooltip(&self, ctx: &egui::Context) -> String {
        Command::from(self.clone()).tooltip(ctx)
    }
}

/// An [`Action`] of whatever type.
trait AnyAction: Debug + Send + Sync {
    fn info(&self) -> Info;
    fn section(&self) -> &'static str;
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

/// One action of some feature: the value that is carried from whoever asks to whoever does it.
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
    /// What is said about it.
    pub fn info(&self) -> Info {
        self.0.info()
    }

    /// Its heading in the list of shortcuts.
    pub fn section(&self) -> &'static str {
        self.0.section()
    }

    /// The action, if it is one of this type.
    pub fn action<A: Action>(&self) -> Option<&A> {
        self.0.as_any().downcast_ref()
    }

    /// The name by which preferences know it, whatever it is called in the window: `EditAction.Undo`.
    pub fn name(&self) -> String {
        let of = self.0.type_name();
        format!("{}.{:?}", of.rsplit("::").next().unwrap_or(of), self.0)
    }

    /// The shortcut that is shown beside it.
    pub fn shortcut(&self, ctx: &egui::Context) -> Option<KeyboardShortcut> {
        Keymap::shown(ctx).keys(self).first().copied()
    }

    /// The tooltip with the shortcut behind it.
    pub fn tooltip(&self, ctx: &egui::Context) -> String {
        let tooltip = self.info().tooltip;
        match self.shortcut(ctx) {
            Some(shortcut) => format!("{tooltip} ({})", shortcut_text(&shortcut)),
            None => tooltip,
        }
    }
}

/// Commands that have been asked for and not yet carried out, in order.
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

/// All commands with what carries them out.
#[derive(Resource, Default)]
pub struct CommandRegistry {
    listed: Vec<Command>,
    handlers: HashMap<TypeId, Handler>,
    /// Actions whose keys come before those of others, while they apply.
    scopes: HashMap<TypeId, Applies>,
    /// What the key that cancels leaves before anything else; each returns whether there was something to leave.
    leaving: Vec<SystemId<(), bool>>,
    /// What cancelling closes before it stops what is computed.
    closing: Vec<SystemId<(), bool>>,
}

impl CommandRegistry {
    /// The commands that need nothing named, in the order in which they were registered.
    pub fn all(&self) -> &[Command] {
        &self.listed
    }

    /// Whether the keys of a command hold in some states only, and come before those of others then.
    pub fn is_scoped(&self, command: &Command) -> bool {
        self.scopes.contains_key(&command.0.as_any().type_id())
    }

    /// The other commands that a shortcut of `command` asks for as well, in the same state.
    pub fn conflicts(&self, keymap: &Keymap, command: &Command) -> Vec<(KeyboardShortcut, Command)> {
        let keys = keymap.keys(command);
        // those of two features hold in different states
        let state = |command: &Command| self.is_scoped(command).then(|| command.0.as_any().type_id());
        let same = |other: &&Command| *other != command && state(other) == state(command);
        let shared = |other: &Command| {
            let common = keymap.keys(other).into_iter().find(|chord| keys.contains(chord))?;
            Some((common, other.clone()))
        };
        if keys.is_empty() { Vec::new() } else { self.listed.iter().filter(same).filter_map(shared).collect() }
    }
}

/// Registers what features can do.
pub trait CommandApp {
    /// Actions of one type, and the system that does them. Those in `listed` have shortcuts and are in the list of
    /// them.
    fn add_actions<A: Action, M>(
        &mut self,
        listed: impl IntoIterator<Item = A>,
        handler: impl IntoSystem<In<A>, (), M> + 'static,
    ) -> &mut Self;

    /// The keys of these actions come before those of all others, and only while they apply.
    fn scope_actions<A: Action>(&mut self, applies: fn(&World, &A) -> bool) -> &mut Self;

    /// What the key that cancels leaves first; returns whether there was something to leave.
    fn add_leaving<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self;

    /// What cancelling closes before it stops what is computed; returns whether there was something to close.
    fn add_closing<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self;
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

    fn add_leaving<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self {
        let id = self.register_system(system);
        registry(self).leaving.push(id);
        self
    }

    fn add_closing<M>(&mut self, system: impl IntoSystem<(), bool, M> + 'static) -> &mut Self {
        let id = self.register_system(system);
        registry(self).closing.push(id);
        self
    }
}

/// Carries out what has been asked for, and what that asks for.
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

/// Leaves what the key that cancels leaves; returns whether there was anything.
pub fn leave(world: &mut World) -> bool {
    any(world, |registry| &registry.leaving)
}

/// Closes what cancelling closes; returns whether there was anything.
pub fn close(world: &mut World) -> bool {
    any(world, |registry| &registry.closing)
}

fn any(world: &mut World, which: fn(&CommandRegistry) -> &Vec<SystemId<(), bool>>) -> bool {
    let systems = which(world.resource::<CommandRegistry>()).clone();
    systems.into_iter().any(|id| world.run_system(id).unwrap_or(false))
}
