//! `change`: what the next file looks like, and that it appears whole or not at all.

use crate::{
    owner::{LIVE, RING},
    run::{Folder, Run, command, keystead, project, with_input},
    transition::step,
};
use serde_json::{Value, json};
use std::{fmt::Write as _, fs, path::Path, process::Command};

/// The changed text, on standard output.
fn changed(file: &str, options: &[&str]) -> String {
    let run = keystead([&["change", file, "-o", "-"], options].concat());
    assert_eq!(run.status, Some(0), "{options:?} {run:?}");
    run.text().to_owned()
}

fn fingerprint(file: &str) -> Value {
    keystead(["show", file, "--json"]).json()["fingerprint"].clone()
}

#[test]
fn the_report_says_what_moves_and_how_to_take_it_back() {
    let folder = Folder::new();
    let next = folder.path("next.json");
    let run = keystead([
        "change",
        LIVE,
        "--drain",
        "cache-d",
        "--add",
        "cache-k@10.7.0.11:11211",
        "--location",
        "eu-1/1c",
        "-o",
        &next,
    ]);
    // Among the old nodes and the new one, 13 in weight, cache-d or cache-k wins 2/13 of the keys: these and no others move.
    assert_eq!(
        run.ok(),
        format!(
            "epoch 42 → 43 · 15.38 % of keys move; 8.33 % is the least any placement could move\n \
             hint: if cache-k is a new machine for cache-d, keep the id and change its address: 0 keys move\n \
             undo: keystead change {next} --weight cache-d=1 --remove cache-k -o undo.json\n       \
             (for {next} the live file's name, once it is published)\n"
        )
    );
    let (old, new) = (fs::read_to_string(LIVE).expect("a file"), fs::read_to_string(&next).expect("it is written"));
    let drained = r#"    {"id": "cache-d", "weight": 0, "location": ["eu-1", "1c"], "address": "10.7.0.4:11211"},"#;
    let added = r#"    {"id": "cache-k", "location": ["eu-1", "1c"], "address": "10.7.0.11:11211"}"#;
    let expected = old
        .replace("42", "43")
        .replace(r#"    {"id": "cache-d", "location": ["eu-1", "1c"], "address": "10.7.0.4:11211"},"#, drained)
        .replace("10.7.0.8:11211\"}\n", &format!("10.7.0.8:11211\"}},\n{added}\n"));
    assert_eq!(new, expected);

    // The hint is true.
    let run = keystead(["change", LIVE, "--address", "cache-d=10.7.0.11:11211", "-o", &next]);
    assert!(run.ok().starts_with("epoch 42 → 43 · 0 keys move\n undo: "), "{run:?}");
    assert_eq!(fingerprint(&next), fingerprint(LIVE));
    assert_eq!(
        keystead(["change", LIVE, "--drain", "cache-c", "--add", "k"]).ok().matches("hint: if").count(),
        0,
        "cache-c had no key"
    );
}

#[test]
fn without_a_file_nothing_is_written() {
    let folder = Folder::new();
    let file = folder.file("live.json", r#"{"keystead": 1, "nodes": ["a", "b"]}"#);
    let run = keystead(["change", &file, "--add", "c"]);
    assert!(run.ok().starts_with("no epoch · 33.33 % of keys move; 33.33 % is the least"), "{run:?}");
    assert!(run.ok().contains("--epoch 1 gives it one") && run.ok().contains("nothing is written"), "{run:?}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), r#"{"keystead": 1, "nodes": ["a", "b"]}"#);
    assert_eq!(folder.names(), ["live.json"]);
}

#[test]
fn the_layout_stays() {
    let folder = Folder::new();
    let two_lines = "{\"keystead\":1,\"nodes\":[\"a\",\"b\",\n  \"c\", \"d\"]}";
    let by_line = "{\n\t\"nodes\" : [\n\t\t\"a\",\n\t\t{\"weight\":2,\"id\":\"b\"}\n\t],\n\t\"epoch\" : 7,\n\t\"keystead\" : 1\n}\n\n";
    let tall = "{\r\n  \"keystead\": 1, \"epoch\": 3,\r\n  \"nodes\": [\r\n    {\r\n      \"id\": \"\\u0061\",\r\n      \"weight\" : 2\r\n    }\r\n  ]\r\n}\r\n";
    for (file, options, expected) in [
        (two_lines, "--remove a", "{\"keystead\":1,\"nodes\":[\"b\",\n  \"c\", \"d\"]}"),
        (two_lines, "--remove b --add z", "{\"keystead\":1,\"nodes\":[\"a\",\n  \"c\", \"d\", \"z\"]}"),
        (two_lines, "--remove d --remove c --add z", "{\"keystead\":1,\"nodes\":[\"a\",\"b\", \"z\"]}"),
        (
            two_lines,
            "--weight a=3 --add q@h:1",
            "{\"keystead\":1,\"nodes\":[{\"id\":\"a\",\"weight\":3},\"b\",\n  \"c\", \"d\", {\"id\":\"q\",\"address\":\"h:1\"}]}",
        ),
        (
            two_lines,
            "--address c=x --epoch 9",
            "{\"keystead\":1,\"epoch\":9,\"nodes\":[\"a\",\"b\",\n  {\"id\":\"c\",\"address\":\"x\"}, \"d\"]}",
        ),
        (
            two_lines,
            "--remove a --remove b --remove c --remove d --add e --add f",
            "{\"keystead\":1,\"nodes\":[\"e\", \"f\"]}",
        ),
        (
            two_lines,
            "--remove a --add a@x",
            "{\"keystead\":1,\"nodes\":[\"b\",\n  \"c\", \"d\", {\"id\":\"a\",\"address\":\"x\"}]}",
        ),
        (
            by_line,
            "--drain b --add c",
            "{\n\t\"nodes\" : [\n\t\t\"a\",\n\t\t{\"weight\":0,\"id\":\"b\"},\n\t\t\"c\"\n\t],\n\t\"epoch\" : 8,\n\t\"keystead\" : 1\n}\n\n",
        ),
        (
            by_line,
            "--address b=x --add c --location l",
            "{\n\t\"nodes\" : [\n\t\t\"a\",\n\t\t{\"weight\":2,\"id\":\"b\",\"address\":\"x\"},\n\t\t{\"id\":\"c\",\"location\":[\"l\"]}\n\t],\n\t\"epoch\" : 8,\n\t\"keystead\" : 1\n}\n\n",
        ),
        (
            tall,
            "--add b=c@x --weight b=c=7 --weight a=1",
            "{\r\n  \"keystead\": 1, \"epoch\": 4,\r\n  \"nodes\": [\r\n    {\r\n      \"id\": \"\\u0061\",\r\n      \"weight\" : 1\r\n    },\r\n    {\r\n      \"id\": \"b=c\",\r\n      \"weight\": 7,\r\n      \"address\": \"x\"\r\n    }\r\n  ]\r\n}\r\n",
        ),
    ] {
        let path = folder.file("live.json", file);
        let options: Vec<&str> = options.split(' ').collect();
        assert_eq!(changed(&path, &options), expected, "{options:?}");
    }
}

#[test]
fn what_nodes_carry_stays() {
    let folder = Folder::new();
    let text = r#"{"keystead": 1, "comment": "für alle\u0000", "nodes": [
  {"id": "é\"", "meta": {"rack": "r7", "": "\ud83d\ude00"}, "comment": "sp\u00e4t", "address": ""},
  {"meta": {}, "weight": 0000, "id": "b"}]}"#
        .replace("0000}", "0}")
        .replace("0000,", "0,");
    let path = folder.file("live.json", &text);
    assert_eq!(changed(&path, &["--weight", "b=5"]), text.replace("\"weight\": 0", "\"weight\": 5"));
    assert_eq!(changed(&path, &["--address", "é\"="]), text.replace(", \"address\": \"\"", ""));
    assert_eq!(changed(&path, &["--weight", "é\"=4"]), text.replace("\"é\\\"\",", "\"é\\\"\", \"weight\": 4,"));
}

/// Files in many layouts, changed at random: what was asked for is there, and the entries that nobody named are there as they were.
#[test]
fn entries_that_nobody_named_are_never_touched() {
    let folder = Folder::new();
    let mut state = 7_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let gaps = ["", " ", "\n", "\n    ", "\t", " \r\n  "];
    for round in 0..60 {
        let mut gap = || gaps[usize::try_from(below(6)).expect("small")];
        let entry = |number: u64, gap: &mut dyn FnMut() -> &'static str| match number % 3 {
            0 => format!("\"n{number}\""),
            1 => format!("{{{}\"id\"{}:{}\"n{number}\"{}}}", gap(), gap(), gap(), gap()),
            _ => format!(
                "{{\"weight\":{}2{},{}\"id\":\"n{number}\",\"comment\":{}\"a, b]}}\"}}",
                gap(),
                gap(),
                gap(),
                gap()
            ),
        };
        let entries: Vec<String> = (0..6).map(|number| entry(number, &mut gap)).collect();
        let mut text = format!("{{{}\"keystead\":1{},\"nodes\":{}[{}", gap(), gap(), gap(), gap());
        for (number, entry) in entries.iter().enumerate() {
            text += entry;
            text += gap();
            text += if number < 5 { "," } else { "" };
            text += gap();
        }
        write!(text, "]{},\"epoch\":5}}{}", gap(), gap()).expect("memory");
        let path = folder.file("live.json", &text);
        let named: Vec<u64> = (0..6).filter(|_| below(3) == 0).collect();
        let mut options: Vec<String> = Vec::new();
        for number in &named {
            options.extend(match below(4) {
                0 => ["--remove".to_owned(), format!("n{number}")],
                1 => ["--drain".to_owned(), format!("n{number}")],
                2 => ["--weight".to_owned(), format!("n{number}={}", below(9))],
                _ => ["--address".to_owned(), format!("n{number}=h:{round}")],
            });
        }
        options.extend(["--add".to_owned(), "new".to_owned(), "--weight".to_owned(), "new=3".to_owned()]);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let after = changed(&path, &options);
        for (number, entry) in entries.iter().enumerate() {
            let is_named = named.contains(&(number as u64));
            assert!(is_named || after.contains(entry), "{text}\n{options:?}\n{after}");
        }
        let parsed: Value = serde_json::from_str(&after).expect("JSON");
        assert_eq!(parsed["epoch"], 6);
        let last = parsed["nodes"].as_array().and_then(|nodes| nodes.last()).expect("nodes");
        assert_eq!((&last["id"], &last["weight"]), (&json!("new"), &json!(3)));
    }
}

/// Runs what the report offers in a shell, in the folder, and gives the fingerprint of what it writes.
#[cfg(unix)]
fn run_undo(folder: &Folder, report: &str) -> Value {
    run_way_back(folder, report, " keep: ", false);
    run_way_back(folder, report, " undo: ", true);
    fingerprint(&folder.path("undo.json"))
}

#[cfg(unix)]
fn run_way_back(folder: &Folder, report: &str, which: &str, is_there: bool) {
    let Some(line) = report.lines().find_map(|line| line.strip_prefix(which)) else {
        return assert!(!is_there, "{report}");
    };
    let binary = Path::new(env!("CARGO_BIN_EXE_keystead")).parent().expect("a folder").display().to_string();
    let done = Command::new("/bin/sh")
        .args(["-c", line])
        .env("PATH", format!("{binary}:/bin:/usr/bin"))
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    assert!(done.status.success(), "{line} {done:?}");
}

#[test]
#[cfg(unix)]
fn undo_brings_the_cluster_back_under_a_higher_epoch() {
    let folder = Folder::new();
    let live = folder.file("it's live.json", fs::read_to_string(LIVE).expect("a file"));
    let odd = folder.file(
        "odd.json",
        r#"{"keystead": 1, "epoch": 1, "nodes": ["-x y", {"id": "rabbit@h1", "address": "h1:1"}, {"id": "c", "weight": 3}, {"id": "d", "comment": "ssd"}, "o'b$"]}"#,
    );
    for (file, options) in [
        (&live, "--drain cache-d --add cache-k@10.7.0.11:11211 --location eu-1/1c"),
        (&live, "--remove cache-b"),
        (&live, "--remove cache-a --remove cache-c --weight cache-b=1 --address cache-e=x"),
        (&odd, "--remove -x#y --remove rabbit@h1 --remove c"),
        (&odd, "--remove d"),
        (&odd, "--drain o'b$ --weight -x#y=3 --add p"),
    ] {
        let next = folder.path("next.json");
        let options: Vec<String> = options.split(' ').map(|word| word.replace('#', " ")).collect();
        let options: Vec<String> = options.chunks(2).map(|pair| pair.join("=")).collect();
        let report = keystead(["change", file, "-o", &next].into_iter().chain(options.iter().map(String::as_str)));
        assert_ne!(fingerprint(&next), fingerprint(file));
        assert_eq!(run_undo(&folder, report.ok()), fingerprint(file), "{report:?}");
        let epochs = [file.clone(), next, folder.path("undo.json")]
            .map(|file| keystead(["show", &file, "--json"]).json()["epoch"].as_u64());
        assert!(epochs[0] < epochs[1] && epochs[1] < epochs[2], "{epochs:?}");
    }
    // In place there is no file left that holds the comment.
    let run = keystead(["change", &odd, "--remove", "d", "-o", &odd]);
    assert!(run.ok().contains(" undo: none in one line"), "{run:?}");
}

/// `mv next.json live.json` leaves nothing of the old file: the way back starts from a copy, and without one it is refused.
#[test]
#[cfg(unix)]
fn the_undo_never_takes_the_published_file_for_the_old_one() {
    let folder = Folder::new();
    let text = r#"{"keystead": 1, "epoch": 4, "nodes": [{"id": "a", "meta": {"rack": "r 7"}}, "b"]}"#;
    let (live, next) = (folder.file("live.json", text), folder.path("next.json"));
    let old = fingerprint(&live);
    let run = keystead(["change", &live, "--remove", "a", "--epoch", "9", "-o", &next]);
    let (copy, report) = (folder.path("live.epoch-4.json"), run.ok().to_owned());
    assert!(
        report.contains(&format!(" hint: keep {live}: only it has the meta or comment of what is removed")),
        "{run:?}"
    );
    assert!(report.contains(&format!("\n keep: cp {live} {copy}\n")), "{run:?}");
    assert!(report.ends_with(&format!("\n undo: keystead change {copy} --epoch 10 -o undo.json\n")), "{run:?}");
    run_way_back(&folder, &report, " keep: ", true);
    fs::rename(&next, &live).expect("published");
    run_way_back(&folder, &report, " undo: ", true);
    assert_eq!(fingerprint(&folder.path("undo.json")), old);
    // Who kept nothing is told so.
    fs::remove_file(&copy).expect("a copy");
    keystead(["change", &copy, "--epoch", "10"]).refused(2, "unreadable");

    // An undo that names the new file works on the live one as well.
    let run = keystead(["change", &live, "--add", "c", "-o", &next]);
    let said = format!("\n       (for {next} the live file's name, once it is published)\n");
    assert!(run.ok().ends_with(&said), "{run:?}");
    let before = fingerprint(&live);
    fs::rename(&next, &live).expect("published");
    run_way_back(&folder, &run.ok().replace(&format!("change {next}"), &format!("change {live}")), " undo: ", true);
    assert_eq!(fingerprint(&folder.path("undo.json")), before);
    let in_place = keystead(["change", &live, "--add", "d", "-o", &live]);
    assert!(in_place.ok().ends_with("--remove d -o undo.json\n"), "{in_place:?}");
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = Folder::new();
    let file = folder.file("live.json", r#"{"keystead": 1, "epoch": 1, "nodes": ["a", "b"]}"#);
    let next = folder.file("next.json", "old");
    // What is refused leaves everything as it was.
    for (options, code) in [
        (vec!["--add", "a"], "duplicate_node"),
        (vec!["--remove", "z"], "unknown_node"),
        (vec!["--weight", "z=1"], "unknown_node"),
        (vec!["--address", "z=1"], "unknown_node"),
        (vec!["--drain", "a", "--drain", "b"], "no_nodes"),
        (vec!["--drain", "a", "--drain", "a"], "invalid_parameter"),
        (vec!["--drain", "a", "--remove", "a"], "invalid_parameter"),
        (vec!["--drain", "a", "--weight", "a=3"], "invalid_parameter"),
        (vec!["--add", ""], "invalid_id"),
        (vec!["--weight", "a=-1"], "invalid_weight"),
        (vec!["--weight", "a=4294967296"], "invalid_weight"),
        (vec!["--weight", "a"], "wrong_use"),
        (vec!["--epoch", "1", "--add", "c"], "stale_epoch"),
        (vec!["--epoch", "9007199254740992"], "invalid_parameter"),
        (vec!["--add", "c", "--tokens", "x"], "invalid_tokens"),
        (vec!["--add", "c", "--tokens", "5"], "invalid_parameter"),
        (vec!["--location", "x", "--add", "c"], "wrong_use"),
        (vec!["--add", "c", "--location", "x", "--location", "y"], "wrong_use"),
        (vec!["--add", "c@h", "--address", "c=i"], "invalid_parameter"),
        (vec![], "wrong_use"),
    ] {
        keystead([vec!["change", &file, "-o", &next], options].concat()).refused(2, code);
        assert_eq!(fs::read_to_string(&next).expect("a file"), "old");
    }
    let transition = folder
        .file("step.json", step(1, 2, r#"{"keystead": 1, "nodes": ["a"]}"#, r#"{"keystead": 1, "nodes": ["b"]}"#));
    assert!(keystead(["change", &transition, "--add", "c"]).refused(2, "unsupported").contains("transition"));
    assert!(
        keystead(["change", &file, "--add", "c", "-o", &folder.path("no/next.json")])
            .refused(2, "unwritable")
            .contains("next.json")
    );
    keystead(["change", &file, "--add", "c", "-o", &folder.path("")]).refused(2, "unwritable");
    keystead(["change", &file, "--add", "c", "-o", "-", "--json"]).refused(2, "wrong_use");
    assert_eq!(folder.names(), ["live.json", "next.json", "step.json"], "nothing is left over");
}

#[test]
#[cfg(unix)]
fn links_permissions_and_devices_stay_what_they_are() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let file = folder.file("live-7.json", r#"{"keystead": 1, "epoch": 1, "nodes": ["a", "b"]}"#);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let link = folder.path("live.json");
    symlink("live-7.json", &link).expect("a link");
    keystead(["change", &link, "--add", "c", "-o", &link]).ok();
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&file).expect("a file").contains("\"c\""));
    keystead(["change", &file, "--add", "d", "-o", "/dev/null"]).ok();
    assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
}

#[test]
fn a_file_from_standard_input_and_a_secret() {
    let folder = Folder::new();
    let secret = folder.file("secret", "00112233445566778899aabbccddeeff");
    let text = r#"{"keystead": 1, "hash": "sip13", "nodes": ["a", "b"]}"#;
    let run = with_input(["change", "-", "--add", "c", "-o", "-", "--secret-file", &secret], text.as_bytes());
    assert_eq!(run.text(), text.replace("\"b\"", "\"b\", \"c\""));
    assert!(run.stderr.starts_with("no epoch · 33.33 % of keys move"), "{run:?}");
    with_input(["change", "-", "--add", "c"], text.as_bytes()).refused(2, "missing_secret");
    let next = folder.path("next.json");
    let run = with_input(["change", "-", "--add", "c", "-o", &next, "--secret-file", &secret], text.as_bytes());
    assert!(run.ok().contains(&format!("--remove c --secret-file {secret} -o undo.json")), "{run:?}");
}

/// Where no closed form is known, the figure is a sample's and says so.
#[test]
fn figures_say_how_they_were_found() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let text = changed(&ring, &["--add", "E", "--tokens", "12"]);
    assert!(text.contains("\"tokens\": [\"12\"]"), "{text}");
    let run = keystead(["change", &ring, "--add", "E", "--tokens", "12"]);
    assert!(run.ok().starts_with("no epoch · 12.50 % of keys move; 12.50 % is the least"), "{run:?}");
    let nodes: Vec<String> = (0..6).map(|n| format!(r#"{{"id": "n{n}", "location": ["z{}"]}}"#, n % 3)).collect();
    let hierarchy = folder
        .file("h.json", format!(r#"{{"keystead": 1, "algorithm": "hierarchy-1", "nodes": [{}]}}"#, nodes.join(",")));
    let run = keystead(["change", &hierarchy, "--add", "n6", "--location", "z1", "--json"]).json();
    let share = run["moved"]["share"].as_f64().expect("a number");
    assert!(run["moved"]["method"] == "sample" && share > 0.14 && share < 0.35, "{run}");
    let run = keystead(["change", &hierarchy, "--add", "n6", "--location", "z1"]);
    assert!(run.ok().contains(" % ± 0.") && run.ok().contains("of keys move (of a sample of "), "{run:?}");
}

#[test]
fn colours_and_pipes_do_not_matter() {
    let output =
        command().args(["change", LIVE, "--drain", "cache-d"]).env("CLICOLOR_FORCE", "1").output().expect("it runs");
    let run = Run { status: output.status.code(), stdout: output.stdout, stderr: String::new() };
    assert!(!run.ok().contains('\u{1b}'));
    assert!(project().join("docs/json/change.schema.json").exists());
}

/// The undo line is run as a shell runs it, and must give back the fingerprint.
#[test]
fn the_undo_takes_back_what_was_done() {
    let folder = Folder::new();
    let start = folder.file("start.json", r#"{"keystead": 1, "epoch": 1, "nodes": ["i", "j", "e=f", "it's"]}"#);
    let (next, undone) = (folder.path("next.json"), folder.path("undone.json"));
    for options in [
        &["--drain", "i", "--weight", "i=0"][..],
        &["--weight", "i=5", "--drain", "j"],
        &["--remove", "i", "--add", "i", "--weight", "i=3"],
        &["--remove", "it's", "--weight", "e=f=7"],
        &["--add", "k@10.0.0.1:1", "--drain", "it's"],
    ] {
        let run = keystead([&["change", &start], options, &["-o", &next]].concat());
        let line = run.ok().lines().find_map(|line| line.strip_prefix(" undo: keystead ")).expect("an undo");
        let shell = format!("\"$KEYSTEAD\" {}", line.replace("undo.json", &undone));
        let done = Command::new("sh").args(["-c", &shell]).env("KEYSTEAD", env!("CARGO_BIN_EXE_keystead")).output();
        assert!(done.expect("sh runs").status.success(), "{line}");
        assert_eq!(fingerprint(&undone), fingerprint(&start), "{line}");
    }
    // A word with a control character would be shown escaped, and name another node.
    let odd = folder.file("odd.json", "{\"keystead\": 1, \"nodes\": [\"x\u{9b}y\", \"j\"]}");
    let run = keystead(["change", &odd, "--remove", "x\u{9b}y", "-o", &next]);
    assert!(run.ok().contains("undo: none that can be shown"), "{run:?}");
}

#[test]
fn an_address_is_given_to_the_node_that_is_there() {
    let folder = Folder::new();
    let file = folder.file("file.json", r#"{"keystead": 1, "nodes": ["e", "j", "g=h"]}"#);
    assert!(changed(&file, &["--address", "g=h=new"]).contains(r#"{"id": "g=h", "address": "new"}"#));
    assert!(changed(&file, &["--address", "e=f=new"]).contains(r#"{"id": "e", "address": "f=new"}"#));
    keystead(["change", &file, "--address", "x=f=new"]).refused(2, "unknown_node");
    let both = folder.file("both.json", r#"{"keystead": 1, "nodes": ["e", "e=f"]}"#);
    keystead(["change", &both, "--address", "e=f=new"]).refused(2, "wrong_use");
}

#[test]
fn what_is_odd_in_an_added_node_is_hinted_at() {
    let hints = |options: &[&str]| -> Vec<String> {
        let report = keystead([&["change", LIVE, "--json"], options].concat()).json();
        let hints = report["hints"].as_array().expect("a list").iter();
        hints.map(|hint| hint.as_str().expect("text").to_owned()).filter(|hint| !hint.contains("-o FILE")).collect()
    };
    assert_eq!(hints(&["--add", "k", "--location", "eu-1/1c"]), [""; 0]);
    assert_eq!(hints(&["--add", "k", "--location", "eu-1/z-q"]), ["zone \"z-q\" is new"]);
    assert_eq!(hints(&["--add", "k", "--location", "eu-2/1c"]), ["region \"eu-2\" is new"]);
    assert_eq!(hints(&["--add", "k"]), ["k has no location, and others have one: --location says where it stands"]);
    let twice = ["k has the address of cache-d, 10.7.0.4:11211"];
    assert_eq!(hints(&["--add", "k@10.7.0.4:11211", "--location", "eu-1/1c"]), twice);
    assert_eq!(hints(&["--address", "cache-a=10.7.0.4:11211"]), [twice[0].replace("k has", "cache-a has")]);
}

#[test]
fn an_id_that_is_nearly_right_is_told() {
    for options in
        [["--remove", "cache-dd"], ["--drain", "cahce-d"], ["--weight", "cache-D=3"], ["--address", "cache_d=h"]]
    {
        let run = keystead([&["change", LIVE], &options[..]].concat());
        assert!(run.refused(2, "unknown_node").ends_with("; did you mean \"cache-d\"?"), "{run:?}");
    }
    let run = keystead(["change", LIVE, "--remove", "worker"]);
    assert!(run.refused(2, "unknown_node").ends_with("is not in the cluster"), "{run:?}");
}
