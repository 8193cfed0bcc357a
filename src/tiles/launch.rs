//! Builds in tiles as jobs of schedulers: a script for Slurm, a template of Open Job Description.
//!
//! Both say the same as the plan: a stage is an array of tasks, each of which is `talweg run-tile`, and begins when
//! those that it reads have ended. Nothing here waits, counts or retries; that is the scheduler's.
//! Source: the manual of `sbatch` (Slurm); Open Job Description, *jobtemplate-2023-09*.

use std::path::Path;

use serde_json::{Value, json};

use super::{PlanStage, TileBuild, TileError, TilePlan};
use crate::io::write_atomically;

/// The script for Slurm in the folder of a plan.
pub const SLURM_FILE: &str = "slurm.sh";
/// The template of Open Job Description in the folder of a plan.
pub const OPENJD_FILE: &str = "openjd.json";
/// Tasks of an array: Slurm takes no more as it is installed (MaxArraySize 1001).
const MOST_ARRAY: usize = 1000;
/// MiB that the program takes besides what the plan says of a task.
const PROGRAM_MIB: u64 = 128;

/// A scheduler that a plan can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A script that submits a job array for each stage.
    Slurm,
    /// A job template with a step for each stage.
    OpenJobDescription,
}

impl Launcher {
    /// Its file in the folder of a plan.
    pub fn file(self) -> &'static str {
        match self {
            Self::Slurm => SLURM_FILE,
            Self::OpenJobDescription => OPENJD_FILE,
        }
    }

    /// What its file holds, for the build of a scene of that name.
    pub fn text(self, plan: &TilePlan, name: &str) -> String {
        match self {
            Self::Slurm => slurm_script(plan, name),
            Self::OpenJobDescription => openjd_template(plan, name) + "\n",
        }
    }
}

impl TileBuild {
    /// Writes the file of a launcher into the folder of the plan.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_launcher(&self, launcher: Launcher) -> Result<(), TileError> {
        let text = launcher.text(&self.plan, &self.scene.name);
        let path: &Path = &self.store.folder().join(launcher.file());
        Ok(write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes()))?)
    }
}

/// Memory of a task in MiB.
fn memory_mib(stage: &PlanStage) -> u64 {
    stage.memory_bytes.div_ceil(1 << 20) + PROGRAM_MIB
}

/// Letters, digits, dots, hyphens and underscores of a name.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(64).collect();
    if name.is_empty() { "world".into() } else { name }
}

/// Stages that a stage reads.
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
         # Submits the build in this folder to Slurm: a job array for each stage, after those that it reads.\n\
         # Arguments are given to sbatch, such as --partition=long --time=2:00:00. TALWEG is the program, if it is not\n\
         # found by its name. The folder has to be seen by all machines at this place. Submit again what was\n\
         # stopped: tasks that are done end at once.\n\
         set -euo pipefail\n\
         cd \"$(dirname \"$0\")\"\n\
         export TALWEG=${TALWEG:-talweg}\n\
         mkdir -p slurm\n\
         # STAGE, its first task of the array, tasks, MiB, jobs that go before\n\
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
                "description": "Folder of the plan, which all machines see",
            },
            { "name": "Talweg", "type": "STRING", "default": "talweg", "description": "The program" },
            { "name": "Threads", "type": "INT", "default": 1, "minValue": 0, "description": "Threads of a task; 0 is all" },
        ],
        "steps": steps,
    });
    serde_json::to_string_pretty(&template).unwrap_or_default()
}
