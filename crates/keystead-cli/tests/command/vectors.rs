//! The vectors that all languages share, asked through the command: every question that a verb answers.

use crate::run::{Folder, Run, keystead, lines, project, with_input};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _, fs};

/// The text of a vector; a lone surrogate stands for itself, for [`json_text`] to write as an escape.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) if object.contains_key("repeat") => {
            Some(string(&object["repeat"]).repeat(string(&object["times"]).parse().expect("a count")))
        }
        _ => None,
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected text: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("expected a list: {value}"))
}

fn json_text(value: &Value) -> String {
    text(value).map_or("\"\\ud800\"".to_owned(), |text| Value::from(text).to_string())
}

fn json_texts(values: &Value) -> String {
    format!("[{}]", list(values).iter().map(json_text).collect::<Vec<_>>().join(","))
}

/// A key in the form that `--keys-format json` reads.
fn json_key(key: &Value) -> String {
    let (kind, value) = key.as_object().and_then(|key| key.iter().next()).expect("a tagged key");
    match kind.as_str() {
        "text" => json_text(value),
        "hex" => key.to_string(),
        "int" => string(value).to_owned(),
        "seq" => format!("[{}]", list(value).iter().map(json_key).collect::<Vec<_>>().join(",")),
        "bad" => match string(value) {
            "float" => "1.5",
            "nan" => "NaN",
            "bool" => "true",
            "none" => "null",
            "object" => "{}",
            "lone_surrogate" => "\"\\ud800\"",
            other => panic!("unknown kind {other}"),
        }
        .to_owned(),
        other => panic!("unknown key {other}"),
    }
}

/// A cluster file of these parameters: numbers of any size stand in it as their digits.
fn cluster_file(cluster: &Value) -> String {
    let mut file = "{\"keystead\": 1".to_owned();
    for (name, value) in cluster.as_object().expect("a cluster") {
        match name.as_str() {
            "nodes" | "generated_nodes" | "secret" => {}
            "seed" => {
                let seed: u64 = string(value).parse().expect("a seed of 64 bits");
                write!(file, ", \"seed\": \"{seed:#018x}\"").expect("memory");
            }
            "space" | "algorithm" | "hash" => write!(file, ", \"{name}\": {value}").expect("memory"),
            "levels" => write!(file, ", \"levels\": {}", json_texts(value)).expect("memory"),
            "epoch" | "tokens_per_weight" | "slots" | "headroom" => {
                write!(file, ", \"{name}\": {}", string(value)).expect("memory");
            }
            other => panic!("unknown parameter {other}"),
        }
    }
    let mut nodes: Vec<String> = list(&cluster["nodes"]).iter().map(node).collect();
    if let Some(generated) = cluster.get("generated_nodes") {
        let count: u64 = string(&generated["count"]).parse().expect("a count");
        let prefix = string(&generated["prefix"]);
        nodes.extend((0..count).map(|number| format!("\"{prefix}{number}\"")));
    }
    write!(file, ", \"nodes\": [{}]}}", nodes.join(",\n")).expect("memory");
    file
}

/// A transition file of these parameters.
fn transition_file(transition: &Value) -> String {
    let epoch = transition.get("epoch").map(|epoch| format!("\"epoch\": {}, ", string(epoch))).unwrap_or_default();
    let [part, of] = ["part", "of"].map(|name| string(&transition[name]));
    let [before, after] = ["before", "after"].map(|side| cluster_file(&transition[side]));
    format!(
        "{{\"keystead\": 1, {epoch}\"transition\": {{\"part\": {part}, \"of\": {of}, \"before\": {before}, \"after\": {after}}}}}"
    )
}

fn node(node: &Value) -> String {
    let members = node.as_object().expect("a node").iter().map(|(name, value)| {
        let value = match name.as_str() {
            "id" | "address" | "comment" => json_text(value),
            "weight" => string(value).to_owned(),
            "location" => json_texts(value),
            "tokens" => value.to_string(),
            "meta" => {
                let pairs = list(value).iter().map(|pair| format!("{}: {}", json_text(&pair[0]), json_text(&pair[1])));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
            }
            other => panic!("unknown member {other}"),
        };
        format!("\"{name}\": {value}")
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn is_for_command(item: &Value) -> bool {
    item.get("only").is_none_or(|fronts| list(fronts).contains(&json!("cli")))
}

/// A cluster under questions: its file and secret.
struct Subject {
    folder: Folder,
    arguments: Vec<String>,
}

impl Subject {
    fn new(group: &Value) -> Subject {
        let folder = Folder::new();
        let of_file = group.get("file").or(group.get("transition_file"));
        let transition = group.get("transition");
        let content = match (of_file.map(|file| (file.get("hex"), file)), transition) {
            (Some((Some(hex), _)), _) => unhex(string(hex)),
            (Some((None, file)), _) => string(&file["text"]).as_bytes().to_vec(),
            (None, Some(transition)) => transition_file(transition).into_bytes(),
            (None, None) => cluster_file(&group["cluster"]).into_bytes(),
        };
        let mut arguments = vec![folder.file("cluster.json", content)];
        let subject = group.get("cluster").unwrap_or(group);
        let secrets = [
            ("secret", subject.get("secret")),
            ("before-secret", group.get("before_secret").or(group.pointer("/transition/before/secret"))),
            ("after-secret", group.get("after_secret").or(group.pointer("/transition/after/secret"))),
        ];
        for (name, secret) in secrets {
            arguments.extend(secret_file(&folder, name, secret));
        }
        Subject { folder, arguments }
    }

    fn ask(&self, verb: &str, more: &[String], input: &str) -> Run {
        with_input([verb].into_iter().chain(self.arguments.iter().chain(more).map(String::as_str)), input.as_bytes())
    }
}

/// Whether a key can be read at all: the command refuses its input before it asks anything, so that no copies of what is no key
/// are an error here, where `replicas(key, 0)` in a language is the empty list.
fn is_readable(key: &Value) -> bool {
    keystead(["owner", "--nodes=a", "--keys-format=json", "--", &json_key(key)]).status == Some(0)
}

/// The option that hands a secret over: `secret`, or that of one side of a transition.
fn secret_file(folder: &Folder, name: &str, secret: Option<&Value>) -> Vec<String> {
    secret.map_or_else(Vec::new, |secret| vec![format!("--{name}-file"), folder.file(name, string(secret))])
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex digits")).collect()
}

fn strings<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// What a question is put as: a verb with options. Questions that have them in common are asked in one run.
type Asked = (&'static str, Vec<String>);

/// The verb and options of a question about a key, or nothing where no verb answers it.
fn asked_of_key(query: &Value, levels: &[Value]) -> Option<Asked> {
    let mut options = Vec::new();
    let verb = match string(&query["op"]) {
        "owner" | "slot" => "owner",
        "replicas" | "limit" => {
            options.push(format!("-r={}", string(&query["r"])));
            "owner"
        }
        "candidates" => {
            options.push("--candidates".to_owned());
            "owner"
        }
        "ranking" | "passes" => "explain",
        _ => return None,
    };
    for id in query.get("exclude").map_or(&[][..], list) {
        options.push(format!("--exclude={}", text(id)?));
    }
    if let Some(spread) = query.get("spread") {
        let level = if let Some(level) = spread.get("level") {
            string(level).to_owned()
        } else {
            let name = text(&spread["name"])?;
            // On a command line digits are a number: a level of such a name is said by its number, an unknown one cannot be.
            if name.bytes().all(|byte| byte.is_ascii_digit()) {
                levels.iter().position(|level| text(level).as_ref() == Some(&name))?.to_string()
            } else {
                name
            }
        };
        options.push(format!("--spread={level}"));
    }
    if query.get("relaxed").is_some_and(|relaxed| relaxed == true) {
        options.push("--relaxed".to_owned());
    }
    Some((verb, options))
}

/// The answer to a question about a key, from the command's JSON.
fn answer_of_key(query: &Value, line: &Value) -> Value {
    match string(&query["op"]) {
        "owner" => line["owner"].clone(),
        "slot" => match &line["slot"] {
            // Only slots have the member.
            Value::Null => json!({"error": "unsupported"}),
            slot => json!(slot.to_string()),
        },
        "replicas" => line["replicas"].clone(),
        "candidates" => line["candidates"].clone(),
        "passes" => line["transition"]["passed"].clone(),
        // Without a spread nothing is relaxed, and the line does not say so.
        "limit" => json!(line.get("limit").map_or("1".to_owned(), ToString::to_string)),
        "ranking" => {
            let limit = query.get("limit").map_or(usize::MAX, |limit| string(limit).parse().expect("a limit"));
            list(&line["candidates"]).iter().take(limit).map(|node| node["id"].clone()).collect()
        }
        other => panic!("{other} is no question about a key"),
    }
}

/// The answer to a question about the cluster, from the command's JSON.
fn answer_of_cluster(subject: &Subject, query: &Value) -> Option<Result<Value, Run>> {
    let show = |options: &[String], answer: &dyn Fn(&Run) -> Value| {
        let run = subject.ask("show", &[options, &["--json".to_owned()]].concat(), "");
        Some(if run.status == Some(0) { Ok(answer(&run)) } else { Err(run) })
    };
    let whole = |answer: &dyn Fn(&Value) -> Value| {
        show(&[], &|run: &Run| answer(&serde_json::from_str(run.ok()).expect("JSON")))
    };
    let digits = |value: &Value| if value.is_null() { Value::Null } else { json!(value.to_string()) };
    match string(&query["op"]) {
        "ids" => whole(&|shown| list(&shown["nodes"]).iter().map(|node| node["id"].clone()).collect()),
        "fingerprint" => whole(&|shown| shown["fingerprint"].clone()),
        "shares" => whole(&|shown| list(&shown["nodes"]).iter().map(|node| node["share"].clone()).collect()),
        "nodes" => whole(&|shown| list(&shown["nodes"]).iter().map(vector_node).collect()),
        "node" if query["id"].is_string() => whole(&|shown| {
            let node = list(&shown["nodes"]).iter().find(|node| node["id"] == query["id"]);
            node.map_or(json!({"error": "unknown_node"}), vector_node)
        }),
        "properties" => whole(&|shown| {
            let seed = shown["seed"].as_str().map(|seed| u64::from_str_radix(&seed[2..], 16).expect("hex").to_string());
            json!({
                "algorithm": shown["algorithm"], "hash": shown["hash"], "levels": shown["levels"], "seed": seed,
                "epoch": digits(&shown["epoch"]), "tokens_per_weight": digits(&shown["tokens_per_weight"]),
                "space": shown["space"], "slots": digits(&shown["slots"]), "headroom": digits(&shown["headroom"]),
            })
        }),
        "arcs" => show(&strings(["--arcs"]), &|run| {
            run.json_lines().iter().map(|arc| json!([arc["start"], arc["end"], arc["length"], arc["owner"]])).collect()
        }),
        "slots_of" => show(&[format!("--slots-of={}", text(&query["id"])?)], &|run| {
            run.json_lines().iter().map(|line| json!(line["slot"].to_string())).collect()
        }),
        "slot_ranking" => show(&[format!("--slot-ranking={}", string(&query["slot"]))], &|run| {
            let limit = query.get("limit").map_or(usize::MAX, |limit| string(limit).parse().expect("a limit"));
            list(&run.json_lines()[0]["ranking"]).iter().take(limit).cloned().collect()
        }),
        "owner_at" => {
            let run = subject.ask("owner", &strings(["--json", "--at", string(&query["at"])]), "");
            Some(if run.status == Some(0) { Ok(run.json_lines()[0]["owner"].clone()) } else { Err(run) })
        }
        _ => None,
    }
}

/// A node of `show --json` in the words of the vectors.
fn vector_node(node: &Value) -> Value {
    let mut said = json!({"id": node["id"], "weight": node["weight"].to_string()});
    for name in ["location", "tokens", "address", "comment"] {
        let is_given = match &node[name] {
            Value::Null => false,
            Value::Array(items) => name == "tokens" || !items.is_empty(),
            _ => true,
        };
        if is_given {
            said[name] = node[name].clone();
        }
    }
    let meta = node["meta"].as_object().expect("an object");
    if !meta.is_empty() {
        said["meta"] = meta.iter().map(|(name, value)| json!([name, value])).collect();
    }
    said
}

/// Judges an answer; the count is what the tests' floor is for.
fn judge(query: &Value, answer: Result<Value, Run>, count: &mut usize) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(run) => {
            assert_eq!(run.status, Some(2), "{run:?}");
            json!({"error": run.code()})
        }
    };
    assert_eq!(answer, query["answer"], "{query}");
    *count += 1;
}

fn run_group(group: &Value, count: &mut usize) {
    let subject = Subject::new(group);
    if let Some(code) = group.get("error") {
        let run = subject.ask("check", &[], "");
        let status = if matches!(string(code), "missing_secret" | "unexpected_secret") { 2 } else { 1 };
        // A secret of a wrong length is a matter of the secret file.
        let status = if run.stderr.contains("a secret is 32 hex digits") { 2 } else { status };
        let message = run.refused(status, string(code));
        if let (Some(line), Some(column)) = (group.get("line"), group.get("column")) {
            let place = format!("cluster.json:{}:{}: ", string(line), string(column));
            assert!(message.contains(&place), "{place} {message}");
        }
        subject.ask("owner", &strings(["key"]), "").refused(2, string(code));
        *count += 1;
        return;
    }
    let levels = group.pointer("/cluster/levels").map_or(&[][..], list);
    let mut together: BTreeMap<Asked, Vec<&Value>> = BTreeMap::new();
    for query in list(&group["queries"]).iter().filter(|query| is_for_command(query)) {
        if let Some(answer) = answer_of_cluster(&subject, query) {
            judge(query, answer, count);
        } else if let Some(asked) = asked_of_key(query, levels) {
            if query["answer"].get("error").is_some() || query.get("limit").is_some_and(|limit| limit == "0") {
                ask_alone(&subject, query, &asked, count);
            } else if query.get("r").is_none_or(|r| r != "0") || is_readable(&query["key"]) {
                together.entry(asked).or_default().push(query);
            }
        }
    }
    for ((verb, options), queries) in together {
        let input = lines(queries.iter().map(|query| json_key(&query["key"])));
        let options = [options, strings(["--json", "--keys", "-", "--keys-format", "json"])].concat();
        let lines = subject.ask(verb, &options, &input).json_lines();
        assert_eq!(lines.len(), queries.len());
        for (query, line) in queries.iter().zip(lines) {
            judge(query, Ok(answer_of_key(query, &line)), count);
        }
    }
    drop(subject.folder);
}

fn ask_alone(subject: &Subject, query: &Value, (verb, options): &Asked, count: &mut usize) {
    // The lenient form of a ranking: nothing is asked for, so nothing can be missing.
    let lenient = if query.get("limit").is_some_and(|limit| limit == "0") { strings(["-r", "0"]) } else { Vec::new() };
    let fixed = strings(["--json", "--keys-format", "json", "--"]);
    let options = [options.clone(), lenient, fixed, vec![json_key(&query["key"])]].concat();
    let run = subject.ask(verb, &options, "");
    let answer = if run.status == Some(0) { Ok(answer_of_key(query, &run.json_lines()[0])) } else { Err(run) };
    judge(query, answer, count);
}

/// Questions to functions.
fn run_functions(queries: &[Value], count: &mut usize) {
    let mut together: BTreeMap<Vec<String>, Vec<&Value>> = BTreeMap::new();
    let folder = Folder::new();
    for query in queries.iter().filter(|query| is_for_command(query)) {
        let mut options = match string(&query["op"]) {
            "jump" => strings(["owner", "--at", "--jump", string(&query["n"])]),
            "jump_bucket" => strings(["owner", "--keys-format=json", "--jump", string(&query["n"])]),
            "modulo" => strings(["owner", "--keys-format=json", "--modulo", string(&query["n"])]),
            "encode_key" => strings(["explain", "--keys-format=json", "--nodes=a"]),
            _ => continue,
        };
        for name in ["hash", "seed"] {
            if let Some(value) = query.get(name) {
                options.push(format!("--{name}={}", string(value)));
            }
        }
        let key = if query["op"] == "jump" { string(&query["key"]).to_owned() } else { json_key(&query["key"]) };
        if query["op"] == "encode_key"
            && !key.starts_with(['[', '-'])
            && !key.starts_with(|first: char| first.is_ascii_digit())
        {
            // What is not composite is not encoded.
            continue;
        }
        if query["answer"].get("error").is_some() {
            let secret = secret_file(&folder, "secret", query.get("secret"));
            let run = keystead([options, secret, strings(["--", &key])].concat());
            judge(query, Err(run), count);
            continue;
        }
        options.push(query.get("secret").map_or(String::new(), |secret| string(secret).to_owned()));
        together.entry(options).or_default().push(query);
    }
    for (mut options, queries) in together {
        let secret = options.pop().filter(|secret| !secret.is_empty()).map(Value::from);
        options.extend(secret_file(&folder, "secret", secret.as_ref()));
        options.extend(strings(["--json", "--keys", "-"]));
        let key = |query: &Value| query["key"].as_str().map_or_else(|| json_key(&query["key"]), str::to_owned);
        let input = lines(queries.iter().map(|query| key(query)));
        let lines = with_input(&options, input.as_bytes()).json_lines();
        assert_eq!(lines.len(), queries.len());
        for (query, line) in queries.iter().zip(lines) {
            let answer = match string(&query["op"]) {
                "encode_key" => line["key"]["hex"].clone(),
                _ => json!(line["bucket"].to_string()),
            };
            judge(query, Ok(answer), count);
        }
    }
}

/// Runs a file of vectors, of which the command must answer at least so many.
fn run_vectors(name: &str, at_least: usize) {
    let path = project().join("tests/vectors").join(name);
    let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let vectors: Value = serde_json::from_slice(&content).expect("JSON");
    let mut count = 0;
    for group in list(&vectors["groups"]).iter().filter(|group| is_for_command(group)) {
        if ["cluster", "file", "transition", "transition_file"].iter().any(|subject| group.get(subject).is_some()) {
            run_group(group, &mut count);
        } else {
            run_functions(list(&group["queries"]), &mut count);
        }
    }
    assert!(count >= at_least, "only {count} questions of {name} were put to the command");
}

macro_rules! vector_tests {
    ($($name:ident: $file:literal, $at_least:literal;)*) => {$(
        #[test]
        fn $name() {
            run_vectors($file, $at_least);
        }
    )*};
}

vector_tests! {
    rendezvous: "rendezvous.json", 2000;
    ring: "ring.json", 1200;
    slots: "slots.json", 1100;
    hierarchy: "hierarchy.json", 1200;
    replicas: "replicas.json", 1000;
    refused: "refused.json", 120;
    files: "files.json", 500;
    descriptions: "description.json", 500;
    transitions: "transition.json", 2500;
    functions: "functions.json", 900;
    encodings: "encoding.json", 100;
}
