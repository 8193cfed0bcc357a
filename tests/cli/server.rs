//! The local server as other programs and agents use it: over HTTP, and over standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::http_kit::{fetch, with_token};
use super::{Folder, talweg};

const HILLS: &str = "(version: 1, settings: (resolution: 65), layers: [(name: \"Hills\", node: Perlin(octaves: 3))])";

/// A program that is stopped at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // the program may have ended by itself
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `talweg serve` with its own folder for state in `folder`.
fn start(folder: &Folder, args: &[&str]) -> Running {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("talweg"));
    command.arg("serve").args(args).env("TALWEG_STATE", folder.path("state")).env("TALWEG_TOKEN", "secret");
    Running(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
}

/// An agent that speaks the Model Context Protocol over standard input and output.
pub struct Agent {
    _running: Running,
    into: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    pub fn new(folder: &Folder) -> Self {
        let scenes = folder.path_text("");
        let mut running = start(folder, &[&scenes, "--stdio"]);
        let into = running.0.stdin.take().unwrap();
        let from = BufReader::new(running.0.stdout.take().unwrap());
        let mut agent = Self { _running: running, into, from, next: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = agent.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "talweg");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.into, "{message}").unwrap();
        self.into.flush().unwrap();
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server closed its output");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// The answer of a tool, or its error as text.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        if result["isError"] == true {
            return Err(result["content"][0]["text"].as_str().unwrap().into());
        }
        assert!(!result.is_null(), "{answer}");
        let value = result["structuredContent"].clone();
        assert!(value["hash"].as_str().is_some_and(|hash| hash.len() == 32), "{tool}: an answer without hash: {value}");
        Ok(value)
    }

    /// The answer of a tool that must succeed.
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{tool} {shown}: {error}"))
    }
}

#[test]
fn an_agent_makes_changes_measures_and_exports_a_scene() {
    let folder = Folder::new();
    let mut agent = Agent::new(&folder);
    let tools = agent.ask("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    for tool in tools {
        assert!(tool["description"].is_string() && tool["inputSchema"]["type"] == "object", "{tool}");
    }
    let nodes = agent.done("describe_nodes", json!({}));
    assert!(nodes["nodes"].as_array().unwrap().len() > 60);
    let perlin = agent.done("describe_nodes", json!({ "nodes": ["Perlin", "layer"] }));
    assert_eq!(perlin["nodes"][0]["name"], "Perlin");

    agent.done("write_scene", json!({ "scene": "a/hills.ron" }));
    let changes = json!([
        { "name": "Hills of the agent" },
        { "set": "scene.resolution=65" },
        { "add": "Perlin", "name": "Hills" },
        { "set": "Hills.octaves=3" },
        { "add": "Thermal", "name": "Slides" },
    ]);
    let made = agent.done("change_scene", json!({ "scene": "a/hills.ron", "changes": changes }));
    assert_eq!(made["layers"][0]["values"]["octaves"], "3");
    assert_eq!(made["layers"][1]["name"], "Slides");

    // the same hash as the command line
    let evaluated = agent.done("evaluate", json!({ "scene": "a/hills.ron" }));
    let path = folder.path_text("a/hills.ron");
    let verified = talweg(&["verify", &path]).success();
    let text = String::from_utf8_lossy(&verified.get_output().stdout).into_owned();
    assert!(text.contains(evaluated["hash"].as_str().unwrap()), "{text}");

    let measured = agent.done("measure", json!({ "scene": "a/hills.ron" }));
    assert_eq!(measured["hash"], evaluated["hash"]);
    let map = json!({ "scene": "a/hills.ron", "map": "heights", "grid": 3, "places": [[0.25, 0.75]] });
    let heights = agent.done("read_map", map);
    assert_eq!(heights["highest"]["value"], evaluated["highest_metres"]);
    assert_eq!(heights["grid"].as_array().unwrap().len(), 3);

    let picture = json!({ "scene": "a/hills.ron", "width": 64, "height": 48, "file": "hills.png" });
    assert_eq!(agent.done("picture", picture)["height"], 48);
    assert_eq!(super::picture_size(&folder.path("hills.png")).0, 64);

    let export = json!({ "scene": "a/hills.ron", "files": ["out/hills.r32"], "maps": ["slope"] });
    let files = agent.done("export", export.clone());
    assert_eq!(files["files"], json!(["out/hills.r32", "out/hills-slope.r32"]));
    let same = folder.path_text("same.r32");
    talweg(&["export", &path, "-o", &same]).success();
    assert_eq!(std::fs::read(&same).unwrap(), std::fs::read(folder.path("out/hills.r32")).unwrap());
    assert!(agent.call("export", export).unwrap_err().contains("exists already"));
}

#[test]
fn an_agent_stays_in_its_folder() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let secret = elsewhere.write_file("secret.png", "not for agents");
    folder.write_file("hills.ron", HILLS);
    let reader = format!("(version: 1, layers: [(node: Import(file: {secret:?}))])");
    folder.write_file("reader.ron", &reader);
    let mut agent = Agent::new(&folder);
    let outside = elsewhere.path_text("new.ron");
    let mut refused = |tool: &str, arguments: Value| agent.call(tool, arguments).unwrap_err();
    for name in ["../x.ron", &outside, ".hidden.ron", "a\\b.ron"] {
        let error = refused("write_scene", json!({ "scene": name }));
        assert!(error.contains("not the name of a file in the folder"), "{name}: {error}");
        refused("export", json!({ "scene": "hills.ron", "files": [name.replace(".ron", ".png")] }));
        refused("read_scene", json!({ "scene": name }));
    }
    for (tool, arguments) in [
        ("evaluate", json!({ "scene": "reader.ron" })),
        ("write_scene", json!({ "scene": "copy.ron", "text": reader })),
        (
            "change_scene",
            json!({ "scene": "hills.ron", "changes": [
            { "add": "Import", "name": "Map" }, { "set": format!("Map.file={secret}") }
        ] }),
        ),
    ] {
        let error = refused(tool, arguments);
        assert!(error.contains("secret.png"), "{tool}: {error}");
    }
    assert_eq!(std::fs::read_to_string(folder.path("hills.ron")).unwrap(), HILLS, "nothing was changed");
    assert!(!folder.path("copy.ron").exists() && !Path::new(&outside).exists());
}

#[test]
fn wrong_calls_of_an_agent_are_refused_in_words() {
    let folder = Folder::new();
    folder.write_file("hills.ron", HILLS);
    let mut agent = Agent::new(&folder);
    for (tool, arguments, named) in [
        ("evaluate", json!({}), "`scene`"),
        ("evaluate", json!({ "scene": "hills.ron", "wya": 5 }), "`wya`"),
        ("evaluate", json!({ "scene": "hills.ron", "size": 1 }), "samples per side"),
        ("evaluate", json!({ "scene": "nowhere.ron" }), "list_scenes"),
        ("read_map", json!({ "scene": "hills.ron", "map": "hight" }), "heights"),
        ("read_map", json!({ "scene": "hills.ron", "map": "normals" }), "3 channels"),
        ("read_map", json!({ "scene": "hills.ron", "map": "heights", "places": [[2.0, 0.5]] }), "outside"),
        ("write_scene", json!({ "scene": "hills.ron" }), "exists already"),
        ("write_scene", json!({ "scene": "new.ron", "text": "(version: 1, layers: [" }), "new.ron"),
        (
            "change_scene",
            json!({ "scene": "hills.ron", "changes": [
            { "set": "Hills.octaves=5" }, { "set": "Hills.octvaes=5" }
        ] }),
            "did you mean `octaves`",
        ),
        ("picture", json!({ "scene": "hills.ron", "width": 5 }), "16 to 2048"),
        ("export", json!({ "scene": "hills.ron", "files": ["a.jpg"] }), ".jpg"),
    ] {
        let error = agent.call(tool, arguments.clone()).unwrap_err();
        assert!(error.contains(named), "{tool} {arguments}: {error}");
    }
    assert_eq!(std::fs::read_to_string(folder.path("hills.ron")).unwrap(), HILLS, "nothing was changed");
    let unknown = agent.ask("tools/call", json!({ "name": "erase_disk", "arguments": {} }));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("list_scenes"));
}

/// A server without an agent, and its port.
fn http_server(folder: &Folder, args: &[&str]) -> (Running, u16) {
    let scenes = folder.path_text("");
    let mut running = start(folder, &[&[scenes.as_str(), "--port", "0"], args].concat());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.split_whitespace().next().unwrap();
    let port = url.rsplit(':').next().unwrap().parse().unwrap();
    let told: Value = serde_json::from_slice(&std::fs::read(folder.path("state/server.json")).unwrap()).unwrap();
    assert!(told["url"] == url && told["token"] == "secret", "{told}");
    (running, port)
}

#[test]
fn programs_follow_a_scene_that_is_saved_again() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let (_running, port) = http_server(&folder, &["--follow", &scene]);
    let ours = with_token(port, "secret");
    let described = |after: u64| {
        let (status, _, body) = fetch(port, &format!("/v1/terrain?after={after}&wait=30"), &ours);
        assert_eq!(status, 200);
        serde_json::from_slice::<Value>(&body).unwrap()
    };
    let first = described(0);
    assert!(first["revision"] == 1 && first["samples"] == 65, "{first}");
    let (status, head, heights) = fetch(port, "/v1/files/heights.r32?revision=1", &ours);
    assert!(status == 200 && head.contains(&format!("talweg-hash: {}", first["hash"].as_str().unwrap())), "{head}");
    let same = folder.path_text("same.r32");
    talweg(&["export", &scene, "-o", &same]).success();
    assert_eq!(std::fs::read(&same).unwrap(), heights);
    assert_eq!(fetch(port, "/v1/terrain?after=1&wait=0", &ours).0, 204);

    std::fs::write(&scene, HILLS.replace("octaves: 3", "octaves: 5")).unwrap();
    let second = described(1);
    assert!(second["revision"] == 2 && second["hash"] != first["hash"], "{second}");
    assert_eq!(fetch(port, "/v1/files/heights.r32?revision=1", &ours).0, 409);
    for (name, begin) in [("mesh.glb", &b"glTF"[..]), ("slope.png", b"\x89PNG"), ("scene.ron", b"(")] {
        let (status, _, body) = fetch(port, &format!("/v1/files/{name}"), &ours);
        assert!(status == 200 && body.starts_with(begin), "{name}: {status}");
    }
}

#[test]
fn strangers_get_nothing_from_the_server() {
    let folder = Folder::new();
    let (_running, port) = http_server(&folder, &[]);
    let ours = with_token(port, "secret");
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    for (headers, status) in [
        (host.clone(), 401),
        (format!("{host}Authorization: Bearer secreT\r\n"), 401),
        (format!("{ours}Origin: http://example.com\r\n"), 403),
        (ours.replace("127.0.0.1", "example.com"), 403),
    ] {
        for path in ["/v1/terrain", "/v1/files/scene.ron", "/mcp", "/"] {
            let (answered, _, body) = fetch(port, path, &headers);
            assert_eq!(answered, status, "{path} {headers}");
            assert!(serde_json::from_slice::<Value>(&body).unwrap()["error"].is_string());
        }
    }
    assert_eq!(fetch(port, "/v1/files/heights.r32", &ours).0, 404, "nothing is finished yet");
    assert_eq!(fetch(port, "/v1/terrain?wait=99", &ours).0, 400);
    assert_eq!(fetch(port, "/v1/other", &ours).0, 404);
}

#[test]
fn agents_work_over_http_and_programs_follow_them() {
    let folder = Folder::new();
    folder.write_file("hills.ron", HILLS);
    let (_running, port) = http_server(&folder, &[]);
    let ours = with_token(port, "secret");
    let post = |message: Value, session: &str| {
        let text = message.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let kinds = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        let head = format!("POST /mcp HTTP/1.1\r\nConnection: close\r\n{ours}{kinds}{session}");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let answer = post(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }), "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let session = answer.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id")).unwrap();
    let session = format!("{session}\r\n");
    post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &session);
    let call = json!({ "name": "evaluate", "arguments": { "scene": "hills.ron" } });
    let answer = post(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }), &session);
    let (status, _, body) = fetch(port, "/v1/terrain?wait=30", &ours);
    let followed: Value = serde_json::from_slice(&body).unwrap();
    assert!(status == 200 && answer.contains(followed["hash"].as_str().unwrap()), "{answer}\n{followed}");
}

#[test]
fn a_server_says_why_it_cannot_start() {
    let folder = Folder::new();
    let file = folder.write_file("hills.ron", HILLS);
    talweg(&["serve", &folder.path_text("nowhere")])
        .code(1)
        .stderr(predicates::str::contains("give a folder that exists"));
    talweg(&["serve", &file]).code(1).stderr(predicates::str::contains("hills.ron"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let serve = ["serve", &folder.path_text(""), "--port", &port];
    talweg(&serve).code(1).stderr(predicates::str::contains("give another port"));
}
