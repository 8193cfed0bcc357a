//! `talweg check`: reads scenes and reports their problems.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{CommandResult, Failure, print, print_json};
use talweg::export::origin::load_scene;
use talweg::scene::Warning;

/// Read scenes and print every warning and error
#[derive(Args)]
#[command(after_help = "\
Prints a line for each scene without problems (`ok`) and for each problem. The exit code is 1 if a scene cannot be read.

Example:
  talweg check saves/*.ron")]
pub struct CheckArgs {
    /// Scene files
    #[arg(required = true)]
    scenes: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CheckFinding {
    scene: PathBuf,
    warnings: Vec<String>,
    error: Option<String>,
}

pub fn run(args: &CheckArgs) -> CommandResult {
    let findings: Vec<CheckFinding> = args
        .scenes
        .iter()
        .map(|path| match load_scene(path) {
            Ok((scene, warnings)) => {
                let problems = scene
                    .problems()
                    .into_iter()
                    .map(|problem| format!("layer `{}`: {}", scene.layers[problem.layer].name, problem.message));
                let warnings = warnings.into_iter().map(|Warning(text)| text).chain(problems).collect();
                CheckFinding { scene: path.clone(), warnings, error: None }
            }
            Err(error) => CheckFinding { scene: path.clone(), warnings: Vec::new(), error: Some(error.to_string()) },
        })
        .collect();
    if args.json {
        print_json(&findings)?;
    } else {
        print(&findings.iter().map(CheckFinding::lines).collect::<String>())?;
    }
    match findings.iter().filter(|f| f.error.is_some()).count() {
        0 => Ok(()),
        bad => Err(Failure::Failed(anyhow::anyhow!("{bad} of {} scenes cannot be read", findings.len()))),
    }
}

impl CheckFinding {
    fn lines(&self) -> String {
        let scene = self.scene.display();
        if let Some(error) = &self.error {
            return format!("error    {error}\n");
        }
        if self.warnings.is_empty() {
            return format!("ok       {scene}\n");
        }
        self.warnings.iter().map(|text| format!("warning  {scene}: {text}\n")).collect()
    }
}
