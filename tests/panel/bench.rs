//! The benchmark window without a window system: it runs the chosen benchmark and shows the results.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::{Role, Toggled};
use egui::{Key, Modifiers, OutputCommand, Rect, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::benchmark::findings::Tone;
use talweg::param::Value;
use talweg_app::features::benchmark::BenchAction;
use talweg_app::features::benchmark::panel::BenchState;
use talweg_app::features::benchmark::task::BenchInfo;
use talweg_app::features::benchmark::task::{BenchOrder, BenchRequest, BenchTask, Ending};
use talweg_app::frame::commands::Command;
use talweg_app::frame::tasks::Tasks;
use talweg_app::view::Waker;

/// The panels with the benchmark task behind them, connected as in the editor.
struct Bench {
    panels: Panels,
    task: BenchTask,
    tasks: Tasks,
    rings: Receiver<()>,
}

impl Bench {
    fn new(nodes: &[&str]) -> Self {
        Self::sized(vec2(1280.0, 720.0), nodes)
    }

    fn sized(size: egui::Vec2, nodes: &[&str]) -> Self {
        let (ring, rings) = channel();
        let waker = Waker::new(move || {
            let _ = ring.send(());
        });
        let mut panels = panels(size, nodes);
        press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::B);
        Self { panels, task: BenchTask::default(), tasks: Tasks::new(waker), rings }
    }

    /// Executes the requests and updates the data of the panels.
    fn carry_out(&mut self) {
        for effect in std::mem::take(&mut self.panels.state_mut().effects) {
            if let Effect::Bench(ask) = effect {
                self.task.handle_request(ask, &self.tasks).unwrap();
            }
        }
        self.update_info();
    }

    fn update_info(&mut self) {
        *self.panels.state_mut().get_mut::<BenchInfo>() = self.task.info();
        self.panels.run();
    }

    /// Waits until the running benchmark has ended.
    fn wait(&mut self) -> Ending {
        loop {
            self.rings.recv_timeout(Duration::from_secs(300)).expect("the benchmark never ends");
            if let Some(ending) = self.task.receive() {
                self.update_info();
                return ending;
            }
        }
    }

    fn chips(&mut self, names: &[&str]) {
        for name in names {
            click(&mut self.panels, name);
        }
    }

    /// Chooses the smallest benchmark: the pair of document 001 at 65² and 129², one repetition, one thread.
    fn small(&mut self) {
        self.chips(&["Size 65", "Size 257", "Size 513", "Size 1025"]);
        for count in 2..=1024 {
            let name = format!("Threads {count}");
            if is_on(&self.panels, &name) == Some(true) {
                click(&mut self.panels, &name);
            }
        }
        repetitions(&mut self.panels, "1");
    }

    fn order(&self) -> BenchOrder {
        match self.panels.state().effects.last() {
            Some(Effect::Bench(BenchRequest::Run(order))) => order.clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn is_on(panels: &Panels, name: &str) -> Option<bool> {
    Some(panels.query_by_label(name)?.accesskit_node().toggled() == Some(Toggled::True))
}

fn repetitions(panels: &mut Panels, text: &str) {
    let at = panels.get_by_role_and_label(Role::SpinButton, "Repetitions").rect().center();
    panels.hover_at(at);
    panels.drag_at(at);
    panels.drop_at(at);
    panels.run();
    panels.key_press_modifiers(Modifiers::COMMAND, Key::A);
    panels.event(egui::Event::Text(text.into()));
    panels.run();
    press(panels, Modifiers::NONE, Key::Enter);
}

fn search(panels: &mut Panels, text: &str) {
    panels.get_by_role_and_label(Role::TextInput, "Search nodes to benchmark").focus();
    panels.run();
    panels.get_by_role_and_label(Role::TextInput, "Search nodes to benchmark").type_text(text);
    panels.run();
}

fn tab(bench: &mut Bench, name: &str) {
    bench.panels.get_by_role_and_label(Role::Button, name).click();
    bench.panels.run();
}

fn copied(bench: &mut Bench, label: &str) -> String {
    bench.panels.get_by_label(label).click();
    bench.panels.step();
    let mut found = None;
    for _ in 0..4 {
        for command in &bench.panels.output().platform_output.commands {
            if let OutputCommand::CopyText(text) = command {
                found = Some(text.clone());
            }
        }
        bench.panels.step();
    }
    found.expect("nothing was copied")
}

#[test]
fn the_pair_of_document_001_is_chosen_and_nodes_are_searched() {
    let mut bench = Bench::new(&[]);
    click(&mut bench.panels, "Run benchmark");
    let order = bench.order();
    let names: Vec<&str> = order.subjects.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Perlin noise, 10 octaves (001)", "Midpoint displacement (001)"]);
    assert_eq!(order.plan.sizes, [129, 257, 513, 1025]);
    assert_eq!((order.plan.repetitions, order.plan.extremes), (7, None));
    click(&mut bench.panels, "Deselect all nodes");
    assert!(bench.panels.query_by_label("Choose at least one node.").is_some());
    search(&mut bench.panels, "voronoi");
    assert!(bench.panels.query_by_role_and_label(Role::CheckBox, "Midpoint displacement").is_none());
    bench.panels.get_by_role_and_label(Role::CheckBox, "Voronoi").click();
    bench.panels.run();
    bench.chips(&["Size 2049", "Extremes"]);
    repetitions(&mut bench.panels, "11");
    click(&mut bench.panels, "Run benchmark");
    let order = bench.order();
    assert_eq!(order.subjects.len(), 1);
    assert_eq!(order.subjects[0].1.about().name, "Voronoi");
    assert_eq!(order.plan.sizes, [129, 257, 513, 1025, 2049]);
    assert!(order.plan.repetitions == 11 && order.plan.extremes.is_some(), "{:?}", order.plan);
}

#[test]
fn the_selected_layer_is_measured_with_its_parameters() {
    let mut bench = Bench::new(&["Perlin"]);
    click(&mut bench.panels, "Deselect all nodes");
    let doc = &mut bench.panels.state_mut().editor_mut().doc;
    let octaves = doc.scene().layers[0].node.about().find("octaves").unwrap();
    doc.edit("Test", None, |scene| scene.layers[0].node.params_mut().set(octaves, &Value::Int(2)).unwrap());
    bench.panels.run();
    click(&mut bench.panels, "Add the selected layer");
    let doc = &mut bench.panels.state_mut().editor_mut().doc;
    doc.edit("Test", None, |scene| scene.layers[0].node.params_mut().set(octaves, &Value::Int(3)).unwrap());
    bench.panels.run();
    click(&mut bench.panels, "Add the selected layer");
    click(&mut bench.panels, "Run benchmark");
    let order = bench.order();
    let kept: Vec<Value> = order.subjects.iter().map(|(_, node)| node.params().get(octaves)).collect();
    assert_eq!(
        kept,
        [Value::Int(2), Value::Int(3)],
        "each benchmark keeps the parameters of its layer when it was added"
    );
    assert!(order.subjects[0].0 != order.subjects[1].0, "two different names");
    let first = format!("Remove {}", order.subjects[0].0);
    click(&mut bench.panels, &first);
    click(&mut bench.panels, "Run benchmark");
    assert_eq!(bench.order().subjects, order.subjects[1..]);
}

#[test]
fn results_are_shown_sorted_and_copied() {
    let mut bench = Bench::new(&[]);
    bench.small();
    bench.chips(&["Extremes"]);
    click(&mut bench.panels, "Run benchmark");
    bench.carry_out();
    assert!(bench.panels.query_by_label("Stop benchmark").is_some());
    assert!(bench.panels.query_by_label_contains("Using the editor now distorts").is_some());
    assert_eq!(bench.wait(), Ending::Found);
    let report = bench.task.info().report.unwrap();
    assert_eq!(report.rows.len(), 4);
    assert_eq!(report.findings[0].tone, Tone::Care, "one repetition is not enough");
    assert!(bench.panels.query_all_by_value(&report.findings[0].text).count() > 0, "{}", report.findings[0].text);

    tab(&mut bench, "Table");
    let top = |bench: &Bench| {
        let y = |row: &talweg::benchmark::summary::BenchRow| bench.panels.get_by_label(&row.sentence).rect().top();
        let first = report.rows.iter().min_by(|a, b| y(a).total_cmp(&y(b))).unwrap();
        (first.subject, report.cell(first).samples)
    };
    assert_eq!(top(&bench), (0, 65));
    click(&mut bench.panels, "Sort by Size");
    click(&mut bench.panels, "Sort by Size");
    assert_eq!(top(&bench), (0, 129), "largest first");
    click(&mut bench.panels, "Sort by Time");
    let times: Vec<f64> = report
        .order(talweg::benchmark::summary::Column::Time, false)
        .iter()
        .map(|&k| report.cell(&report.rows[k]).milliseconds.median)
        .collect();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{times:?}");

    click(&mut bench.panels, "Sort by Loading");
    let loading = talweg::benchmark::summary::Column::Loading as usize;
    assert!(report.rows.iter().all(|row| row.texts[loading].ends_with('s')), "{:?}", report.rows[0].texts);

    let csv = copied(&mut bench, "Copy as CSV");
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(
        csv.starts_with("name,timed,samples") && csv.contains("\nMidpoint displacement (001),field,129,1,"),
        "{csv}"
    );
    let json: serde_json::Value = serde_json::from_str(&copied(&mut bench, "Copy as JSON")).unwrap();
    assert_eq!(json["subjects"][1]["cells"][0]["samples"], 65);

    for name in ["Growth", "Threads", "Extremes"] {
        tab(&mut bench, name);
    }
    assert!(bench.panels.query_by_role_and_label(Role::Label, "Perlin noise, 10 octaves (001)").is_some(), "a heading");
    let shown = bench.panels.query_all_by_label_contains(": relief, all finite").count();
    assert!(shown > 0, "extremes are listed");
    click(&mut bench.panels, "Show Remarkable");
    assert_eq!(bench.panels.query_all_by_label_contains(": relief, all finite, 1.").count(), 0);
    tab(&mut bench, "Growth");
    click(&mut bench.panels, "Plot one thread");
}

#[test]
fn a_cancelled_benchmark_keeps_earlier_results() {
    let mut bench = Bench::new(&[]);
    bench.small();
    click(&mut bench.panels, "Run benchmark");
    bench.carry_out();
    assert_eq!(bench.wait(), Ending::Found);
    let before = bench.task.info().report.unwrap();
    // so long that it ends only by Stop
    repetitions(&mut bench.panels, "999");
    bench.chips(&["Size 2049", "Size 1025"]);
    click(&mut bench.panels, "Run benchmark");
    bench.carry_out();
    assert!(bench.task.is_running());
    click(&mut bench.panels, "Stop benchmark");
    bench.carry_out();
    if bench.task.is_running() {
        assert!(bench.panels.query_by_label("Stopping…").is_some());
    }
    assert_eq!(bench.wait(), Ending::Stopped);
    let info = bench.task.info();
    assert!(std::sync::Arc::ptr_eq(&info.report.unwrap(), &before) && info.failure.is_none());
    assert!(bench.panels.query_by_label("Run benchmark").is_some(), "another can start");
}

#[test]
fn the_window_lies_inside_the_screen_with_all_its_parts() {
    for size in [vec2(1280.0, 720.0), vec2(1024.0, 640.0), vec2(960.0, 600.0)] {
        let mut bench = Bench::sized(size, &["Perlin"]);
        let screen = Rect::from_min_size(egui::Pos2::ZERO, size);
        let names = [
            "Search nodes to benchmark",
            "Size 65",
            "Size 2049",
            "Threads 1",
            "Repetitions",
            "Extremes",
            "Run benchmark",
        ];
        let rects: Vec<Rect> = names
            .iter()
            .map(|name| bench.panels.query_all_by_label(name).next().unwrap_or_else(|| panic!("{name}")).rect())
            .collect();
        for (k, rect) in rects.iter().enumerate() {
            assert!(screen.contains_rect(*rect), "{} at {rect:?} in {size:?}", names[k]);
            for (other, name) in rects[..k].iter().zip(names) {
                assert!(!rect.shrink(1.0).intersects(other.shrink(1.0)), "{} lies on {name}", names[k]);
            }
        }
        assert!(bench.panels.state().get::<BenchState>().is_open());
        press(&mut bench.panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::B);
        assert!(!bench.panels.state().get::<BenchState>().is_open());
        click(&mut bench.panels, "Tools");
        click(&mut bench.panels, "Benchmark…");
        assert!(bench.panels.state().get::<BenchState>().is_open());
        assert!(bench.panels.state().commands().contains(&Command::from(BenchAction::Toggle)));
    }
}
