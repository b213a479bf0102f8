//! The command that takes a change back.

use super::args::Wanted;
use keystead::{Cluster, Node};
use std::{collections::BTreeSet, path::Path};

/// How a change is taken back.
#[derive(Clone)]
pub(super) struct Undo {
    /// The command line that copies the old file, to be run before the new one takes its place; where the way back needs it.
    pub(super) keep: Option<String>,
    /// The command line that makes `undo.json`.
    pub(super) line: String,
}

/// The command line that makes `undo.json` of the file that was written, or why there is none.
///
/// It never brings an old file back: services that know the newer epoch would refuse that.
pub(super) fn undo(
    before: &Cluster,
    after: &Cluster,
    wanted: &Wanted,
    from: &Path,
    to: &Path,
    secret: Option<&Path>,
) -> Result<Undo, String> {
    let mut words = Vec::new();
    let mut lost = false;
    let is_added = |id: &str| wanted.add.iter().any(|node| node.id() == id);
    let is_removed = |id: &str| wanted.remove.iter().any(|one| one == id);
    for node in before.nodes().iter().filter(|node| is_removed(node.id())) {
        lost |= !addition(node, &mut words);
    }
    // A node may be weighed and drained in one change, and is given its weight back once.
    let weighed: BTreeSet<&String> = wanted.weight.iter().map(|(id, _)| id).chain(&wanted.drain).collect();
    for id in weighed.into_iter().filter(|id| !is_added(id) && !is_removed(id)) {
        if let (Ok(node), Ok(now)) = (before.node(id), after.node(id))
            && node.get_weight() != now.get_weight()
        {
            option(&mut words, "weight", &format!("{id}={}", node.get_weight()));
        }
    }
    for (id, _) in &wanted.address {
        if let Ok(node) = before.node(id) {
            option(&mut words, "address", &format!("{id}={}", node.get_address().unwrap_or_default()));
        }
    }
    for node in &wanted.add {
        option(&mut words, "remove", node.id());
    }
    if words.is_empty() && !lost {
        return Err("nothing to take back but the epoch".to_owned());
    }
    let shown = |path: &Path| {
        let path = path.to_string_lossy();
        if path.starts_with('-') { format!("./{path}") } else { path.into_owned() }
    };
    let mut start = shown(to);
    let mut keep = None;
    if lost {
        // What a removed node carries has no words here; the file that still holds it has.
        if from == Path::new("-") || same_file(from, to) {
            return Err("none in one line: what the removed nodes carry is in no file any more".to_owned());
        }
        // The new file may be moved onto the old one, of which then nothing is left: the copy has a name that nothing else has.
        let of_epoch = before.epoch().map_or("old.json".to_owned(), |epoch| format!("epoch-{epoch}.json"));
        start = shown(&from.with_extension(of_epoch));
        keep = Some(format!("cp {} {}", word(&shown(from)), word(&start)));
        // Above the number that is about to be published.
        words.clear();
        option(&mut words, "epoch", &after.epoch().map_or(1, |epoch| epoch.saturating_add(1)).to_string());
    }
    if let Some(secret) = secret {
        option(&mut words, "secret-file", &secret.to_string_lossy());
    }
    if start.contains(char::is_control) || words.iter().any(|word| word.contains(char::is_control)) {
        // Such a word would be shown escaped, and then names another node.
        return Err("none that can be shown: it would hold a control character".to_owned());
    }
    Ok(Undo { keep, line: format!("keystead change {} {} -o undo.json", word(&start), words.join(" ")) })
}

/// The options that add a node again; false where they do not give back all that it carries.
fn addition(node: &Node, words: &mut Vec<String>) -> bool {
    let id = node.id();
    let has_at = id.contains('@');
    match node.get_address() {
        Some(address) if !has_at => option(words, "add", &format!("{id}@{address}")),
        _ => option(words, "add", id),
    }
    if has_at {
        option(words, "address", &format!("{id}={}", node.get_address().unwrap_or_default()));
    }
    let location = node.get_location();
    if !location.is_empty() {
        option(words, "location", &location.join("/"));
    }
    if let Some(tokens) = node.get_tokens() {
        let tokens: Vec<String> = tokens.iter().map(u64::to_string).collect();
        option(words, "tokens", &tokens.join(","));
    }
    if node.get_weight() != 1 {
        option(words, "weight", &format!("{id}={}", node.get_weight()));
    }
    let is_plain = !(has_at && (id.contains('=') || node.get_address() == Some("")));
    is_plain
        && node.get_meta().next().is_none()
        && node.get_comment().is_none()
        && location.iter().all(|text| !text.contains('/'))
}

fn option(words: &mut Vec<String>, name: &str, value: &str) {
    // A value that begins with a dash would be taken for an option.
    words.push(if value.starts_with('-') {
        format!("--{name}={}", word(value))
    } else {
        format!("--{name} {}", word(value))
    });
}

/// A word for a POSIX shell.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@,+%".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

pub(super) fn same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
