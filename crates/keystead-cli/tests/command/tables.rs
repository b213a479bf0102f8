//! Every number of a table is computed anew from `--json`, and totals add up exactly.

use crate::{
    owner::LIVE,
    run::{Folder, keystead, with_input},
};
use serde_json::Value;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn number(value: &Value) -> u64 {
    text(value).parse().unwrap_or_else(|_| panic!("no number: {value}"))
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits")).collect();
    groups.join(",")
}

/// `450.3 MB`: three digits or four, in powers of 1000.
fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure of four digits")]
    let mut value = bytes as f64;
    let mut units = ["B", "kB", "MB", "GB"].into_iter();
    let mut unit = units.next();
    while value >= 999.95 {
        value /= 1_000.0;
        unit = units.next();
    }
    let digits = if value < 10.0 { format!("{value:.2}") } else { format!("{value:.1}") };
    format!("{digits} {}", unit.expect("less than a thousand GB"))
}

/// `16.67 %`, of whole numbers: half a hundredth is rounded up.
fn part(some: u64, all: u64) -> String {
    let hundredths = (u128::from(some) * 20_000 / u128::from(all)).div_ceil(2);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// What stands two spaces or more apart.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The line that begins with this cell, below the line that begins with `header`. A bar may follow what is compared.
fn assert_row(output: &str, header: &str, expected: &[String]) {
    let below = output.lines().skip_while(|line| !line.trim_start().starts_with(header)).skip(1);
    let row = below.take_while(|line| !line.is_empty()).find(|line| cells(line).first() == Some(&expected[0].as_str()));
    let row = row.unwrap_or_else(|| panic!("no row {} below {header}:\n{output}", expected[0]));
    let found = cells(row);
    assert_eq!(
        found.get(..expected.len()),
        Some(&expected.iter().map(String::as_str).collect::<Vec<_>>()[..]),
        "{row}"
    );
}

/// A change with every reason but `reshuffled`, and keys with sizes.
struct Change {
    folder: Folder,
    next: String,
    csv: String,
}

const KEYS: [&str; 3] = ["--keys=-", "--keys-format=csv", "--bytes-column=size"];

impl Change {
    fn new() -> Change {
        let folder = Folder::new();
        let next = folder.path("next.json");
        keystead([
            "change",
            LIVE,
            "--drain=cache-d",
            "--add=cache-k",
            "--location=eu-1/1c",
            "--weight=cache-a=2",
            "-o",
            &next,
        ])
        .ok();
        let rows: String = (0..5_000_u64).map(|n| format!("user:{n},{}\n", n * 7_919 % 10_000)).collect();
        Change { folder, next, csv: format!("key,size\n{rows}") }
    }

    /// The output for people, and the same as JSON.
    fn both(&self, arguments: &[&str], with_keys: bool) -> (String, Value) {
        let run = |format: &[&str]| {
            let keys = if with_keys { &KEYS[..] } else { &[] };
            with_input([arguments, keys, format].concat(), self.csv.as_bytes())
        };
        (run(&[]).ok().to_owned(), run(&["--json"]).json())
    }
}

fn sum<'a>(counts: impl IntoIterator<Item = &'a Value>, what: &str) -> u64 {
    counts.into_iter().map(|count| number(&count[what])).sum()
}

/// The others are counted, not listed.
fn taking_part(nodes: &[Value]) -> impl Iterator<Item = &Value> {
    let is_nothing = |count: &Value| count["keys"] == "0" || *count == 0.0;
    nodes.iter().filter(move |node| !is_nothing(&node["moved_in"]) || !is_nothing(&node["moved_out"]))
}

#[test]
fn a_difference_in_keys_and_bytes() {
    let change = Change::new();
    let (output, report) = change.both(&["diff", LIVE, &change.next, "--matrix"], true);
    let counted = &report["counted"];
    let (total, moved) = (&counted["total"], &counted["moved"]);
    let keys = |count: &Value| grouped(number(&count["keys"]));
    let bytes = |count: &Value| size(number(&count["bytes"]));
    let said = format!(
        "\nmoves  {} of {} keys  {}  {} of {}  {} · {:.3} % of all keys expected, least possible {:.3} %\n",
        keys(moved),
        keys(total),
        part(number(&moved["keys"]), number(&total["keys"])),
        bytes(moved),
        bytes(total),
        part(number(&moved["bytes"]), number(&total["bytes"])),
        float(&report["expected"]["moved"]) * 100.0,
        float(&report["least"]["share"]) * 100.0,
    );
    assert!(output.contains(&said), "{said}{output}");
    let reasons = ["gained", "lost", "both", "reshuffled", "candidates", "unchanged"];
    let why: Vec<String> = reasons
        .iter()
        .filter(|reason| counted["reasons"][**reason]["keys"] != "0")
        .map(|reason| format!("{reason} {}", keys(&counted["reasons"][*reason])))
        .collect();
    assert!(why.len() == 4 && output.contains(&format!("\nwhy    {}\n", why.join(" · "))), "{output}");

    let nodes = list(&counted["nodes"]);
    assert!(output.contains("\n1 node neither gets nor gives\n") && taking_part(nodes).count() == nodes.len() - 1);
    for node in taking_part(nodes) {
        let of = |side: &str| keys(&node[side]);
        let row = [text(&node["id"]).to_owned(), of("before"), of("after"), of("moved_in"), of("moved_out")];
        let row = [&row[..], &[bytes(&node["moved_in"]), bytes(&node["moved_out"])]].concat();
        assert_row(&output, "node ", &row);
    }
    let matrix = list(&counted["moves"]);
    for (what, header, shown) in
        [("keys", "keys: from", &grouped as &dyn Fn(u64) -> String), ("bytes", "bytes: from", &size)]
    {
        let header_line = output.lines().find(|line| line.starts_with(header)).expect("a matrix");
        let targets = &cells(header_line)[1..];
        let sources: std::collections::BTreeSet<&str> = matrix.iter().map(|cell| text(&cell["from"])).collect();
        assert!(sources.len() > 5 && targets.len() > 3);
        let of = |from: Option<&str>, to: &str| -> u64 {
            let chosen =
                |cell: &&Value| from.is_none_or(|from| cell["from"] == *from) && (to == "all" || cell["to"] == *to);
            sum(matrix.iter().filter(chosen), what)
        };
        for from in sources.iter().map(|from| Some(*from)).chain([None]) {
            let row = targets.iter().map(|to| match of(from, to) {
                0 => String::new(),
                number => shown(number),
            });
            // An empty cell is not seen between spaces.
            let row: Vec<String> =
                [from.unwrap_or("all").to_owned()].into_iter().chain(row).filter(|cell| !cell.is_empty()).collect();
            assert_row(&output, header, &row);
        }
        assert_eq!(of(None, "all"), number(&moved[what]));
        assert_eq!(sum(counted["reasons"].as_object().expect("by reason").values(), what), number(&total[what]));
        for (side, whole) in [("before", total), ("after", total), ("moved_in", moved), ("moved_out", moved)] {
            assert_eq!(sum(nodes.iter().map(|node| &node[side]), what), number(&whole[what]));
        }
    }
}

#[test]
fn a_difference_in_copies() {
    let change = Change::new();
    let (output, report) = change.both(&["diff", LIVE, &change.next, "-r", "2", "--spread", "zone"], true);
    let copies = &report["counted"]["copies"];
    for node in taking_part(list(&copies["nodes"])) {
        let of = |side: &str, what: &str| number(&node[side][what]);
        let row = ["before", "after", "moved_in", "moved_out"].map(|side| grouped(of(side, "keys")));
        let row =
            [&[text(&node["id"]).to_owned()], &row[..], &["moved_in", "moved_out"].map(|side| size(of(side, "bytes")))]
                .concat();
        assert_row(&output, "node ", &row);
        for what in ["keys", "bytes"] {
            assert_eq!(of("before", what) + of("moved_in", what), of("after", what) + of("moved_out", what));
        }
    }
    let said = format!(
        "\ncopies to make: {}  {}\n",
        grouped(number(&copies["moved"]["keys"])),
        size(number(&copies["moved"]["bytes"]))
    );
    assert!(output.contains(&said), "{said}{output}");
    for what in ["keys", "bytes"] {
        let of = |side: &str| sum(list(&copies["nodes"]).iter().map(|node| &node[side]), what);
        assert_eq!((of("moved_in"), of("moved_out")), (number(&copies["moved"][what]), number(&copies["moved"][what])));
        // Two copies of every key, before and after.
        assert_eq!([of("before"), of("after")], [2 * number(&report["counted"]["total"][what]); 2]);
    }
}

#[test]
fn a_difference_that_is_expected() {
    let change = Change::new();
    let (output, report) = change.both(&["diff", LIVE, &change.next], false);
    let expected = &report["expected"];
    let (mut gained, mut lost) = (0.0, 0.0);
    for node in taking_part(list(&expected["nodes"])) {
        let of = |side: &str| float(&node[side]);
        let row = ["before", "after", "moved_in", "moved_out"].map(|side| percent(of(side)));
        assert_row(&output, "node ", &[&[text(&node["id"]).to_owned()], &row[..]].concat());
        assert!((of("before") + of("moved_in") - of("after") - of("moved_out")).abs() < 1e-12, "{node}");
        let from = |end: &str| {
            list(&expected["moves"])
                .iter()
                .filter(|cell| cell[end] == node["id"])
                .map(|cell| float(&cell["share"]))
                .sum::<f64>()
        };
        assert!(
            (from("to") - of("moved_in")).abs() < 1e-12 && (from("from") - of("moved_out")).abs() < 1e-12,
            "{node}"
        );
        (gained, lost) = (gained + of("moved_in"), lost + of("moved_out"));
    }
    let moved = float(&expected["moved"]);
    assert!((gained - moved).abs() < 1e-12 && (lost - moved).abs() < 1e-12);
    let least: f64 =
        list(&expected["nodes"]).iter().map(|node| (float(&node["after"]) - float(&node["before"])).max(0.0)).sum();
    assert!((least - float(&report["least"]["share"])).abs() < 1e-12);
    let fraction: Vec<f64> =
        list(&report["least"]["fraction"]).iter().map(|n| text(n).parse().expect("a number")).collect();
    assert!((fraction[0] / fraction[1] - least).abs() < 1e-15);
}

#[test]
fn steps_of_a_plan() {
    let change = Change::new();
    let dir = change.folder.path("plan");
    let limits = ["--limit=150keys", "--limit=600kB"];
    let (output, report) = change.both(&[&["plan", LIVE, &change.next], &limits[..]].concat(), true);
    let arguments = [&["plan", LIVE, &change.next, "--json", "-o", &dir], &limits[..], &KEYS[..]].concat();
    assert_eq!(with_input(arguments, change.csv.as_bytes()).json(), report, "written or not");
    let steps = list(&report["steps"]);
    assert!(steps.len() > 5);
    let difference = &report["difference"]["counted"];
    let files: Vec<&Value> = list(&report["files"]).iter().filter(|file| file["role"] == "step").collect();
    for (step, file) in steps.iter().zip(&files) {
        let most = |side: &str| {
            let amount = |node: &Value| (number(&node[side]["bytes"]), number(&node[side]["keys"]));
            let largest = list(&step["nodes"]).iter().map(amount).max().expect("nodes");
            // Where two have as much, either may be named.
            let names: Vec<&str> = list(&step["nodes"])
                .iter()
                .filter(|node| amount(node) == largest)
                .map(|node| text(&node["id"]))
                .collect();
            (names, size(largest.0))
        };
        let row = vec![
            step["step"].to_string(),
            text(&file["file"]).to_owned(),
            file["epoch"].to_string(),
            grouped(number(&step["moved"]["keys"])),
            size(number(&step["moved"]["bytes"])),
        ];
        assert_row(&output, "step  publish", &row);
        let line = output.lines().find(|line| cells(line).get(1) == Some(&text(&file["file"]))).expect("a row");
        let (into, out) = (most("moved_in"), most("moved_out"));
        let rest = &cells(line)[row.len()..];
        assert!(
            into.0.contains(&rest[0]) && rest[1] == into.1 && out.0.contains(&rest[2]) && rest[3] == out.1,
            "{line}"
        );
        assert_eq!(rest[4], format!("{}/{}", step["part"], step["of"]));
        let fingerprint = rest[5].strip_suffix('…').expect("shortened");
        for told in [
            &step["fingerprint"],
            &file["fingerprint"],
            &keystead(["show", &format!("{dir}/{}", text(&file["file"])), "--json"]).json()["fingerprint"],
        ] {
            assert!(text(told).starts_with(fingerprint));
        }
        for what in ["keys", "bytes"] {
            for side in ["moved_in", "moved_out"] {
                assert_eq!(
                    sum(list(&step["nodes"]).iter().map(|node| &node[side]), what),
                    number(&step["moved"][what])
                );
            }
        }
        assert!(number(&step["moved"]["keys"]) <= 150 && number(&step["moved"]["bytes"]) <= 600_000);
        #[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
        let share = number(&step["moved"]["keys"]) as f64 / number(&difference["total"]["keys"]) as f64;
        assert!((float(&step["moved"]["share"]) - share).abs() < 1e-15);
    }
    for what in ["keys", "bytes"] {
        assert_eq!(sum(steps.iter().map(|step| &step["moved"]), what), number(&difference["moved"][what]));
        for node in list(&difference["nodes"]) {
            for side in ["moved_in", "moved_out"] {
                let in_steps = steps.iter().flat_map(|step| list(&step["nodes"])).filter(|one| one["id"] == node["id"]);
                assert_eq!(sum(in_steps.map(|one| &one[side]), what), number(&node[side][what]), "{node}");
            }
        }
    }
    let (total, moved) = (&difference["total"], &difference["moved"]);
    let said = format!(
        "\nmoves  {} keys  {}  {}   expected {:.3} %, least possible {:.3} %\n",
        grouped(number(&moved["keys"])),
        part(number(&moved["keys"]), number(&total["keys"])),
        size(number(&moved["bytes"])),
        float(&report["difference"]["expected"]["moved"]) * 100.0,
        float(&report["difference"]["least"]["share"]) * 100.0,
    );
    assert!(output.contains(&said), "{said}{output}");
}

#[test]
fn loads_of_a_balance() {
    let change = Change::new();
    let (output, report) = change.both(&["balance", &change.next, "--baseline=jump"], true);
    let total = number(&report["keys"]);
    for node in list(&report["nodes"]) {
        let (keys, fair) = (number(&node["keys"]), float(&node["fair"]));
        #[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
        let share = keys as f64 / total as f64;
        let relative = if fair > 0.0 { format!("{:.3}", share / fair) } else { "drained".to_owned() };
        let row = vec![
            text(&node["id"]).to_owned(),
            percent(fair),
            grouped(keys),
            percent(share),
            relative,
            grouped(number(&node["distinct"])),
            size(number(&node["bytes"])),
        ];
        assert_row(&output, "node ", &row);
    }
    let nodes = list(&report["nodes"]);
    for what in ["keys", "distinct", "bytes"] {
        assert_eq!(sum(nodes, what), number(&report[what]));
    }
    for part in ["fair", "share"] {
        assert!((nodes.iter().map(|node| float(&node[part])).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let (p, other) = (float(&report["chi_square"]["p"]), &report["baselines"][0]);
    let first = format!(
        "{} keys, {} distinct · max/mean {:.3} · chi-square p = {p:.2}: ",
        grouped(total),
        grouped(number(&report["distinct"])),
        float(&report["max_mean"])
    );
    assert!(p > 0.01 && output.starts_with(&first), "{first}{output}");
    let second = format!("\n{} · max/mean {:.3}\n", size(number(&report["bytes"])), float(&report["bytes_max_mean"]));
    assert!(output.contains(&second), "{second}{output}");
    let third = format!("\n jump over {} buckets: max/mean {:.3} · ", other["buckets"], float(&other["max_mean"]));
    assert!(output.contains(&third), "{third}{output}");
}

#[test]
fn shares_of_a_cluster() {
    let change = Change::new();
    let (output, report) = change.both(&["show", &change.next], false);
    let fractions = |node: &Value| -> (u64, u64) {
        let [numerator, denominator] = list(&node["share"]) else { panic!("no share: {node}") };
        (number(numerator), number(denominator))
    };
    let nodes = list(&report["nodes"]);
    let weights: u64 = nodes.iter().map(|node| node["weight"].as_u64().expect("a weight")).sum();
    let drained = nodes.iter().filter(|node| node["weight"] == 0).count();
    let said = format!(
        "\n{} nodes, {drained} drained · total weight {weights} · fingerprint {}\n",
        nodes.len(),
        text(&report["fingerprint"])
    );
    assert!(output.contains(&said), "{said}{output}");
    for node in nodes {
        let (numerator, denominator) = fractions(node);
        let mut row = vec![text(&node["id"]).to_owned()];
        row.extend(node["address"].as_str().map(str::to_owned));
        row.extend(list(&node["location"]).iter().map(|level| text(level).to_owned()));
        row.push(node["weight"].to_string());
        row.extend(if numerator == 0 {
            ["0".to_owned(), "drained".to_owned()]
        } else {
            [format!("{numerator}/{denominator}"), part(numerator, denominator)]
        });
        assert_row(&output, "node ", &row);
        assert_eq!(
            numerator * weights,
            denominator * node["weight"].as_u64().expect("a weight"),
            "a share is that of the weight"
        );
    }
    // The exact shares are one together.
    let common: u64 = nodes.iter().map(|node| fractions(node).1).product();
    assert_eq!(nodes.iter().map(|node| fractions(node).0 * (common / fractions(node).1)).sum::<u64>(), common);
}
