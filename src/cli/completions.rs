//! `talweg completions` and `talweg man`: shell completions and manual pages, generated from the command line.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::output::ForceArgs;
use super::{Cli, CommandResult, print};
use talweg::io::{FileError, StagedFile, StagedSet, check_name};

/// Print the completion script of a shell for commands and options
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg completions bash > ~/.local/share/bash-completion/completions/talweg
  talweg completions fish > ~/.config/fish/completions/talweg.fish
  talweg completions zsh > ~/.zfunc/_talweg")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "talweg", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Write manual pages: talweg.1 and one for each command
#[derive(Args)]
#[command(after_help = "\
Example:
  talweg man ~/.local/share/man/man1 && man talweg-export")]
pub struct ManArgs {
    /// Folder to write into; created if missing
    folder: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

pub fn write_manual(args: &ManArgs) -> CommandResult {
    check_name(&args.folder)?;
    std::fs::create_dir_all(&args.folder).map_err(|source| FileError::Write { path: args.folder.clone(), source })?;
    let mut cli = Cli::command();
    cli.build();
    let mut pages = StagedSet::default();
    let mut count = 0;
    let mut open = vec![cli];
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").cloned());
        let page = Man::new(command);
        let mut text = Vec::new();
        page.render(&mut text)?;
        let to = args.force.target(&args.folder.join(page.get_filename()));
        pages.push(StagedFile::new(&to, |file| file.write_all(&text))?);
        count += 1;
    }
    pages.commit()?;
    print(&format!("{}  {count} pages\n", args.folder.display()))
}
