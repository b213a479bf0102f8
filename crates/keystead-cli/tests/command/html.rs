//! `--html`: one page, whole or not at all. What a browser makes of it is tested in `tests/browser`.

use crate::run::{Folder, keystead, project, with_input};
use std::{fs, path::Path};

fn live() -> String {
    project().join("crates/keystead-cli/tests/live.json").to_str().expect("UTF-8").to_owned()
}

/// The next file after a node was drained.
fn next(folder: &Folder) -> String {
    let path = folder.path("next.json");
    keystead(["change", &live(), "--drain", "cache-d", "-o", &path]).ok();
    path
}

#[test]
fn every_verb_writes_a_page_beside_its_answer() {
    let folder = Folder::new();
    let (live, next) = (live(), next(&folder));
    let keys = folder.file("keys.txt", (0..500).map(|key| format!("user:{key}\n")).collect::<String>());
    let calls: [(&str, Vec<&str>); 4] = [
        ("show", vec!["show", &live]),
        ("diff", vec!["diff", &live, &next, "--keys", &keys]),
        ("plan", vec!["plan", &live, &next, "--keys", &keys, "--limit", "20keys"]),
        ("balance", vec!["balance", &live, "--keys", &keys]),
    ];
    for (verb, arguments) in calls {
        let page = folder.path(&format!("{verb}.html"));
        for form in [None, Some("--json"), Some("--csv")] {
            let arguments = arguments.iter().copied().chain(form);
            let alone = keystead(arguments.clone());
            let with_page = keystead(arguments.chain(["--html", &page]));
            assert_eq!(with_page.ok(), alone.ok(), "{verb}: the answer is the same with a page and without");
            let text = fs::read_to_string(&page).expect("a page");
            assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>"), "{verb}");
            assert!(text.contains("<data value="), "{verb}");
            for from_elsewhere in ["<script", "src=", "@import", "url(", "http://", "https://"] {
                assert!(!text.contains(from_elsewhere), "{verb}: {from_elsewhere}");
            }
            fs::remove_file(&page).expect("it was there");
        }
    }
}

#[test]
fn ids_are_text_and_nothing_else() {
    let folder = Folder::new();
    let nodes = ["<script>alert(1)</script>", "a&amp;b", "\"quoted\" 'too'", "</title><b>", "\u{202E}desrever"];
    let nodes: Vec<String> = nodes.iter().map(|id| format!("{{\"id\": {}}}", serde_json::json!(id))).collect();
    let file = folder.file("<i>&.json", format!("{{\"keystead\": 1, \"nodes\": [{}]}}", nodes.join(",")));
    let page = folder.path("page.html");
    keystead(["show", &file, "--html", &page]).ok();
    let text = fs::read_to_string(&page).expect("a page");
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{text}");
    assert!(text.contains("a&amp;amp;b") && text.contains("&quot;quoted&quot;"), "{text}");
    assert!(text.contains("\\u202edesrever"), "{text}");
    for raw in ["<script", "</title><b>", "<i>", "\u{202E}"] {
        assert!(!text.contains(raw), "{raw}");
    }
}

#[test]
fn no_secret_is_in_a_page() {
    let folder = Folder::new();
    let secret = "00112233445566778899aabbccddeeff";
    let file = folder.file("secret.txt", secret);
    let page = folder.path("page.html");
    let arguments = ["show", "--nodes", "a,b", "--hash", "sip13", "--secret-file", &file, "--html", &page];
    keystead(arguments).ok();
    let text = fs::read_to_string(&page).expect("a page");
    assert!(text.contains("--secret-file") && !text.contains(secret), "{text}");
}

#[test]
fn the_command_line_stands_at_the_foot_as_a_shell_takes_it() {
    let folder = Folder::new();
    let page = folder.path("my page.html");
    keystead(["show", "--nodes", "it's,b", "--html", &page]).ok();
    let text = fs::read_to_string(&page).expect("a page");
    // `'` needs no escape in HTML's text.
    let quoted = format!("keystead show --nodes 'it'\\''s,b' --html '{page}'");
    assert!(text.contains(&quoted), "{text}");
}

#[test]
fn rejects_a_page_that_cannot_be_written_before_keys_are_read() {
    let folder = Folder::new();
    let live = live();
    // Keys that are none: they would be refused, if they were read first.
    let keys = folder.file("keys.txt", "not hex\n");
    let balance = |page: &str| {
        let run = keystead(["balance", &live, "--keys", &keys, "--keys-format", "hex", "--html", page]);
        assert!(run.stdout.is_empty(), "{run:?}");
        run
    };
    let in_no_folder = folder.path("none/page.html");
    let written = keystead(["change", &live, "--drain=cache-d", "-o", &in_no_folder]);
    assert_eq!(balance(&in_no_folder).refused(2, "unwritable"), written.refused(2, "unwritable"));
    let a_folder = folder.path("");
    assert!(balance(&a_folder).refused(2, "unwritable").contains("is a directory"));
    assert!(balance("-").refused(2, "wrong_use").contains("standard output"));
}

#[test]
fn rejects_a_page_in_the_place_of_what_is_read_or_written() {
    let folder = Folder::new();
    let before = folder.file("before.json", fs::read(live()).expect("readable"));
    let after = next(&folder);
    let keys = folder.file("keys.txt", "a\nb\n");
    let content = fs::read(&before).expect("readable");
    for page in [&before, &after, &keys] {
        let run = keystead(["diff", &before, &after, "--keys", &keys, "--html", page]);
        assert!(run.refused(2, "wrong_use").contains("something else as well"), "{run:?}");
        let run = keystead(["diff", &before, &after, &format!("--keys={keys}"), &format!("--html={page}")]);
        run.refused(2, "wrong_use");
    }
    // By another way to the same file.
    let around = Path::new(&before).parent().expect("a folder").join("./before.json");
    let around = around.to_str().expect("UTF-8");
    keystead(["show", &before, "--html", around]).refused(2, "wrong_use");
    let plan = folder.path("plan");
    keystead(["plan", &before, &after, "--limit", "5%", "-o", &plan, "--html", &plan]).refused(2, "wrong_use");
    assert_eq!(fs::read(&before).expect("readable"), content);
    assert_eq!(folder.names(), ["before.json", "keys.txt", "next.json"]);
}

#[test]
fn rejects_a_page_of_what_is_no_summary() {
    let folder = Folder::new();
    let (live, next, page) = (live(), next(&folder), folder.path("page.html"));
    for arguments in [
        vec!["diff", &live, &next, "user:42"],
        vec!["diff", &live, &next, "--arcs"],
        vec!["diff", &live, &next, "--slots"],
        vec!["diff", &live, &next, "user:42", "--list"],
        vec!["show", &live, "--arcs"],
        vec!["show", &live, "--slot-owners"],
    ] {
        let run = keystead(arguments.into_iter().chain(["--html", &page]));
        assert!(run.refused(2, "wrong_use").contains("--html"), "{run:?}");
    }
    assert!(!Path::new(&page).exists());
}

#[test]
fn a_page_is_whole_or_the_old_one_stays() {
    let folder = Folder::new();
    let page = folder.file("page.html", "old");
    let run = with_input(["balance", &live(), "--keys", "-", "--keys-format", "hex", "--html", &page], b"00\nzz\n");
    run.refused(2, "invalid_key");
    assert_eq!(fs::read_to_string(&page).expect("a page"), "old");
    with_input(["balance", &live(), "--keys", "-", "--keys-format", "hex", "--html", &page], b"00\n11\n").ok();
    assert!(fs::read_to_string(&page).expect("a page").starts_with("<!DOCTYPE html>"));
    assert_eq!(folder.names(), ["page.html"]);
}

#[test]
fn a_plan_and_its_page_come_together() {
    let folder = Folder::new();
    let (live, next, plan) = (live(), next(&folder), folder.path("plan"));
    let page = folder.path("plan/plan.html");
    keystead(["plan", &live, &next, "--limit", "5%", "-o", &plan, "--html", &page]).ok();
    let text = fs::read_to_string(&page).expect("a page in the new folder");
    assert!(text.contains("step-1.json") && text.contains("limit 5%"), "{text}");
}
