//! The changes that are asked for, in the words of the command line.

use crate::{
    failure::{Failure, Outcome},
    shown::excerpt,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, error::ErrorKind as ClapKind};
use keystead::{Cluster, ErrorKind, Node};

const HEADING: &str = "Changes";

/// Nodes to add, each with the options that follow it.
pub(super) struct Additions(Vec<Addition>);

struct Addition {
    text: String,
    location: Option<String>,
    tokens: Option<String>,
}

/// Changes of nodes that are there, or are added.
#[derive(Args)]
#[command(next_help_heading = HEADING)]
pub(super) struct NodeArgs {
    /// Remove the node; repeatable
    #[arg(long, value_name = "ID")]
    pub(super) remove: Vec<String>,

    /// Give a node, there already or added, this weight; repeatable
    #[arg(long, value_name = "ID=W")]
    weight: Vec<String>,

    /// Give the node the weight 0: it owns no key, and stays known; repeatable
    #[arg(long, value_name = "ID")]
    pub(super) drain: Vec<String>,

    /// Give a node another address, which moves no key; nothing after `=` takes it away; repeatable
    #[arg(long, value_name = "ID=ADDRESS")]
    address: Vec<String>,
}

/// The options that belong to the `--add` before them: name, value, help.
const OF_ADDITION: [(&str, &str, &str); 2] = [
    ("location", "A/B", "Where the node of the --add before it stands, widest place first"),
    ("tokens", "N,N", "The tokens of the node of the --add before it, where a ring has explicit ones"),
];

impl Args for Additions {
    fn augment_args(command: Command) -> Command {
        let add = Arg::new("add").long("add").value_name("ID[@ADDRESS]").action(ArgAction::Append).help_heading(HEADING).help(
            "Add a node of weight 1; repeatable. An id may hold `@` itself: then give the address with --address, empty for none",
        );
        OF_ADDITION.into_iter().fold(command.arg(add), |command, (name, value, help)| {
            let arg = Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help_heading(HEADING);
            command.arg(arg.help(help))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Additions::augment_args(command)
    }
}

impl FromArgMatches for Additions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Additions, clap::Error> {
        let given = |name: &str| -> Vec<(usize, String)> {
            let places = matches.indices_of(name).into_iter().flatten();
            places.zip(matches.get_many::<String>(name).into_iter().flatten().cloned()).collect()
        };
        let mut additions = Vec::new();
        let mut places = Vec::new();
        for (place, text) in given("add") {
            places.push(place);
            additions.push(Addition { text, location: None, tokens: None });
        }
        let raw = |message: String| clap::Error::raw(ClapKind::ValueValidation, message);
        for (name, ..) in OF_ADDITION {
            for (place, text) in given(name) {
                let index = places.partition_point(|add| *add < place).checked_sub(1);
                let index = index.ok_or_else(|| raw(format!("--{name} {text} comes before any --add")))?;
                let addition = &mut additions[index];
                let value = if name == "location" { &mut addition.location } else { &mut addition.tokens };
                if value.replace(text).is_some() {
                    return Err(raw(format!("--{name} is given twice for --add {}", addition.text)));
                }
            }
        }
        Ok(Additions(additions))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Additions::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The changes, taken apart.
pub(super) struct Wanted {
    pub(super) add: Vec<Node>,
    pub(super) remove: Vec<String>,
    pub(super) weight: Vec<(String, u32)>,
    pub(super) drain: Vec<String>,
    /// Addresses of nodes that are there; an added node has its own already.
    pub(super) address: Vec<(String, Option<String>)>,
}

impl Wanted {
    pub(super) fn new(additions: &Additions, nodes: &NodeArgs, before: &Cluster) -> Outcome<Wanted> {
        let mut address = Vec::new();
        for text in &nodes.address {
            let (id, address_of) = addressed(text, |id| before.contains(id) || additions.adds(id))?;
            if address.iter().any(|(known, _)| *known == id) {
                return Err(Failure::new(ErrorKind::InvalidParameter, format!("node \"{id}\" has two addresses")));
            }
            address.push((id, Some(address_of).filter(|text| !text.is_empty())));
        }
        let mut add = Vec::new();
        for addition in &additions.0 {
            add.push(addition.node(&mut address)?);
        }
        let mut weight = Vec::new();
        for text in &nodes.weight {
            // A weight has no `=`, an id may.
            let (id, number) = pair("weight", "W", text.rsplit_once('='), text)?;
            weight.push((id, weight_of(&number)?));
        }
        let wanted = Wanted { add, remove: nodes.remove.clone(), weight, drain: nodes.drain.clone(), address };
        wanted.reject_unknown(before)?;
        for id in &nodes.drain {
            let is_added = wanted.add.iter().any(|node| node.id() == id);
            if nodes.remove.contains(id) && !is_added {
                return Err(Failure::new(
                    ErrorKind::InvalidParameter,
                    format!("node \"{id}\" is both removed and drained"),
                ));
            }
            if let Some((_, weight)) = wanted.weight.iter().find(|(of, weight)| of == id && *weight > 0) {
                let message = format!("node \"{id}\" is drained, which is the weight 0, and gets the weight {weight}");
                return Err(Failure::new(ErrorKind::InvalidParameter, message));
            }
        }
        Ok(wanted)
    }

    /// Refuses an id that no node has: a weight or an address for nobody is a slip of the pen.
    fn reject_unknown(&self, before: &Cluster) -> Outcome {
        let Wanted { add, remove, weight, drain, address } = self;
        let of_any = weight.iter().map(|(id, _)| id).chain(drain);
        let unknown_to_all = of_any.filter(|id| add.iter().all(|node| node.id() != **id));
        let mut named = remove.iter().chain(address.iter().map(|(id, _)| id)).chain(unknown_to_all);
        let Some((id, error)) = named.find_map(|id| Some((id, before.node(id).err()?))) else { return Ok(()) };
        // As near as clap's own suggestions are.
        let near =
            before.nodes().iter().map(|node| (strsim::jaro(&id.to_lowercase(), &node.id().to_lowercase()), node.id()));
        let nearest = near.filter(|(likeness, _)| *likeness > 0.7).max_by(|(one, _), (other, _)| one.total_cmp(other));
        let hint = nearest.map(|(_, known)| format!("; did you mean \"{known}\"?")).unwrap_or_default();
        Err(Failure::new(error.kind(), format!("{error}{hint}")))
    }

    /// Whether anything is to be done to nodes.
    pub(super) fn is_empty(&self) -> bool {
        let Wanted { add, remove, weight, drain, address } = self;
        add.is_empty() && remove.is_empty() && weight.is_empty() && drain.is_empty() && address.is_empty()
    }
}

impl Addition {
    /// The node; takes its address out of the list where it is there.
    fn node(&self, addresses: &mut Vec<(String, Option<String>)>) -> Outcome<Node> {
        let (id, address) = match self.text.split_once('@') {
            // Given apart, so that the whole text is the id.
            _ if addresses.iter().any(|(id, _)| *id == self.text) => (self.text.as_str(), None),
            Some((id, address)) => (id, Some(address.to_owned())),
            None => (self.text.as_str(), None),
        };
        let mut node = Node::new(id)?;
        if let Some(place) = addresses.iter().position(|(known, _)| known == id) {
            let (_, given) = addresses.remove(place);
            if address.is_some() {
                return Err(Failure::new(ErrorKind::InvalidParameter, format!("node \"{id}\" has two addresses")));
            }
            if let Some(given) = given {
                node = node.address(given);
            }
        } else if let Some(address) = address {
            node = node.address(address);
        }
        if let Some(location) = &self.location {
            node = node.location(location.split('/'))?;
        }
        if let Some(tokens) = &self.tokens {
            let token = |text: &str| {
                text.parse::<u64>().map_err(|_| {
                    let message = format!("token `{text}` is not an integer from 0 to {}", u64::MAX);
                    Failure::new(ErrorKind::InvalidTokens, message)
                })
            };
            node = node.tokens(tokens.split(',').map(token).collect::<Outcome<Vec<u64>>>()?)?;
        }
        Ok(node)
    }
}

impl Additions {
    /// Whether a node of this id is added.
    fn adds(&self, id: &str) -> bool {
        self.0.iter().any(|one| one.text == id || one.text.split_once('@').is_some_and(|(name, _)| name == id))
    }
}

/// `ID=ADDRESS`, both of which may hold `=`: taken apart where the id is that of a node.
fn addressed(text: &str, is_node: impl Fn(&str) -> bool) -> Outcome<(String, String)> {
    let splits = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let known: Vec<(&str, &str)> = splits.filter(|(id, _)| is_node(id)).collect();
    if let [(one, _), (other, _), ..] = known[..] {
        let message = format!("--address `{text}` can be meant for node \"{one}\" and for node \"{other}\"");
        return Err(Failure::wrong_use(message));
    }
    pair("address", "ADDRESS", known.first().copied().or_else(|| text.split_once('=')), text)
}

/// The halves of `ID=VALUE`.
fn pair(option: &str, value: &str, halves: Option<(&str, &str)>, text: &str) -> Outcome<(String, String)> {
    let (id, value) = halves.ok_or_else(|| Failure::wrong_use(format!("--{option} `{text}` is not ID={value}")))?;
    Ok((id.to_owned(), value.to_owned()))
}

fn weight_of(text: &str) -> Outcome<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or_else(|| {
        let weight = excerpt(text.as_bytes());
        let message = if is_number {
            format!("weight {weight} is out of range: an integer from 0 to {}", u32::MAX)
        } else {
            format!("weight {weight} is not an integer from 0 to {}", u32::MAX)
        };
        Failure::new(ErrorKind::InvalidWeight, message)
    })
}
