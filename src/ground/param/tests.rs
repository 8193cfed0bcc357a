use super::*;

crate::choices! {
    /// Which way.
    TestChoice { Up "Upwards": "Against gravity.", Down "Downwards": "With gravity." }
}

crate::params! {
    /// A group
    /// for the tests.
    TestGroup "A sample" in "Tests", from "nobody" {
        /// How far.
        far_away: f32 ["m"] = 2.0, 0.0..=10.0, slider 1.0..=3.0;
        /// How many.
        count: u32 = 3, 1..=9;
        /// Which way.
        way: TestChoice = TestChoice::Up;
        /// On or off.
        on: bool = true;
        /// Shape.
        shape: ToneCurve = ToneCurve::identity();
    }
}

#[test]
fn the_parameter_table_matches_its_declaration() {
    let about = TestGroup::default().about();
    assert_eq!((about.label, about.help), ("A sample", "A group for the tests."));
    assert_eq!(about.params[0].label, "Far away");
    assert_eq!(about.params[0].kind, ParamKind::Float { hard: (0.0, 10.0), slider: (1.0, 3.0) });
    assert_eq!(about.params[1].kind, ParamKind::Int { hard: (1, 9), slider: (1, 9) });
    assert_eq!(about.params[2].default, Value::Choice(0));
    assert_eq!(TestChoice::Down.label(), "Downwards");
}

#[test]
fn values_are_clamped_by_set_and_refused_by_parse() {
    let mut sample = TestGroup::default();
    sample.set(0, &Value::Float(99.0)).unwrap();
    assert_eq!(sample.far_away, 10.0);
    assert!(sample.set(2, &Value::Bool(true)).is_err());
    let spec = &sample.about().params[0];
    let message = spec.parse("99").unwrap_err().to_string();
    assert!(message.contains("`far_away`") && message.contains("0 to 10 m"), "{message}");
    assert_eq!(sample.about().params[2].parse("downwards").unwrap(), Value::Choice(1));
}

#[test]
fn sanitise_clamps_values_and_names_them() {
    let mut sample = TestGroup { far_away: f32::NAN, count: 90, shape: ToneCurve(vec![]), ..TestGroup::default() };
    let moved = sample.sanitise();
    assert_eq!(moved.iter().map(|m| m.param.as_ref()).collect::<Vec<_>>(), ["far_away", "count", "shape"]);
    assert_eq!(sample, TestGroup { count: 9, ..TestGroup::default() });
}

#[test]
fn only_changed_values_are_written() {
    let sample = TestGroup { way: TestChoice::Down, ..TestGroup::default() };
    let text = ron::to_string(&sample).unwrap();
    assert_eq!(text, "(way:Down)");
    assert_eq!(ron::from_str::<TestGroup>(&text).unwrap(), sample);
}

#[test]
fn values_are_read_exactly_or_refused_by_name() {
    let read = |text: &str| ron::from_str::<TestGroup>(text);
    let all = "(shape: [(0.0, 0.0), (1.0, 0.5)], on: false, way: Down, count: 9, far_away: 0.1)";
    let group = TestGroup {
        far_away: 0.1,
        count: 9,
        way: TestChoice::Down,
        on: false,
        shape: ToneCurve(vec![(0.0, 0.0), (1.0, 0.5)]),
    };
    assert_eq!(read(all).unwrap(), group);
    // Deserialisation keeps numbers outside their range; `sanitise` clamps and reports them later.
    assert_eq!(read("(far_away: -3, count: 90)").map(|read| (read.far_away, read.count)), Ok((-3.0, 90)));
    for (text, at, said) in [
        ("(wya: Down)", 5, "one of `far_away`, `count`, `way`, `on`, or `shape`"),
        ("(way: Sideways)", 15, "`way` cannot be `Sideways`: give one of Up, Down"),
        ("(count: 3, count: 4)", 16, "`count`"),
        ("(count: -3)", 11, "`count` takes a whole number in its range"),
        ("(count: 2.5)", 10, "comma"),
        ("(on: 1)", 6, "boolean"),
    ] {
        let error = read(text).unwrap_err();
        let line = error.to_string();
        assert!(line.to_lowercase().contains(&said.to_lowercase()), "{text}: {line}");
        assert!(error.span.end.col.abs_diff(at) <= 3, "{text}: {line}");
    }
    // Other formats than RON give the same result.
    let json = serde_json::to_string(&group).unwrap();
    assert_eq!(json, r#"{"far_away":0.1,"count":9,"way":"Down","on":false,"shape":[[0.0,0.0],[1.0,0.5]]}"#);
    assert_eq!(serde_json::from_str::<TestGroup>(&json).unwrap(), group);
}

#[test]
fn lists_of_numbers_are_clamped_shown_and_read() {
    let kind = <NumberList<-10, 10> as WithoutRange>::kind();
    let spec =
        ParamSpec { kind, default: Value::Numbers(Vec::new()), ..TestGroup::default().about().params[0].clone() };
    for (text, numbers) in [("1 -2.5 3", vec![1.0, -2.5, 3.0]), (" 1,2 ", vec![1.0, 2.0]), ("", vec![])] {
        let read = spec.parse(text).unwrap();
        assert_eq!(read, Value::Numbers(numbers));
        assert_eq!(spec.parse(&spec.show(&read)), Ok(read));
    }
    for text in ["1 two", "11", &"1 ".repeat(33), "NaN"] {
        let why = spec.parse(text).unwrap_err().to_string();
        assert!(why.contains("at most 32 numbers with spaces between them, each from -10 to 10"), "{text}: {why}");
    }
    let clamped = spec.clamp(&Value::Numbers(vec![f32::NAN, -20.0, 3.0, f32::INFINITY]));
    assert_eq!(clamped, Value::Numbers(vec![-10.0, 3.0, 10.0]));
    assert_eq!(spec.clamp(&Value::Numbers(vec![1.0; 40])), Value::Numbers(vec![1.0; 32]));
}

#[test]
fn curves_are_monotone_between_monotone_points() {
    let curve = ToneCurve::parse("0,0 0.2,0.1 0.3,0.8 1,1").unwrap().prepare();
    let samples: Vec<f32> = (0..=1000).map(|i| curve.value(i as f32 / 1000.0)).collect();
    assert!(samples.windows(2).all(|w| w[1] >= w[0] - 1e-6));
    assert!((curve.value(0.2) - 0.1).abs() < 1e-6 && (curve.value(0.3) - 0.8).abs() < 1e-6);
    let steep = ToneCurve(vec![(0.0, 0.0), (1e-40, 0.5), (1.0, 1.0)]);
    assert_eq!(steep.sanitised().0.len(), 2, "points at the same x must merge");
    assert!(ToneCurve::parse("0,0 0.00001,1 1,1").is_none());
    let identity = ToneCurve::identity().prepare();
    assert!((identity.value(0.37) - 0.37).abs() < 1e-6);
}
