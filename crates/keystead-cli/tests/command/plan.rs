//! `plan`: steps that keep the limit, as files that are published one after the other, and back.

use crate::{
    owner::LIVE,
    run::{Folder, keystead, lines, with_input},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

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

/// The files of a folder in the order of publishing.
fn published(folder: &str) -> Vec<String> {
    let step = |number: usize| format!("{folder}/step-{number}.json");
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
    let files = published(&dir);
    assert_eq!(files.len(), list(&report["steps"]).len() + 1);

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
        match report["steps"].get(index) {
            Some(step) => {
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
    let offered = format!("back   from step K: keystead plan {dir}/step-K.json {before} --limit 3% -o back");
    assert!(run.ok().contains(&offered), "{run:?}");
    assert_eq!(published(&dir).len(), 7);
    let step = format!("{dir}/step-4.json");
    let run = keystead(["plan", &step, &before, "--limit=3%", "-o", &back]);
    assert!(run.ok().starts_with("transition 4/6 → 10 nodes · "), "{run:?}");
    let files = published(&back);
    let fractions: Vec<Value> = files.iter().map(|file| show(file)["transition"]["part"].clone()).collect();
    assert_eq!(fractions, [json!(3), json!(2), json!(1), json!(0), Value::Null]);
    assert_eq!(show(&step)["epoch"], 45);
    let epochs: Vec<Value> = files.iter().map(|file| show(file)["epoch"].clone()).collect();
    assert_eq!(epochs, [46, 47, 48, 49, 50]);
    // Step for step the same answers as on the way there.
    for (there, again) in [("plan/step-3.json", &files[0]), ("plan/step-1.json", &files[2]), ("ten.json", &files[4])] {
        assert_eq!(owners(&folder.path(there), &keys), owners(again, &keys));
    }
    // And on from where one is.
    let on = keystead(["plan", &step, &after, "--limit=3%", "--csv"]);
    let rows: Vec<&str> = on.ok().lines().collect();
    assert!(
        rows.len() == 3 && rows[1].starts_with("1,step-1.json,46,5,6,") && rows[2].starts_with("2,step-2.json,47,6,6,"),
        "{on:?}"
    );
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
    assert_eq!(show(&format!("{dir}/step-1.json"))["epoch"], 100);
    assert!(plan(&["--limit=3%"], "").refused(2, "wrong_use").contains("is not empty"));
    assert_eq!(folder.names(), ["plan", "ten.json", "twelve.json"], "nothing is left over");
    let beneath = folder.path("absent/plan");
    keystead(["plan", &before, &after, "--limit=3%", "-o", &beneath]).refused(2, "unwritable");
    keystead(["plan", &before, &after, "--limit=3%", "-o", &before]).refused(2, "unwritable");
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
    assert!(run.ok().lines().nth(1).is_some_and(|row| row.starts_with("1,step-1.json,1,1,2,")), "{run:?}");
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
