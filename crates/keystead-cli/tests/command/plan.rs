//! `plan`: steps that keep the limit, as files that are published one after the other, and back.

use crate::{
    owner::LIVE,
    run::{Folder, command, finish, keystead, lines, with_input},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _, fs};

/// Ten nodes, and two more.
fn ten_and_twelve(folder: &Folder) -> [String; 2] {
    let ids: Vec<String> = (0..10).map(|n| format!("\"cache-{n}\"")).collect();
    let text = format!("{{\"keystead\": 1, \"epoch\": 41,\n  \"comment\": \"ours\", \"nodes\": [{}]}}", ids.join(", "));
    let (before, after) = (folder.file("ten.json", text), folder.path("twelve.json"));
    keystead(["change", &before, "--add=cache-k", "--add=cache-l", "-o", &after]).ok();
    [before, after]
}

fn users(count: u32) -> String {
    lines((0..count).map(|number| format!("user:{number}")))
}

fn owners(file: &str, keys: &str) -> Vec<String> {
    let run = with_input(["owner", file, "--keys=-"], keys.as_bytes());
    run.ok().lines().map(|line| line.split('\t').nth(1).expect("an owner").to_owned()).collect()
}

fn number(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no number: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn show(file: &str) -> Value {
    keystead(["show", file, "--json"]).json()
}

/// The steps of a folder and what follows them, in the order of publishing.
fn published(folder: &str) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let digits = names.filter(|name| name.starts_with("step-")).count().to_string().len();
    let step = |number: usize| format!("{folder}/step-{number:0digits$}.json");
    let steps = (1..).map(step).take_while(|file| fs::exists(file).expect("it can be seen"));
    steps.chain(Some(format!("{folder}/after.json")).filter(|file| fs::exists(file).expect("it can be seen"))).collect()
}

#[test]
fn published_one_after_the_other_every_key_moves_once_and_every_limit_holds() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let keys = users(6_000);
    let dir = folder.path("plan");
    let options = ["--keys=-", "--limit=300keys", "--limit=90keys/node", "--json"];
    let report = with_input([&["plan", &before, &after, "-o", &dir], &options[..]].concat(), keys.as_bytes()).json();
    let steps = list(&report["steps"]).len();
    let mut files = published(&dir);
    assert_eq!(files.len(), steps + 1);
    files.insert(0, format!("{dir}/start.json"));
    let told: Vec<(String, Value)> = list(&report["files"])
        .iter()
        .map(|file| (format!("{dir}/{}", file["file"].as_str().expect("a name")), file.clone()))
        .collect();
    assert_eq!(told.iter().map(|(name, _)| name).collect::<Vec<_>>(), files.iter().collect::<Vec<_>>());
    assert!(files.is_sorted_by_key(|file| file.replace("after", "z")), "named in order: {files:?}");

    let (mut now, first, last) = (owners(&before, &keys), owners(&before, &keys), owners(&after, &keys));
    let mut epoch = 41;
    for (index, file) in files.iter().enumerate() {
        let next = owners(file, &keys);
        let (mut moved, mut nodes) = (0_u64, BTreeMap::<&str, [u64; 2]>::new());
        for at in 0..next.len() {
            if next[at] != now[at] {
                assert_eq!((&now[at], &next[at]), (&first[at], &last[at]), "once, and from the first to the last");
                moved += 1;
                nodes.entry(&now[at]).or_default()[1] += 1;
                nodes.entry(&next[at]).or_default()[0] += 1;
            }
        }
        assert!(moved <= 300 && nodes.values().flatten().all(|count| *count <= 90), "{file}: {moved} {nodes:?}");
        let shown = show(file);
        epoch += 1;
        assert_eq!(shown["epoch"], epoch);
        let (_, about) = &told[index];
        assert_eq!((&about["epoch"], &about["fingerprint"]), (&shown["epoch"], &shown["fingerprint"]));
        if index == 0 {
            // Nothing moves, and both places of every key are known from here on.
            assert_eq!((moved, &about["role"], &about["part"]), (0, &json!("start"), &json!(0)));
            let candidates = with_input(["owner", file, "--candidates", "--keys=-"], keys.as_bytes());
            for ((line, old), new) in candidates.ok().lines().zip(&first).zip(&last) {
                let places: Vec<&str> = line.split('\t').skip(1).collect();
                assert_eq!(places, if old == new { vec![old] } else { vec![old, new] });
            }
            continue;
        }
        match report["steps"].get(index - 1) {
            Some(step) => {
                assert_eq!((&about["role"], &about["step"]), (&json!("step"), &step["step"]));
                assert_eq!((number(&step["moved"]["keys"]), &step["fingerprint"]), (moved, &shown["fingerprint"]));
                for node in list(&step["nodes"]) {
                    let counts = nodes[node["id"].as_str().expect("an id")];
                    assert_eq!([number(&node["moved_in"]["keys"]), number(&node["moved_out"]["keys"])], counts);
                }
            }
            None => assert_eq!((moved, &shown["fingerprint"]), (0, &report["last"]["fingerprint"])),
        }
        now = next;
    }
    assert_eq!(now, last);
    // The last file is the one that was given, as it was written, under the next number.
    let given = fs::read_to_string(&after).expect("a file");
    let epochs = ["\"epoch\": 42".to_owned(), format!("\"epoch\": {epoch}")];
    assert_eq!(fs::read_to_string(&files[files.len() - 1]).expect("a file"), given.replace(&epochs[0], &epochs[1]));
    // Planning again from there finds nothing to do.
    let again = keystead(["plan", &files[files.len() - 1], &after, "--limit=1%"]);
    assert!(again.ok().contains("\nno key moves, so there is no step to take\n"), "{again:?}");
}

#[test]
fn the_way_back_is_an_earlier_fraction_under_a_higher_epoch() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let keys = users(2_000);
    let (dir, back) = (folder.path("plan"), folder.path("back"));
    let run = keystead(["plan", &before, &after, "--limit=3%", "-o", &dir]);
    let offered = format!("back   from step K: keystead plan {dir}/step-K.json {dir}/start.json --limit 3% -o back");
    assert!(run.ok().contains(&offered), "{run:?}");
    assert_eq!(published(&dir).len(), 7);
    let step = format!("{dir}/step-4.json");
    // Whatever became of the file that was in force: all that is needed is in the folder.
    fs::remove_file(&before).expect("a file");
    let run = keystead(["plan", &step, &format!("{dir}/start.json"), "--limit=3%", "-o", &back]);
    assert!(run.ok().starts_with("transition 4/6 → transition 0/6 · "), "{run:?}");
    assert!(run.ok().contains(&format!("plan {back}/step-K.json {back}/start.json --limit 3% -o again")), "{run:?}");
    let in_force = fs::read(format!("{back}/start.json")).expect("a file");
    assert!(in_force == fs::read(&step).expect("a file"), "where the way back begins is in force already");
    let files = published(&back);
    let fractions: Vec<Value> = files.iter().map(|file| show(file)["transition"]["part"].clone()).collect();
    assert_eq!(fractions, [json!(3), json!(2), json!(1), json!(0), Value::Null]);
    assert_eq!(show(&step)["epoch"], 46);
    let epochs: Vec<Value> = files.iter().map(|file| show(file)["epoch"].clone()).collect();
    assert_eq!(epochs, [47, 48, 49, 50, 51]);
    // Step for step the same answers as on the way there.
    for (there, again) in [
        ("plan/step-3.json", &files[0]),
        ("plan/step-1.json", &files[2]),
        ("plan/start.json", &files[3]),
        ("plan/start.json", &files[4]),
    ] {
        assert_eq!(owners(&folder.path(there), &keys), owners(again, &keys));
    }
    // And on from where one is.
    let on = keystead(["plan", &step, &after, "--limit=3%", "--csv"]);
    let rows: Vec<&str> = on.ok().lines().collect();
    // Where it begins is in force already; what is published at the end moves nothing, as the first file did.
    assert_eq!(rows[1].split(',').take(6).collect::<Vec<_>>(), ["", "start.json", "in_force", "46", "4", "6"]);
    assert!(rows[2].starts_with("1,step-1.json,step,47,5,6,") && rows[3].starts_with("2,step-2.json,step,48,6,6,"));
    assert!(rows.len() == 5 && rows[4].starts_with(",after.json,last,49,,,") && rows[4].ends_with(",,,"), "{on:?}");
}

#[test]
fn the_report_has_the_figures_of_json() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let csv: String = (0..5_000).map(|n| format!("user:{n},{}\n", 100 + n % 50)).collect();
    let csv = format!("key,b\n{csv}");
    let plan = |options: &[&str]| {
        let keys = ["--keys=-", "--keys-format=csv", "--bytes-column=b", "--limit=30kB"];
        with_input([&["plan", &before, &after], &keys[..], options].concat(), csv.as_bytes())
    };
    let report = plan(&["--json"]).json();
    let text = plan(&[]);
    let text = text.ok();
    let counted = &report["difference"]["counted"];
    let total: u64 = list(&report["steps"]).iter().map(|step| number(&step["moved"]["bytes"])).sum();
    assert_eq!(total, number(&counted["moved"]["bytes"]));
    assert!(list(&report["steps"]).iter().all(|step| number(&step["moved"]["bytes"]) <= 30_000));
    assert!(
        text.starts_with("10 → 12 nodes (+cache-k, +cache-l) · 5,000 keys, 622.5 kB · limit 30kB\nmoves  "),
        "{text}"
    );
    assert!(
        text.contains("   expected 16.667 %, least possible 16.667 %\nevery key moves at most once (followed: "),
        "{text}"
    );
    assert!(
        text.contains(" · only into cache-k, cache-l · none between nodes that did not change · undo at every step\n"),
        "{text}"
    );
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("step-") && !line.contains("step-K")).collect();
    assert_eq!(rows.len(), list(&report["steps"]).len());
    for (row, step) in rows.iter().zip(list(&report["steps"])) {
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[3], step["moved"]["keys"].as_str().expect("text"), "{row}");
        assert!(row.contains(&format!("{}/{}", step["part"], step["of"])), "{row}");
    }
    assert!(text.ends_with("nothing is written: -o DIR writes the files\n"), "{text}");
    assert_eq!(folder.names(), ["ten.json", "twelve.json"]);
}

/// Two million keys with sizes, nearly all of which move, since the seed changes: within a minute and 200 MB.
#[cfg(target_os = "linux")]
#[test]
fn two_million_keys_are_planned_in_little_time_and_memory() {
    let folder = Folder::new();
    let cluster = |name: &str, seed: &str| {
        folder.file(
            name,
            format!(
                r#"{{"keystead": 1, "seed": "0x000000000000000{seed}", "nodes": ["a", "b", "c", "d", "e", "f", "g"]}}"#
            ),
        )
    };
    let (before, after) = (cluster("a.json", "0"), cluster("b.json", "1"));
    let mut csv = String::with_capacity(40 << 20);
    csv.push_str("key,size\n");
    for number in 0..2_000_000_u64 {
        writeln!(csv, "user:{number},{}", number * 7_919 % 10_000).expect("memory");
    }
    let script =
        "ulimit -v 200000; \"$0\" plan \"$1\" \"$2\" --keys - --keys-format csv --bytes-column size --limit 1GB --json";
    let start = std::time::Instant::now();
    let mut shell = std::process::Command::new("sh");
    let run = finish(shell.args(["-c", script, env!("CARGO_BIN_EXE_keystead"), &before, &after]), csv.as_bytes());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let report = run.json();
    let counted = &report["difference"]["counted"];
    assert_eq!((number(&counted["total"]["keys"]), list(&report["steps"]).len()), (2_000_000, 9));
    assert!(number(&counted["moved"]["keys"]) > 1_700_000);
}

#[test]
fn a_key_above_the_limit_is_named_and_alone() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let (old, new) = (owners(&before, &users(100)), owners(&after, &users(100)));
    let heavy = (0..100).find(|at| old[*at] != new[*at]).expect("one that moves");
    let csv: String = (0..100).map(|n| format!("user:{n},{}\n", if n == heavy { 5_000_000 } else { 1_000 })).collect();
    let options = ["--keys=-", "--keys-format=csv", "--bytes-column=b", "--limit=10kB"];
    let csv = format!("key,b\n{csv}");
    let run = with_input([&["plan", &before, &after], &options[..]].concat(), csv.as_bytes());
    let said = format!(" is above the limit: key \"user:{heavy}\" has 5.00 MB, and the step alone\n");
    assert!(run.ok().contains(&said), "{run:?}");
    let report = with_input([&["plan", &before, &after, "--json"], &options[..]].concat(), csv.as_bytes()).json();
    let oversized: Vec<&Value> = list(&report["steps"]).iter().filter(|step| !step["oversize"].is_null()).collect();
    assert_eq!(oversized.len(), 1);
    assert_eq!((&oversized[0]["moved"]["keys"], &report["checks"]["above_limit"]), (&json!("1"), &json!(1)));
}

#[test]
fn by_weights_where_no_key_moves_twice_and_refused_elsewhere() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let (dir, keys) = (folder.path("plan"), users(3_000));
    let run = keystead(["plan", &before, &after, "--limit=4%", "--by=weights", "-o", &dir]);
    assert!(run.ok().contains(" · by weights\n") && run.ok().contains(" --by weights -o back\n"), "{run:?}");
    let files = published(&dir);
    let (mut now, last) = (owners(&before, &keys), owners(&after, &keys));
    for file in &files {
        assert_eq!(show(file)["transition"], Value::Null, "clients need no new code");
        let next = owners(file, &keys);
        let moved = now.iter().zip(&next).filter(|(old, new)| old != new);
        assert!(moved.clone().all(|(_, new)| new == "cache-k" || new == "cache-l"));
        assert!(moved.count() <= 3_000 * 6 / 100);
        now = next;
    }
    assert_eq!(now, last);
    let start = format!("{dir}/start.json");
    assert_eq!(
        fs::read(&start).expect("a file"),
        fs::read(&before).expect("a file"),
        "what is in force, for the way back"
    );
    let back = keystead(["plan", &files[0], &start, "--limit=4%", "--by=weights", "--json"]).json();
    assert_eq!(back["files"][0]["role"], "in_force");
    assert_eq!(list(&back["files"]).last().expect("files")["fingerprint"], show(&before)["fingerprint"]);
    assert!(
        fs::read_to_string(&files[files.len() - 1])
            .expect("a file")
            .contains("\n  \"comment\": \"ours\", \"nodes\": [")
    );
    let ring = |name: &str, ids: &str| {
        folder.file(
            name,
            format!(r#"{{"keystead": 1, "algorithm": "ring-1", "tokens_per_weight": 64, "nodes": [{ids}]}}"#),
        )
    };
    let (old, new) = (ring("old.json", r#""a", "b""#), ring("new.json", r#""a", "b", "c", "d""#));
    keystead(["plan", &old, &new, "--limit=5%", "--by=weights"]).refused(2, "unsupported");
    assert_eq!(keystead(["plan", &old, &new, "--limit=5%"]).status, Some(0));
    with_input(["plan", &before, &after, "--limit=4%", "--by=weights", "--keys=-"], b"k\n").refused(2, "wrong_use");
    let step = folder.path("plan2");
    keystead(["plan", &before, &after, "--limit=4%", "-o", &step]).ok();
    keystead(["plan", &format!("{step}/step-1.json"), &after, "--limit=4%", "--by=weights"]).refused(2, "unsupported");
}

#[test]
fn copies_are_refused_with_the_verb_that_shows_them() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let run = keystead(["plan", &before, &after, "--limit=3%", "-r", "3"]);
    let refused = run.refused(2, "wrong_use");
    assert!(refused.contains("`keystead diff -r`"), "{refused}");
    assert!(!keystead(["plan", "--help"]).ok().contains("-r "), "it is not offered");
}

#[test]
fn the_folder_appears_whole_or_not_at_all() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let dir = folder.path("plan");
    let plan = |options: &[&str], keys: &str| {
        with_input([&["plan", &before, &after, "-o", &dir], options].concat(), keys.as_bytes())
    };
    for (options, keys, code) in [
        (&["--limit=1keys"][..], "", "invalid_parameter"),
        (&["--limit=3"], "", "invalid_parameter"),
        (&["--limit=0%"], "", "invalid_parameter"),
        (&[], "", "wrong_use"),
        (&["--limit=1MB", "--keys=-"], "k\n", "invalid_parameter"),
        (&["--limit=3%", "--keys=-"], "", "invalid_key"),
        (&["--limit=3%", "--bytes-column=b"], "", "wrong_use"),
        (&["--limit=3%", "-r3"], "", "wrong_use"),
        (&["--limit=3%", "--epoch=41"], "", "stale_epoch"),
        (&["--limit=3%", "--epoch=9007199254740990"], "", "invalid_parameter"),
        (
            &["--limit=3%", "--keys=-", "--keys-format=csv", "--bytes-column=b"],
            "key,b\nx,1\ny,z\n",
            "invalid_parameter",
        ),
    ] {
        plan(options, keys).refused(2, code);
        assert_eq!(folder.names(), ["ten.json", "twelve.json"], "{options:?}");
    }
    fs::create_dir(&dir).expect("a new folder");
    assert_eq!(plan(&["--limit=3%", "--epoch=100"], "").status, Some(0), "an empty folder may stand there");
    assert_eq!(show(&format!("{dir}/start.json"))["epoch"], 100);
    assert_eq!(show(&format!("{dir}/step-1.json"))["epoch"], 101);
    assert!(plan(&["--limit=3%"], "").refused(2, "wrong_use").contains("is not empty"));
    assert_eq!(folder.names(), ["plan", "ten.json", "twelve.json"], "nothing is left over");
    let beneath = folder.path("absent/plan");
    keystead(["plan", &before, &after, "--limit=3%", "-o", &beneath]).refused(2, "unwritable");
    keystead(["plan", &before, &after, "--limit=3%", "-o", &before]).refused(2, "unwritable");
}

/// The disk is full: no file may grow.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_whole_is_not_written() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let dir = folder.path("plan");
    let on_full_disk = |words: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 0; \"$0\" {words}");
        let mut shell = std::process::Command::new("sh");
        finish(shell.args(["-c", &script, env!("CARGO_BIN_EXE_keystead"), &before, &after, &dir]), b"")
    };
    let names = ["ten.json", "twelve.json"];
    on_full_disk("plan \"$1\" \"$2\" --limit 3% -o \"$3\"").refused(2, "unwritable");
    assert_eq!(folder.names(), names);
    let old = fs::read(&after).expect("a file");
    on_full_disk("change \"$1\" --drain cache-1 -o \"$2\"").refused(2, "unwritable");
    on_full_disk("change \"$1\" --drain cache-1 -o \"$3\"").refused(2, "unwritable");
    on_full_disk("man --dir \"${3%/plan}\"").refused(2, "unwritable");
    assert_eq!((folder.names(), fs::read(&after).expect("a file")), (names.map(str::to_owned).to_vec(), old));
    // An empty folder that stands there stays, and stays empty.
    fs::create_dir(&dir).expect("a new folder");
    on_full_disk("plan \"$1\" \"$2\" --limit 3% -o \"$3\"").refused(2, "unwritable");
    assert_eq!(
        (folder.names(), fs::read_dir(&dir).expect("a folder").count()),
        (["plan", "ten.json", "twelve.json"].map(str::to_owned).to_vec(), 0)
    );
}

#[cfg(unix)]
#[test]
fn an_empty_folder_keeps_its_place_and_its_rights() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let (real, link) = (folder.path("real"), folder.path("link"));
    fs::create_dir(&real).expect("a new folder");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o2750)).expect("it is ours");
    symlink(&real, &link).expect("a new link");
    keystead(["plan", &before, &after, "--limit=9%", "-o", &link]).ok();
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(fs::metadata(&real).expect("a folder").permissions().mode() & 0o7777, 0o2750);
    assert_eq!(published(&real).len(), 3);
    let here = folder.path("here");
    fs::create_dir(&here).expect("a new folder");
    let run = finish(command().args(["plan", &before, &after, "--limit=9%", "-o", "."]).current_dir(&here), b"");
    assert!(run.refused(2, "wrong_use").contains("is where the command runs"), "{run:?}");
}

#[test]
fn swapped_files_are_noticed() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let said = "WARN  the first file, epoch 42, is newer than the second, epoch 41: is the first the one in force?";
    assert!(keystead(["plan", &after, &before, "--limit=3%"]).ok().contains(said));
    assert!(!keystead(["plan", &before, &after, "--limit=3%"]).ok().contains("WARN"));
}

#[test]
fn where_nothing_is_to_be_done_nothing_is_written() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let (plan, dir) = (folder.path("plan"), folder.path("none"));
    keystead(["plan", &before, &after, "--limit=1%", "-o", &plan]).ok();
    assert_eq!(published(&plan).len(), 18, "steps with two digits");
    let step = format!("{plan}/step-07.json");
    for one in [&before, &step] {
        let run = keystead(["plan", one, one, "--limit=1%", "-o", &dir]);
        assert!(run.ok().ends_with("\nnothing is written: there is nothing to publish\n"), "{run:?}");
        assert_eq!(keystead(["plan", one, one, "--limit=1%", "--json", "-o", &dir]).json()["files"], json!([]));
        assert!(!folder.names().contains(&"none".to_owned()));
    }
    // Nothing moves, and yet there is something to publish: the end of a transition, or another address.
    let addressed = folder.path("addressed.json");
    keystead(["change", &before, "--address=cache-1=10.0.0.1", "-o", &addressed]).ok();
    for (from, to) in [(format!("{plan}/step-17.json"), after), (before, addressed)] {
        let report = keystead(["plan", &from, &to, "--limit=1%", "--json"]).json();
        let files: Vec<&Value> = list(&report["files"]).iter().map(|file| &file["role"]).collect();
        assert_eq!((list(&report["steps"]).len(), files), (0, vec![&json!("last")]));
    }
}

#[test]
fn the_way_back_is_told_with_the_secrets_it_needs() {
    let folder = Folder::new();
    let secret = folder.file("our secret", "00112233445566778899aabbccddeeff");
    let file = |name: &str, ids: &str| {
        folder.file(name, format!(r#"{{"keystead": 1, "epoch": 1, "hash": "sip13", "nodes": [{ids}]}}"#))
    };
    let (before, after) = (file("a.json", r#""a", "b""#), file("b.json", r#""a", "b", "c""#));
    let dir = folder.path("plan");
    let run = keystead(["plan", &before, &after, "--limit=20%", "--secret-file", &secret, "-o", &dir]);
    let offered = format!("{dir}/step-K.json {dir}/start.json --limit 20% --secret-file '{secret}' -o back\n");
    assert!(run.ok().contains(&offered), "{run:?}");
    let (step, start) = (format!("{dir}/step-2.json"), format!("{dir}/start.json"));
    let back = keystead(["plan", &step, &start, "--limit=20%", "--secret-file", &secret, "--json"]).json();
    assert_eq!(list(&back["steps"]).len(), 2);
}

#[test]
fn the_way_back_of_a_plan_with_keys_can_be_run_as_it_is_told() {
    let folder = Folder::new();
    let [before, after] = ten_and_twelve(&folder);
    let rows: String = (0..5_000).map(|n| format!("user:{n},{}\n", 100 + n % 50)).collect();
    let keys = folder.file("all keys.csv", format!("id,b\n{rows}"));
    let dir = folder.path("plan");
    let page = folder.path("plan.html");
    let options = ["--keys-format=csv", "--key-column=id", "--bytes-column=b", "--limit=30kB", "--limit=9kB/node"];
    let run =
        keystead([&["plan", &before, &after, "--keys", &keys, "-o", &dir, "--html", &page], &options[..]].concat());
    let line = run.ok().lines().find_map(|line| line.strip_prefix("back   from step K: keystead ")).expect("a line");
    let digits = published(&dir).len().to_string().len();
    let line = line.replace(&"K".repeat(digits), &format!("{:0digits$}", 3));
    // As a shell would cut it.
    let quoted = format!("'{keys}'");
    let words: Vec<String> = line
        .replace(&quoted, "\0")
        .split(' ')
        .map(|word| if word == "\0" { keys.clone() } else { word.to_owned() })
        .collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.extend(["--json"]);
    let at = words.iter().position(|word| *word == "-o").expect("a folder");
    let back = folder.path("back");
    words[at + 1] = &back;
    let report = keystead(words).json();
    assert_eq!(report["limits"], json!(["30kB", "9kB/node"]));
    assert!(list(&report["steps"]).len() >= 3 && report["figures"] == "counted");
    // The page names every file to publish, in order.
    let page = fs::read_to_string(page).expect("a page");
    let [start, step, last] = ["start.json, epoch", "step-1", "after.json, epoch"].map(|name| page.find(name));
    assert!(start.is_some() && step.is_some() && last > start, "{start:?} {step:?} {last:?}");
}

#[test]
fn without_epochs_files_carry_none_and_the_report_warns() {
    let folder = Folder::new();
    let (before, after) = (
        folder.file("a.json", r#"{"keystead": 1, "nodes": ["a", "b"]}"#),
        folder.file("b.json", r#"{"keystead": 1, "epoch": 7, "nodes": ["a", "b", "c"]}"#),
    );
    let dir = folder.path("plan");
    let run = keystead(["plan", &before, &after, "--limit=20%", "-o", &dir]);
    assert!(run.ok().contains("\nWARN  no epoch: "), "{run:?}");
    for file in published(&dir) {
        assert_eq!(show(&file)["epoch"], Value::Null);
    }
    // Where the numbers begin is the caller's to say.
    let run = keystead(["plan", &before, &after, "--limit=20%", "--epoch=1", "--csv"]);
    let rows: Vec<&str> = run.ok().lines().collect();
    assert!(
        rows[1].starts_with(",start.json,start,1,0,2,") && rows[2].starts_with("1,step-1.json,step,2,1,2,"),
        "{run:?}"
    );
}

#[test]
fn whole_slots_pass_in_steps_of_slots() {
    let folder = Folder::new();
    let table = |name: &str, ids: &str| {
        folder.file(
            name,
            format!(r#"{{"keystead": 1, "epoch": 1, "algorithm": "slots-1", "slots": 200, "nodes": [{ids}]}}"#),
        )
    };
    let (before, after) = (table("a.json", r#""a", "b", "c""#), table("b.json", r#""a", "b", "c", "d""#));
    let report = keystead(["plan", &before, &after, "--limit=5%", "--json"]).json();
    assert_eq!((&report["figures"], &report["checks"]["followed"]), (&json!("slots"), &json!("slots")));
    assert!(
        list(&report["steps"]).iter().all(|step| step["moved"]["share"].as_f64().is_some_and(|share| share <= 0.05))
    );
    let run = keystead(["plan", &before, &after, "--limit=5%"]);
    assert!(run.ok().contains(" · exact, in slots · limit 5%\n"), "{run:?}");
    keystead(["plan", LIVE, LIVE, "--limit=5%"]).ok();
}

#[test]
fn a_limit_says_which_option_gives_what_it_needs() {
    let folder = Folder::new();
    let (before, after) = (
        folder.file("a.json", r#"{"keystead": 1, "epoch": 1, "nodes": ["a"]}"#),
        folder.file("b.json", r#"{"keystead": 1, "epoch": 2, "nodes": ["a", "b"]}"#),
    );
    let keys = folder.file("keys.txt", "x\ny\nz\n");
    let refused = |options: &[&str]| {
        keystead([&["plan", &before, &after], options].concat()).refused(2, "invalid_parameter").to_owned()
    };
    assert!(refused(&["--limit=2000keys"]).ends_with("; --keys FILE names them"));
    assert!(refused(&["--limit=80MB/node"]).ends_with("; --keys FILE names them"));
    let sizes = refused(&["--limit=80MB", "--keys", &keys]);
    assert!(
        sizes.ends_with("needs the sizes of the keys: --keys-format csv --bytes-column NAME gives them"),
        "{sizes}"
    );
}
