//! `LiveCluster` by the table that every language runs, and under readers.

#![cfg(feature = "std")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use keystead::{Description, LiveCluster, LiveError, Secrets};
use serde_json::Value;

/// A folder of this test alone, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("keystead-live-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn code(error: &LiveError) -> &str {
    error.code().unwrap_or("io")
}

fn change(path: &Path, step: &Value, number: usize) {
    if let Some(text) = step["file"].as_str() {
        // Whole or not at all, as a careful writer does it.
        let next = path.with_extension("next");
        fs::write(&next, text).unwrap();
        fs::rename(next, path).unwrap();
    } else if let Some(text) = step["link"].as_str() {
        let target = path.with_extension(format!("target-{number}"));
        fs::write(&target, text).unwrap();
        let link = path.with_extension("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&target, &link).unwrap();
        #[cfg(not(unix))]
        fs::copy(&target, &link).unwrap();
        fs::rename(link, path).unwrap();
    } else if path.exists() {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn follows_the_table() {
    let table = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/live.json")).unwrap();
    let table: Value = serde_json::from_str(&table).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() >= 9);
    for (number, case) in cases.iter().enumerate() {
        let folder = Folder::new(&format!("case-{number}"));
        let path = folder.0.join("cluster.json");
        fs::write(&path, case["start"].as_str().unwrap()).unwrap();
        let live = LiveCluster::load(&path, Secrets::default()).unwrap();
        for (number, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            change(&path, step, number);
            let (says, error) = match live.refresh() {
                Ok(refresh) => (Value::from(refresh.as_str()), Value::Null),
                Err(error) => (Value::Null, Value::from(code(&error))),
            };
            let place = format!("{}, step {number}", case["name"]);
            assert_eq!((&says, &error), (&step["says"], &step["error"]), "{place}");
            let current = live.current();
            let cluster = *current.clusters().last().unwrap();
            let epoch = match &*current {
                Description::Cluster(cluster) => cluster.epoch(),
                Description::Transition(transition) => transition.epoch(),
            };
            assert_eq!(Value::from(epoch), step["in_force"], "{place}");
            assert_eq!(Value::from(cluster.ids().collect::<Vec<_>>()), step["nodes"], "{place}");
        }
    }
}

#[test]
fn readers_see_the_old_or_the_new() {
    let folder = Folder::new("readers");
    let path = folder.0.join("cluster.json");
    // In one the owner of every key is a node of the other's absence: an answer from a mixture would show.
    let text = |epoch: u64| {
        let (a, b) = if epoch.is_multiple_of(2) { ("even-1", "even-2") } else { ("odd-1", "odd-2") };
        format!(r#"{{"keystead": 1, "epoch": {epoch}, "nodes": ["{a}", "{b}"]}}"#)
    };
    fs::write(&path, text(0)).unwrap();
    let live = LiveCluster::load(&path, Secrets::default()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..3 {
            let (live, done) = (&live, &done);
            scope.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let current = live.current();
                    let Description::Cluster(cluster) = &*current else { panic!("a transition") };
                    let epoch = cluster.epoch().unwrap();
                    assert!(epoch >= last, "an older description came back");
                    last = epoch;
                    let side = if epoch.is_multiple_of(2) { "even-" } else { "odd-" };
                    assert!(cluster.ranking(reader).all(|node| node.id().starts_with(side)));
                    assert!(live.owner(reader).contains('-'));
                }
            });
        }
        for epoch in 1..300 {
            change(&path, &serde_json::json!({ "file": text(epoch) }), 0);
            if epoch % 7 == 0 {
                fs::write(&path, "{").unwrap();
                assert_eq!(code(&live.refresh().unwrap_err()), "invalid_file");
                change(&path, &serde_json::json!({ "file": text(epoch) }), 0);
            }
            assert_eq!(live.refresh().unwrap().as_str(), "newer");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn secrets_are_kept_and_never_shown() {
    let folder = Folder::new("secret");
    let path = folder.0.join("cluster.json");
    let text = r#"{"keystead": 1, "hash": "sip13", "nodes": ["a", "b"]}"#;
    fs::write(&path, text).unwrap();
    assert_eq!(code(&LiveCluster::load(&path, Secrets::default()).unwrap_err()), "missing_secret");
    let secret = [0xAB; 16];
    let live = LiveCluster::load(&path, Secrets::one_for_all(Some(&secret))).unwrap();
    assert_eq!(live.refresh().unwrap().as_str(), "same");
    let shown = format!("{live:?}");
    assert!(!shown.contains("171") && !shown.to_lowercase().contains("abab"), "{shown}");
    fs::write(&path, r#"{"keystead": 1, "nodes": ["a"]}"#).unwrap();
    assert_eq!(code(&live.refresh().unwrap_err()), "unexpected_secret");
}
