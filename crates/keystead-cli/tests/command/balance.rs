//! `balance`: luck, keys or fault, and whether its figures add up.

use crate::{
    owner::LIVE,
    run::{Folder, command, keystead, lines, with_input},
    transition::step,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _};

fn balance(options: &[&str], keys: &str) -> Value {
    with_input([&["balance", "--json", "--keys=-"], options].concat(), keys.as_bytes()).json()
}

fn users(count: u32) -> String {
    lines((0..count).map(|number| format!("user:{number}")))
}

fn number(value: &Value) -> f64 {
    value
        .as_str()
        .map_or_else(|| value.as_f64(), |text| text.parse().ok())
        .unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn every_figure_can_be_recomputed() {
    let keys = users(20_000);
    let report = balance(&[LIVE], &keys);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for line in with_input(["owner", LIVE, "--keys=-"], keys.as_bytes()).ok().lines() {
        *counts.entry(line.split('\t').nth(1).expect("an owner").to_owned()).or_default() += 1;
    }
    let nodes = report["nodes"].as_array().expect("a list");
    let (mut statistic, mut max_mean) = (0.0, 0.0_f64);
    for node in nodes {
        let count = counts.get(node["id"].as_str().expect("an id")).copied().unwrap_or(0);
        assert_eq!(node["keys"], json!(count.to_string()));
        assert_eq!((&node["keys"], &node["fair"]), (&node["distinct"], &node["share"]));
        let expected = 20_000.0 * number(&node["share"]);
        if expected > 0.0 {
            let count = number(&node["keys"]);
            statistic += (count - expected).powi(2) / expected;
            max_mean = max_mean.max(count / expected);
        }
    }
    assert_eq!(nodes.len(), 8);
    assert!((number(&report["chi_square"]["statistic"]) - statistic).abs() < 1e-9);
    assert!((number(&report["max_mean"]) - max_mean).abs() < 1e-12);
    assert_eq!(report["chi_square"]["degrees"], 6);
    assert_eq!(
        (&report["keys"], &report["distinct"], &report["verdict"]),
        (&json!("20000"), &json!("20000"), &json!("chance"))
    );
    assert_eq!(report["fingerprint"], keystead(["show", LIVE, "--json"]).json()["fingerprint"]);
}

/// Against other ways to the same number: a finite sum for an even number of degrees, the normal distribution for one.
#[test]
fn p_is_that_of_the_chi_square_distribution() {
    for (nodes, degrees) in [(2_u32, 1_u32), (3, 2), (5, 4), (11, 10), (41, 40)] {
        let ids = (0..nodes).map(|n| format!("n{n}")).collect::<Vec<_>>().join(",");
        let report = balance(&["--nodes", &ids], &users(3_000));
        let test = &report["chi_square"];
        assert_eq!(test["degrees"], degrees);
        let (x, p) = (number(&test["statistic"]) / 2.0, number(&test["p"]));
        let expected = if degrees == 1 {
            let (mut sum, mut term) = (0.0, (2.0 * x).sqrt());
            for n in 0..200 {
                sum += term / f64::from(2 * n + 1);
                term *= -x / f64::from(n + 1);
            }
            1.0 - 2.0 * sum / (std::f64::consts::TAU).sqrt()
        } else {
            let (mut sum, mut term) = (0.0, (-x).exp());
            for n in 0..degrees / 2 {
                sum += term;
                term *= x / f64::from(n + 1);
            }
            sum
        };
        assert!((p - expected).abs() < 1e-9, "{nodes} nodes: {p} {expected}");
    }
}

#[test]
fn equal_keys_are_no_fault_of_the_nodes() {
    for keys in ["\n".repeat(6), "$request_uri$http_x_user\n".repeat(6)] {
        let run = with_input(["balance", "--nodes=p0,p1,p2", "--keys=-"], keys.as_bytes());
        assert!(
            run.ok().starts_with("6 keys, 1 distinct: your keys are equal, the nodes are fine\n hot: \""),
            "{run:?}"
        );
        assert!(run.ok().contains(" has 6 keys, 100.00 % of all, on p"), "{run:?}");
    }
    let few = balance(&["--nodes=p0,p1,p2"], "a\nb\nc\n");
    assert_eq!((&few["verdict"], &few["chi_square"]), (&json!("few_keys"), &Value::Null));
    let one = with_input(["balance", "--nodes=p0,p1", "--keys=-"], b"a");
    assert!(one.ok().starts_with("1 key, 1 distinct · max/mean 2.000: 1 distinct keys are too few"), "{one:?}");
}

#[test]
fn hot_keys_are_named_by_counts_and_by_bytes() {
    let mut csv = "key,hits,size\n".to_owned();
    for number in 0..5_000 {
        writeln!(
            csv,
            "k{number},{},{}",
            if number == 777 { 3_000 } else { 1 },
            if number == 4_000 { 2_000_000 } else { 100 }
        )
        .expect("memory");
    }
    csv.push_str("k777,1000,100\n");
    let columns = ["--nodes=a,b,c,d", "--keys-format=csv", "--count-column=hits", "--bytes-column=size"];
    let report = balance(&columns, &csv);
    assert_eq!(
        (&report["keys"], &report["distinct"], &report["bytes"]),
        (&json!("8999"), &json!("5000"), &json!("2500000"))
    );
    let hot = report["hot"].as_array().expect("a list");
    assert_eq!(hot.len(), 2, "{report:#}");
    assert_eq!((&hot[0]["key"], &hot[0]["keys"], &hot[0]["by"]), (&json!("k777"), &json!("4000"), &json!("keys")));
    assert_eq!(
        (&hot[1]["key"], &hot[1]["bytes"], &hot[1]["by"]),
        (&json!("k4000"), &json!("2000000"), &json!("bytes"))
    );
    assert_eq!(report["verdict"], "hot_keys");
    assert!((number(&hot[1]["part"]) - 0.8).abs() < 1e-12);
    let run = with_input([&["balance", "--keys=-"], &columns[..]].concat(), csv.as_bytes());
    assert!(run.ok().contains("\n2.50 MB · max/mean 3."), "{run:?}");
    assert!(run.ok().contains("\n hot: \"k4000\" has 2.00 MB, 80.00 % of all, on "), "{run:?}");
    let owner = keystead(["owner", "--nodes=a,b,c,d", "k777"]);
    assert_eq!(hot[0]["node"], owner.ok().trim());
}

/// However many keys come between: a key of a share that matters is still named, with its exact count.
#[test]
fn a_hot_key_is_found_among_very_many() {
    let mut keys = String::new();
    for number in 0..60_000 {
        writeln!(keys, "{}", if number % 40 == 0 { "hot".to_owned() } else { format!("k{number}") }).expect("memory");
    }
    let report = balance(&["--nodes=a,b,c,d,e"], &keys);
    assert_eq!((&report["hot"][0]["key"], &report["hot"][0]["keys"]), (&json!("hot"), &json!("1500")));
    assert_eq!(report["distinct"], json!((60_000 - 1_500 + 1).to_string()));
}

#[test]
fn shares_that_weights_do_not_explain_are_a_fault() {
    let report = balance(
        &["--nodes=hist-0,hist-1,hist-2,hist-3,hist-4", "--algorithm=ring-1", "--tokens-per-weight=3"],
        &users(20_000),
    );
    assert_eq!(report["verdict"], "uneven_shares", "{report:#}");
    assert!(number(&report["chi_square"]["p"]) > 0.001, "the keys follow the arcs");
    // Keys that were picked by their owner are no chance.
    let picked: Vec<String> = users(4_000)
        .lines()
        .filter(|key| key.len() < 8 || keystead(["owner", "--nodes=a,b", key]).ok() != "a\n")
        .take(200)
        .map(str::to_owned)
        .collect();
    assert_eq!(balance(&["--nodes=a,b"], &lines(picked))["verdict"], "not_chance");
}

#[test]
fn baselines_are_those_of_owner() {
    let keys = users(3_000);
    let report = balance(&["--nodes=a,b,c,d,e,f,g", "--baseline=modulo", "--baseline=jump"], &keys);
    for (index, name) in ["modulo", "jump"].into_iter().enumerate() {
        let mut counts = [0_u32; 7];
        for line in with_input(["owner", &format!("--{name}=7"), "--keys=-"], keys.as_bytes()).ok().lines() {
            counts[line.split('\t').nth(1).and_then(|text| text.parse::<usize>().ok()).expect("a bucket")] += 1;
        }
        let most = f64::from(*counts.iter().max().expect("seven")) * 7.0 / 3_000.0;
        let compared = &report["baselines"][index];
        assert_eq!((&compared["name"], &compared["buckets"]), (&json!(name), &json!(7)));
        assert!((number(&compared["max_mean"]) - most).abs() < 1e-12, "{compared}");
    }
}

#[test]
fn a_transition_is_measured_against_what_has_passed() {
    let folder = Folder::new();
    let (before, after) = (r#"{"keystead": 1, "nodes": ["a", "b"]}"#, r#"{"keystead": 1, "nodes": ["b", "c"]}"#);
    let file = folder.file("step.json", step(1, 4, before, after));
    let report = balance(&[&file], &users(20_000));
    let fair: Vec<f64> = report["nodes"].as_array().expect("a list").iter().map(|node| number(&node["fair"])).collect();
    assert_eq!(fair, [0.375, 0.5, 0.125]);
    assert_eq!(report["verdict"], "chance", "{report:#}");
}

#[test]
fn keys_files_that_are_none_are_refused_with_the_line() {
    let csv = |text: &str| {
        with_input(
            ["balance", "--nodes=a,b", "--keys=-", "--keys-format=csv", "--count-column=n", "--bytes-column=b"],
            text.as_bytes(),
        )
    };
    for (text, code, place) in [
        (
            "key,n,b\nx,1,-5\n",
            "invalid_parameter",
            "standard input:2: bytes `-5` (column `b`) is not an integer from 0 to 9007199254740991",
        ),
        ("key,n,b\nx,1,5\ny,,5\n", "invalid_parameter", "standard input:3: count `` (column `n`) is not"),
        ("key,n,b\nx,99999999999999999999,5\n", "invalid_parameter", "standard input:2: count"),
        ("key,n,b\nx,1.5,5\n", "invalid_parameter", "standard input:2: count"),
        (
            "key,n\nx,1\n",
            "invalid_parameter",
            "standard input:1: no column is named `b` (--bytes-column); the first line names `key`, `n`",
        ),
        ("key,n,n,b\n", "invalid_parameter", "standard input:1: 2 columns are named `n`"),
        ("key,n,b\nx,1\n", "invalid_key", "standard input:2: 2 fields, where the header has 3"),
        ("key,n,b\n", "invalid_key", "standard input: no key is in it"),
        ("key,n,b\nx,0,5\n", "invalid_parameter", "every count is 0"),
        ("", "invalid_key", "standard input:1: the file is empty"),
    ] {
        let run = csv(text);
        assert!(run.refused(2, code).starts_with(place), "{run:?}");
    }
    keystead(["balance", "--nodes=a", "key"]).refused(2, "wrong_use");
    keystead(["balance", "--nodes=a", "--keys=-", "--bytes-column=b"]).refused(2, "wrong_use");
    with_input(["balance", "--nodes=a", "--keys=-"], b"").refused(2, "invalid_key");
}

#[cfg(target_os = "linux")]
#[test]
fn a_distinct_key_takes_forty_bytes_at_most() {
    use std::{io::Write as _, process::Stdio};
    let peak = |count: u32| {
        let mut child = command()
            .args(["balance", "--nodes=a,b", "--keys=-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary was built with this test");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(users(count).as_bytes()).expect("it reads");
        // What it holds is read while it waits for more; the pipe holds at most 64 KiB of what was written.
        let line = loop {
            std::thread::sleep(std::time::Duration::from_millis(200));
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
            let asleep = status.contains("State:\tS");
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak").to_owned();
            if asleep {
                break line;
            }
        };
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    };
    let (few, many) = (peak(1_000), peak(400_000));
    assert!(many < few + 40 * 400_000, "{few} bytes for 1,000 keys, {many} for 400,000");
}
