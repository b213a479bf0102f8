//! A changed cluster in the text of its file: what did not change stays as it was written, byte for byte.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Array, Object, ObjectProp, Value},
    common::Ranged as _,
    parse_to_ast,
};
use keystead::{Cluster, Node};
use std::{collections::BTreeSet, ops::Range};

use crate::shown::json_string;

/// What becomes of the nodes of a file.
pub(super) struct Changed<'a> {
    pub(super) before: &'a Cluster,
    pub(super) after: &'a Cluster,
    /// The ids whose entries go.
    pub(super) removed: BTreeSet<&'a str>,
    /// The ids that get entries at the end, in this order.
    pub(super) added: Vec<&'a str>,
}

/// The text of the file after the change; none where it is not the text of a cluster file.
pub(super) fn edited(text: &str, changed: &Changed<'_>) -> Option<String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Some(Value::Object(file)) = parsed.value else { return None };
    let colon = Style::of(text, &file)?.colon;
    // For a node that is the first object among nodes.
    let plain = Style { open: "", gap: if colon == ":" { "" } else { " " }, colon, close: "" };
    let mut edits = Edits { text, plain, made: Vec::new() };
    if changed.before.epoch() != changed.after.epoch() {
        let epoch = changed.after.epoch().map(|epoch| epoch.to_string());
        edits.members(&file, "keystead", &[("epoch", epoch)])?;
    }
    let Value::Array(nodes) = &member(&file, "nodes")?.value else { return None };
    let entries: Vec<Entry<'_>> = nodes.elements.iter().map(Entry::new).collect::<Option<_>>()?;
    for entry in entries.iter().filter(|entry| !changed.removed.contains(entry.id.as_str())) {
        let (old, new) = (changed.before.node(&entry.id).ok()?, changed.after.node(&entry.id).ok()?);
        edits.node(entry, old, new, &entries)?;
    }
    edits.remove(nodes, |index| changed.removed.contains(entries[index].id.as_str()));
    edits.add(nodes, &entries, changed)?;
    Some(edits.apply())
}

/// The text of a cluster's file under another epoch, or none.
pub(crate) fn republished(text: &str, cluster: &Cluster, epoch: Option<u64>) -> Option<String> {
    let after = cluster.with_epoch(epoch).ok()?;
    edited(text, &Changed { before: cluster, after: &after, removed: BTreeSet::new(), added: Vec::new() })
}

/// A node as it is written.
struct Entry<'a> {
    id: String,
    value: &'a Value<'a>,
}

impl<'a> Entry<'a> {
    fn new(value: &'a Value<'a>) -> Option<Entry<'a>> {
        let id = match value {
            Value::StringLit(text) => &text.value,
            Value::Object(node) => &member(node, "id")?.value.as_string_lit()?.value,
            _ => return None,
        };
        Some(Entry { id: id.clone().into_owned(), value })
    }

    fn object(&self) -> Option<&'a Object<'a>> {
        self.value.as_object()
    }
}

fn member<'a>(object: &'a Object<'a>, name: &str) -> Option<&'a ObjectProp<'a>> {
    object.properties.iter().find(|member| member.name.as_str() == name)
}

/// How an object is written: what stands before its first member, between two, between name and value, and after the last.
#[derive(Clone, Copy)]
struct Style<'a> {
    open: &'a str,
    /// Without the comma.
    gap: &'a str,
    colon: &'a str,
    close: &'a str,
}

impl<'a> Style<'a> {
    /// The style of an object that has a member.
    fn of(text: &'a str, object: &Object<'_>) -> Option<Style<'a>> {
        let (first, last) = (object.properties.first()?, object.properties.last()?);
        let open = &text[object.start() + 1..first.start()];
        let gap = match object.properties.get(1) {
            Some(second) => text[first.end()..second.start()].split_once(',')?.1,
            None if open.contains('\n') => open,
            None => " ",
        };
        let colon = &text[first.name.end()..first.value.start()];
        Some(Style { open, gap, colon, close: &text[last.end()..object.end() - 1] })
    }

    fn member(self, name: &str, value: &str) -> String {
        format!("\"{name}\"{}{value}", self.colon)
    }

    fn list(self, items: impl Iterator<Item = String>) -> String {
        let between = if self.colon == ":" { "," } else { ", " };
        format!("[{}]", items.collect::<Vec<_>>().join(between))
    }

    /// A whole node.
    fn node(self, node: &Node) -> String {
        let mut members = vec![self.member("id", &json_string(node.id()))];
        if node.get_weight() != 1 {
            members.push(self.member("weight", &node.get_weight().to_string()));
        }
        if !node.get_location().is_empty() {
            let texts = node.get_location().iter().map(|text| json_string(text));
            members.push(self.member("location", &self.list(texts)));
        }
        if let Some(tokens) = node.get_tokens() {
            let texts = tokens.iter().map(|token| format!("\"{token}\""));
            members.push(self.member("tokens", &self.list(texts)));
        }
        members.extend(node.get_address().map(|address| self.member("address", &json_string(address))));
        format!("{{{}{}{}}}", self.open, members.join(&format!(",{}", self.gap)), self.close)
    }
}

/// Replacements of parts of a text.
struct Edits<'a> {
    text: &'a str,
    plain: Style<'a>,
    made: Vec<(Range<usize>, String)>,
}

impl<'a> Edits<'a> {
    fn replace(&mut self, range: Range<usize>, by: impl Into<String>) {
        self.made.push((range, by.into()));
    }

    /// Sets or takes away members of an object; a new one stands after the member `after`.
    fn members(&mut self, object: &Object<'_>, after: &str, members: &[(&str, Option<String>)]) -> Option<()> {
        let style = Style::of(self.text, object)?;
        let mut new = String::new();
        for (name, value) in members {
            let index = object.properties.iter().position(|member| member.name.as_str() == *name);
            match (index, value) {
                (Some(index), Some(value)) => {
                    let old = &object.properties[index].value;
                    self.replace(old.start()..old.end(), value);
                }
                (Some(index), None) => {
                    let ends: Vec<Range<usize>> =
                        object.properties.iter().map(|member| member.start()..member.end()).collect();
                    self.replace(without(&ends, index, index > 0), "");
                }
                (None, Some(value)) => {
                    new.push(',');
                    new.push_str(style.gap);
                    new.push_str(&style.member(name, value));
                }
                (None, None) => {}
            }
        }
        if !new.is_empty() {
            let at = member(object, after)?.end();
            self.replace(at..at, new);
        }
        Some(())
    }

    /// What changed of a node that stays.
    fn node(&mut self, entry: &Entry<'_>, old: &Node, new: &Node, entries: &[Entry<'_>]) -> Option<()> {
        let mut members = Vec::new();
        if old.get_weight() != new.get_weight() {
            members.push(("weight", Some(new.get_weight().to_string())));
        }
        if old.get_address() != new.get_address() {
            members.push(("address", new.get_address().map(json_string)));
        }
        if members.is_empty() {
            return Some(());
        }
        if let Some(object) = entry.object() {
            return self.members(object, "id", &members);
        }
        let written = self.node_style(entries)?.node(new);
        self.replace(entry.value.start()..entry.value.end(), written);
        Some(())
    }

    /// How nodes are written in this file: as the last that is an object.
    fn node_style(&self, entries: &[Entry<'_>]) -> Option<Style<'a>> {
        entries.iter().rev().find_map(Entry::object).map_or(Some(self.plain), |object| Style::of(self.text, object))
    }

    /// Takes elements away, each with the separator before it, or with the one behind it where nothing before it stays.
    fn remove(&mut self, nodes: &Array<'_>, is_removed: impl Fn(usize) -> bool) {
        let elements: Vec<Range<usize>> = nodes.elements.iter().map(|node| node.start()..node.end()).collect();
        let mut any_stays = false;
        for index in 0..elements.len() {
            if is_removed(index) {
                self.replace(without(&elements, index, any_stays), "");
            } else {
                any_stays = true;
            }
        }
    }

    fn add(&mut self, nodes: &Array<'_>, entries: &[Entry<'_>], changed: &Changed<'_>) -> Option<()> {
        let last = nodes.elements.last()?;
        let between = if let [.., one, other] = nodes.elements.as_slice() {
            self.text[one.end()..other.start()].to_owned()
        } else {
            let open = &self.text[nodes.start() + 1..nodes.elements.first()?.start()];
            format!(",{}", if open.contains('\n') { open } else { " " })
        };
        let style = self.node_style(entries)?;
        let may_be_text = entries.iter().any(|entry| entry.object().is_none());
        let mut written = String::new();
        let mut any_before = entries.iter().any(|entry| !changed.removed.contains(entry.id.as_str()));
        for id in &changed.added {
            let node = changed.after.node(id).ok()?;
            let is_plain = node.get_weight() == 1
                && node.get_location().is_empty()
                && node.get_tokens().is_none()
                && node.get_address().is_none();
            if any_before {
                written.push_str(&between);
            }
            any_before = true;
            written.push_str(&if may_be_text && is_plain { json_string(id) } else { style.node(node) });
        }
        self.replace(last.end()..last.end(), written);
        Some(())
    }

    fn apply(mut self) -> String {
        self.made.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(self.text.len() + 200);
        let mut done = 0;
        for (range, by) in &self.made {
            out.push_str(&self.text[done..range.start]);
            out.push_str(by);
            done = range.end;
        }
        out.push_str(&self.text[done..]);
        out
    }
}

/// What goes with an item of a list: the separator before it, or else the one behind it, if there is one.
fn without(items: &[Range<usize>], index: usize, before: bool) -> Range<usize> {
    match items.get(index + 1) {
        _ if before => items[index - 1].end..items[index].end,
        Some(next) => items[index].start..next.start,
        None => items[index].clone(),
    }
}
