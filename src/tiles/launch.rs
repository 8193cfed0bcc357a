//! Builds in tiles as jobs of schedulers: a script for Slurm, and a template for Open Job Description.
//!
//! Both files describe the plan. Each stage is an array of `talweg run-tile` tasks, which starts when the stages that
//! it reads have ended. The scheduler waits for tasks, counts them and retries them.
//! Source: the manual of `sbatch` (Slurm); Open Job Description, *jobtemplate-2023-09*.

use std::path::Path;

use serde_json::{Value, json};

use super::{PlanStage, TileBuild, TileError, TilePlan};
use crate::io::write_atomically;

/// File name of the Slurm script in the folder of a plan.
pub const SLURM_FILE: &str = "slurm.sh";
/// File name of the Open Job Description template in the folder of a plan.
pub const OPENJD_FILE: &str = "openjd.json";
/// Maximum number of tasks in a job array: Slurm's default limit (MaxArraySize 1001).
const MOST_ARRAY: usize = 1000;
/// Memory in MiB that the program needs in addition to the plan's estimate for a task.
const PROGRAM_MIB: u64 = 128;

/// A scheduler for which Talweg can write the plan as a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A script that submits a job array for each stage.
    Slurm,
    /// A job template with a step for each stage.
    OpenJobDescription,
}

impl Launcher {
    /// The name of the scheduler's file in the folder of a plan.
    pub fn file(self) -> &'static str {
        match self {
            Self::Slurm => SLURM_FILE,
            Self::OpenJobDescription => OPENJD_FILE,
        }
    }

    /// The text of the scheduler's file, for the build of a scene called `name`.
    pub fn text(self, plan: &TilePlan, name: &str) -> String {
        match self {
            Self::Slurm => slurm_script(plan, name),
            Self::OpenJobDescription => openjd_template(plan, name) + "\n",
        }
    }
}

impl TileBuild {
    /// Writes the scheduler's file into the folder of the plan.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_launcher(&self, launcher: Launcher) -> Result<(), TileError> {
        let text = launcher.text(&self.plan, &self.scene.name);
        let path: &Path = &self.store.folder().join(launcher.file());
        Ok(write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes()))?)
    }
}

/// Memory of a task in MiB, including the program itself.
fn memory_mib(stage: &PlanStage) -> u64 {
    stage.memory_bytes.div_ceil(1 << 20) + PROGRAM_MIB
}

/// `name` with each character replaced by a hyphen, except ASCII letters, digits, dots and underscores.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(64).collect();
    if name.is_empty() { "world".into() } else { name }
}

/// The numbers of the stages that a stage reads, in ascending order.
fn stages_before(stage: &PlanStage) -> Vec<usize> {
    let mut before: Vec<_> = stage.reads().iter().map(|product| product.stage()).collect();
    before.sort_unstable();
    before.dedup();
    before
}

fn slurm_script(plan: &TilePlan, name: &str) -> String {
    let name = plain_name(name);
    let mut text = String::from(
        "#!/usr/bin/env bash\n\
         # Submits the build in this folder to Slurm: a job array for each stage, after the stages that it reads.\n\
         # Arguments are passed on to sbatch, such as --partition=long --time=2:00:00. If talweg is not on the PATH,\n\
         # set TALWEG to the program. All machines must see the folder under this path. After a stop, submit again:\n\
         # tasks that are done end at once.\n\
         set -euo pipefail\n\
         cd \"$(dirname \"$0\")\"\n\
         export TALWEG=${TALWEG:-talweg}\n\
         mkdir -p slurm\n\
         # arguments: stage, first task of the array, number of tasks, MiB, jobs to wait for\n\
         submit() {\n    \
             local job after=\n    \
             [ -z \"$5\" ] || after=--dependency=afterok$5\n    \
             job=$(sbatch --parsable --requeue --kill-on-invalid-dep=yes ${after:+\"$after\"} --array=0-$(($3 - 1)) \\\n        \
                 --mem=\"$4M\" --output=\"slurm/stage-$1-%A-%a.out\" --job-name=\"$NAME-$1\" \"${@:6}\" \\\n        \
                 --wrap \"\\\"\\$TALWEG\\\" run-tile . $1 \\$(($2 + SLURM_ARRAY_TASK_ID)) --threads \\${SLURM_CPUS_PER_TASK:-1}\")\n    \
             echo \":${job%%;*}\"\n\
         }\n",
    );
    text += &format!("NAME={name}\n");
    for (number, stage) in plan.stages.iter().enumerate() {
        let after: String = stages_before(stage).iter().map(|before| format!("$stage_{before}")).collect();
        text += &format!("stage_{number}=\n");
        for first in (0..stage.tasks).step_by(MOST_ARRAY) {
            let tasks = (stage.tasks - first).min(MOST_ARRAY);
            let mib = memory_mib(stage);
            text += &format!("stage_{number}+=$(submit {number} {first} {tasks} {mib} \"{after}\" \"$@\")\n");
        }
    }
    text += &format!(
        "echo \"submitted {} stages of $NAME; the last: ${{stage_{}#:}}\"\n",
        plan.stages.len(),
        plan.stages.len() - 1
    );
    text
}

fn openjd_template(plan: &TilePlan, name: &str) -> String {
    let step_name = |number: usize| format!("stage-{number}");
    let step = |(number, stage): (usize, &PlanStage)| {
        let tile = json!({ "name": "Tile", "type": "INT", "range": format!("0-{}", stage.tasks - 1) });
        let arguments = [
            "run-tile",
            "{{Param.PlanFolder}}",
            &number.to_string(),
            "{{Task.Param.Tile}}",
            "--threads",
            "{{Param.Threads}}",
        ]
        .map(str::to_string);
        let mut step = json!({
            "name": step_name(number),
            "parameterSpace": { "taskParameterDefinitions": [tile] },
            "hostRequirements": { "amounts": [{ "name": "amount.worker.memory", "min": memory_mib(stage) }] },
            "script": { "actions": { "onRun": { "command": "{{Param.Talweg}}", "args": arguments } } },
        });
        let before: Vec<Value> =
            stages_before(stage).iter().map(|&stage| json!({ "dependsOn": step_name(stage) })).collect();
        if let (Some(fields), false) = (step.as_object_mut(), before.is_empty()) {
            fields.insert("dependencies".into(), before.into());
        }
        step
    };
    let steps: Vec<Value> = plan.stages.iter().enumerate().map(step).collect();
    let template = json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": format!("Talweg {}", plain_name(name)),
        "parameterDefinitions": [
            {
                "name": "PlanFolder", "type": "PATH", "objectType": "DIRECTORY", "dataFlow": "INOUT",
                "description": "Folder of the plan, visible to all machines",
            },
            { "name": "Talweg", "type": "STRING", "default": "talweg", "description": "The talweg program" },
            { "name": "Threads", "type": "INT", "default": 1, "minValue": 0, "description": "Threads of a task; 0 for one per processor" },
        ],
        "steps": steps,
    });
    serde_json::to_string_pretty(&template).unwrap_or_default()
}
