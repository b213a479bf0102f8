//! `cargo xtask demo`: the main job on real input, in three languages side by side.

#![expect(clippy::cast_precision_loss, reason = "figures for people, of two decimals")]

mod answers;
mod keys;
mod movement;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use self::answers::{Answers, NEWCOMER};
use self::keys::Keys;
use self::movement::Movement;
use crate::screen::{right, spoken, table, timed};
use crate::workshop::Workshop;

/// How many keys are shown one by one.
const SHOWN: usize = 6;

pub(crate) fn demo(verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let rust = stage(&mut workshop, "building the Rust program", |workshop| workshop.example("rankings"))?;
    let python = stage(&mut workshop, "building the Python wheel and installing it", |workshop| {
        Ok(workshop.wheel_environment()?.python())
    })?;
    let node = stage(&mut workshop, "building the Node package and installing it", |workshop| {
        Ok(workshop.consumer()?.folder)
    })?;

    let keys = Keys::collect(workshop.project.root(), workshop.project.target())?;
    let folder = workshop.project.empty("demo")?;
    let key_file = folder.join("keys.txt");
    std::fs::write(&key_file, keys.text()).with_context(|| format!("cannot write {}", key_file.display()))?;
    let answers = [
        stage(&mut workshop, "placing every key from Rust", |workshop| {
            let mut command = workshop.program(rust);
            Answers::ask(workshop, "Rust", &mut command, &key_file)
        })?,
        stage(&mut workshop, "placing every key from Python", |workshop| {
            let mut command = workshop.python(&python);
            command.arg("xtask/demo/rankings.py");
            Answers::ask(workshop, "Python", &mut command, &key_file)
        })?,
        stage(&mut workshop, "placing every key from Node", |workshop| {
            let mut command = workshop.program("node");
            command.current_dir(node).arg(workshop.project.source("xtask/demo/rankings.mjs"));
            Answers::ask(workshop, "Node", &mut command, &key_file)
        })?,
    ];
    let nodes = Nodes::read(&workshop.project.source("xtask/demo/cluster.json"))?;
    for answers in &answers {
        answers.check(keys.sizes.len(), nodes.list.len())?;
    }

    introduce(&keys, &nodes);
    side_by_side(&keys, &answers);
    agreement(&keys, &answers)?;
    newcomer(&keys, &nodes, &answers[0])
}

/// Something that takes a while: named, with a moving line on a terminal, its time at the end.
fn stage<T>(workshop: &mut Workshop, name: &str, work: impl FnOnce(&mut Workshop) -> Result<T>) -> Result<T> {
    let log = workshop.project.kept(&format!("logs/demo-{}.log", name.replace(' ', "-")));
    workshop.screen.say(&format!("{name} …"));
    workshop.screen.begin(name, &log)?;
    let (answer, time) = timed(|| work(workshop));
    workshop.screen.end();
    let answer = answer.with_context(|| format!("{name} failed"))?;
    workshop.screen.say(&format!("{name}: {}", spoken(time)));
    Ok(answer)
}

/// The nodes of the demo's cluster file, for its tables.
struct Nodes {
    list: Vec<NodeRow>,
}

struct NodeRow {
    id: String,
    weight: u64,
    zone: String,
}

impl Nodes {
    fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let value: serde_json::Value = serde_json::from_str(&text)?;
        let list = value["nodes"].as_array().context("the cluster file has no nodes")?.iter().map(|node| {
            Some(NodeRow {
                id: node["id"].as_str()?.to_owned(),
                weight: node["weight"].as_u64()?,
                zone: node["location"][1].as_str()?.to_owned(),
            })
        });
        Ok(Self {
            list: list.collect::<Option<_>>().context("a node of the cluster file lacks id, weight or location")?,
        })
    }
}

fn introduce(keys: &Keys, nodes: &Nodes) {
    let bytes: u64 = keys.sizes.values().sum();
    println!("\n{} keys, {}: {}", thousands(keys.sizes.len() as u64), size(bytes), keys.from);
    if keys.found > keys.sizes.len() {
        println!("(of {} files found)", thousands(keys.found as u64));
    }
    println!("{} nodes, weights and zones: xtask/demo/cluster.json", nodes.list.len());
}

fn side_by_side(keys: &Keys, answers: &[Answers; 3]) {
    let mut table = table(&["key", "bytes", "Rust", "Python", "Node"]);
    let step = (keys.sizes.len() / SHOWN).max(1);
    let mut rows: Vec<Vec<String>> =
        keys.sizes.iter().step_by(step).take(SHOWN).map(|(key, size)| vec![shortened(key), thousands(*size)]).collect();
    for answers in answers {
        for (row, place) in rows.iter_mut().zip(answers.before().step_by(step)) {
            row.push(format!("{}\n  {}\n  {}", place.owner, place.ranking[1], place.ranking[2]));
        }
    }
    table.add_rows(rows);
    right(&mut table, &[1]);
    println!("\nthe owner, and the two that follow it in the ranking, as each language says\n{table}");
}

fn agreement(keys: &Keys, answers: &[Answers; 3]) -> Result<()> {
    let mut table = table(&["language", "SHA-256 of all rankings, before and after", "an owner"]);
    for answers in answers {
        let time = format!("{} ns", answers.fact("owner-nanoseconds")?);
        table.add_row([answers.language.to_owned(), answers.checksum(), time]);
    }
    right(&mut table, &[2]);
    println!("\n{table}");
    let [rust, others @ ..] = answers;
    for other in others {
        for name in ["fingerprint-before", "fingerprint-after"] {
            if other.fact(name)? != rust.fact(name)? {
                bail!("{} and Rust describe different clusters: {name}", other.language);
            }
        }
        if other.checksum() != rust.checksum() {
            let differing =
                rust.before().chain(rust.after()).zip(other.before().chain(other.after())).position(|(a, b)| a != b);
            let key = differing.and_then(|position| keys.sizes.keys().nth(position % keys.sizes.len()));
            bail!(
                "{} and Rust rank differently; the first such key: {}",
                other.language,
                key.map_or("none", String::as_str)
            );
        }
    }
    println!(
        "equal: {} keys, every node of every ranking, and the fingerprint {}",
        thousands(keys.sizes.len() as u64),
        rust.fact("fingerprint-before")?
    );
    Ok(())
}

fn newcomer(keys: &Keys, nodes: &Nodes, answers: &Answers) -> Result<()> {
    let [id, weight, .., zone] = NEWCOMER;
    let shares = answers.shares()?;
    let sizes = || keys.sizes.values().copied();
    let held = |placements: Vec<&str>, id: &str| {
        placements
            .into_iter()
            .zip(sizes())
            .filter(|(owner, _)| *owner == id)
            .fold((0_u64, 0_u64), |(keys, bytes), (_, size)| (keys + 1, bytes + size))
    };
    let before = || answers.before().map(|place| place.owner).collect::<Vec<_>>();
    let after = || answers.after().map(|place| place.owner).collect::<Vec<_>>();
    let mut table =
        table(&["node", "zone", "weight", "keys before", "keys after", "of all", "its share", "bytes after"]);
    let rows = nodes.list.iter().map(|node| (node.id.as_str(), node.zone.as_str(), node.weight)).chain([(
        id,
        zone,
        weight.parse()?,
    )]);
    let all = keys.sizes.len() as f64;
    for (id, zone, weight) in rows {
        let (keys_before, _) = held(before(), id);
        let (keys_after, bytes_after) = held(after(), id);
        table.add_row([
            id.to_owned(),
            zone.to_owned(),
            weight.to_string(),
            thousands(keys_before),
            thousands(keys_after),
            percent(keys_after as f64 / all),
            percent(shares.get(id).copied().unwrap_or_default()),
            size(bytes_after),
        ]);
    }
    right(&mut table, &[2, 3, 4, 5, 6, 7]);
    println!("\none node joins: {id} in {zone}, weight {weight}\n{table}");

    let movement = Movement::count(answers.before(), answers.after(), sizes(), id);
    let (moved, moved_bytes) =
        (movement.keys as f64 / movement.all_keys as f64, movement.bytes as f64 / movement.all_bytes.max(1) as f64);
    println!("\nkeys moved   {:>10} of {}  {}", thousands(movement.keys), thousands(movement.all_keys), percent(moved));
    println!("bytes moved  {:>10} of {}  {}", size(movement.bytes), size(movement.all_bytes), percent(moved_bytes));
    println!(
        "ideal share  {} of the keys: the newcomer's, the least that any placement could move",
        percent(shares.get(id).copied().unwrap_or_default())
    );
    println!(
        "moved to {id}: {} of {} moved keys",
        thousands(movement.keys - movement.elsewhere),
        thousands(movement.keys)
    );
    if movement.elsewhere > 0 {
        bail!("{} keys moved between nodes that were there before", movement.elsewhere);
    }
    if movement.keys == 0 {
        bail!("no key moved to {id}");
    }
    Ok(())
}

/// The end of a long path, which tells more than its start.
fn shortened(key: &str) -> String {
    const WIDTH: usize = 36;
    let length = key.chars().count();
    if length <= WIDTH {
        key.to_owned()
    } else {
        format!("…{}", key.chars().skip(length - WIDTH + 1).collect::<String>())
    }
}

/// `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `12.3 MB`, in powers of ten.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(
            [thousands(0), thousands(999), thousands(1000), thousands(1_234_567)],
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [size(12), size(1_500), size(80_000_000), size(2_690_000_000)],
            ["12 B", "1.5 kB", "80.0 MB", "2.69 GB"]
        );
        assert_eq!(percent(1.0 / 3.0), "33.33 %");
    }

    #[test]
    fn long_keys_keep_their_end() {
        assert_eq!(shortened("src/lib.rs"), "src/lib.rs");
        let long = shortened(&format!("{}/lib.rs", "x".repeat(80)));
        assert!(long.chars().count() == 36 && long.ends_with("/lib.rs"), "{long}");
    }

    #[test]
    fn the_committed_cluster_has_weights_and_zones() {
        let nodes = Nodes::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/cluster.json")).unwrap();
        assert_eq!(nodes.list.len(), 10);
        assert!(nodes.list.iter().any(|node| node.weight > 1));
        assert!(nodes.list.iter().all(|node| node.id != NEWCOMER[0]));
    }
}
