//! A node: its id, weight, location and explicit tokens, validated, and what it carries for people.

use core::fmt;

use crate::error::{Error, error};
#[cfg(feature = "alloc")]
pub use owned::Node;
#[cfg(feature = "alloc")]
pub(crate) use owned::{Entry, MAX_LOCATION};

/// The longest id, in bytes.
const MAX_ID: usize = 65_535;

/// Checks the rules of an id: 1 … 65,535 bytes, no control characters U+0000–001F and U+007F. Gives the rule that is broken.
fn broken_rule(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("is empty: at least one byte is needed")
    } else if text.len() > MAX_ID {
        Some("is longer than 65535 bytes")
    } else if text.bytes().any(|byte| byte < 0x20 || byte == 0x7F) {
        Some("holds a control character (U+0000 to U+001F, U+007F)")
    } else {
        None
    }
}

/// Checks an id by the rules of a node's id.
pub(crate) fn validate_id(id: &str) -> Result<(), Error> {
    match broken_rule(id) {
        None => Ok(()),
        Some(rule) => Err(error!(InvalidId, "id {} {rule}", shown(id))),
    }
}

/// A text in a message: quoted, and cut where it is long.
pub(crate) fn shown(text: &str) -> Shown<'_> {
    Shown { text }
}

pub(crate) struct Shown<'a> {
    text: &'a str,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 64;
        match self.text.char_indices().nth(LONGEST) {
            None => write!(f, "{:?}", self.text),
            Some((cut, _)) => write!(f, "{:?}… ({} bytes)", &self.text[..cut], self.text.len()),
        }
    }
}

#[cfg(feature = "alloc")]
mod owned {
    use alloc::{borrow::ToOwned, boxed::Box, collections::BTreeMap, string::String, sync::Arc, vec::Vec};

    use super::{broken_rule, shown, validate_id};
    use crate::error::{Error, error};

    /// The most texts of a location.
    pub(crate) const MAX_LOCATION: usize = 8;

    /// A node of a cluster: `id`, `weight` (1 by default), `location` (empty by default), for rings optionally explicit `tokens`;
    /// and `address`, `meta` and `comment`, which are carried and shape no answer.
    ///
    /// Setters have the plain words and take the node by value; getters are `get_…`, as in `std::process::Command`.
    ///
    /// ```
    /// use keystead::Node;
    /// let node = Node::new("cache-b")?.weight(2).location(["eu-1", "eu-1a"])?.address("10.7.0.2:11211");
    /// assert_eq!((node.id(), node.get_weight()), ("cache-b", 2));
    /// # Ok::<(), keystead::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Node {
        data: Arc<Data>,
    }

    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Data {
        id: Box<str>,
        weight: u32,
        location: Box<[Box<str>]>,
        tokens: Option<Box<[u64]>>,
        address: Option<Box<str>>,
        meta: BTreeMap<Box<str>, Box<str>>,
        comment: Option<Box<str>>,
    }

    impl Node {
        /// A node of weight 1 without a location. The id is the identity: renaming a machine is removing one node and adding
        /// another; an address is no part of it.
        ///
        /// # Errors
        /// `invalid_id` unless the id has 1 … 65,535 bytes and no control characters.
        pub fn new(id: impl Into<String>) -> Result<Node, Error> {
            let id = id.into();
            validate_id(&id)?;
            Ok(Node {
                data: Arc::new(Data {
                    id: id.into_boxed_str(),
                    weight: 1,
                    location: Box::default(),
                    tokens: None,
                    address: None,
                    meta: BTreeMap::new(),
                    comment: None,
                }),
            })
        }

        fn change(mut self, change: impl FnOnce(&mut Data)) -> Node {
            change(Arc::make_mut(&mut self.data));
            self
        }

        /// The capacity relative to the other weights; 0 drains the node: it stays listed and takes part in no answer.
        #[must_use]
        pub fn weight(self, weight: u32) -> Node {
            self.change(|data| data.weight = weight)
        }

        /// The path of failure domains, widest first, for example region, zone, rack.
        ///
        /// # Errors
        /// `invalid_location` for more than 8 texts, or one that breaks the rules of an id.
        pub fn location<T: Into<String>>(self, path: impl IntoIterator<Item = T>) -> Result<Node, Error> {
            let path: Vec<Box<str>> = path.into_iter().map(|text| text.into().into_boxed_str()).collect();
            if path.len() > MAX_LOCATION {
                return Err(error!(
                    InvalidLocation,
                    "location of node {} has {} texts: at most {MAX_LOCATION}",
                    shown(self.id()),
                    path.len()
                ));
            }
            for text in &path {
                if let Some(rule) = broken_rule(text) {
                    let message = alloc::format!("location text {} of node {} {rule}", shown(text), shown(self.id()));
                    return Err(Error::new(crate::ErrorKind::InvalidLocation, message));
                }
            }
            Ok(self.change(|data| data.location = path.into_boxed_slice()))
        }

        /// Explicit tokens of a ring, kept in ascending order.
        ///
        /// # Errors
        /// `invalid_tokens` for an empty list or a repeated token.
        pub fn tokens(self, tokens: impl IntoIterator<Item = u64>) -> Result<Node, Error> {
            let mut tokens: Vec<u64> = tokens.into_iter().collect();
            tokens.sort_unstable();
            if tokens.is_empty() {
                let message = alloc::format!("tokens of node {} are empty: at least one is needed", shown(self.id()));
                return Err(Error::new(crate::ErrorKind::InvalidTokens, message));
            }
            if let Some([token, ..]) = tokens.windows(2).find(|pair| pair[0] == pair[1]) {
                let message = alloc::format!("token {token} of node {} is given twice", shown(self.id()));
                return Err(Error::new(crate::ErrorKind::InvalidTokens, message));
            }
            Ok(self.change(|data| data.tokens = Some(tokens.into_boxed_slice())))
        }

        /// Where the node is reached; carried, shapes no answer.
        #[must_use]
        pub fn address(self, address: impl Into<String>) -> Node {
            self.change(|data| data.address = Some(address.into().into_boxed_str()))
        }

        /// One entry of the node's meta; carried, shapes no answer. The same name again replaces the value.
        #[must_use]
        pub fn meta(self, name: impl Into<String>, value: impl Into<String>) -> Node {
            self.change(|data| {
                data.meta.insert(name.into().into_boxed_str(), value.into().into_boxed_str());
            })
        }

        /// A comment; carried, shapes no answer.
        #[must_use]
        pub fn comment(self, comment: impl Into<String>) -> Node {
            self.change(|data| data.comment = Some(comment.into().into_boxed_str()))
        }

        /// Whether both are one node in memory, which is quicker to see than that their ids are equal.
        pub(crate) fn is(&self, other: &Node) -> bool {
            Arc::ptr_eq(&self.data, &other.data)
        }

        /// The id.
        pub fn id(&self) -> &str {
            &self.data.id
        }

        /// The weight.
        pub fn get_weight(&self) -> u32 {
            self.data.weight
        }

        /// Whether the weight is 0.
        pub fn is_drained(&self) -> bool {
            self.data.weight == 0
        }

        /// The location, widest domain first.
        pub fn get_location(&self) -> &[Box<str>] {
            &self.data.location
        }

        /// The explicit tokens in ascending order, if any were given.
        pub fn get_tokens(&self) -> Option<&[u64]> {
            self.data.tokens.as_deref()
        }

        /// The address, if one was given.
        pub fn get_address(&self) -> Option<&str> {
            self.data.address.as_deref()
        }

        /// The entries of meta, by name.
        pub fn get_meta(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
            self.data.meta.iter().map(|(name, value)| (&**name, &**value))
        }

        /// The comment, if one was given.
        pub fn get_comment(&self) -> Option<&str> {
            self.data.comment.as_deref()
        }
    }

    impl TryFrom<&str> for Node {
        type Error = Error;
        fn try_from(id: &str) -> Result<Node, Error> {
            Node::new(id.to_owned())
        }
    }

    impl TryFrom<&&str> for Node {
        type Error = Error;
        fn try_from(id: &&str) -> Result<Node, Error> {
            Node::new((*id).to_owned())
        }
    }

    impl TryFrom<String> for Node {
        type Error = Error;
        fn try_from(id: String) -> Result<Node, Error> {
            Node::new(id)
        }
    }

    impl TryFrom<&String> for Node {
        type Error = Error;
        fn try_from(id: &String) -> Result<Node, Error> {
            Node::new(id.as_str())
        }
    }

    impl From<&Node> for Node {
        fn from(node: &Node) -> Node {
            node.clone()
        }
    }

    /// What an algorithm sees of a node. Slices of entries are in the order of ids, and a position is the node's index.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Entry<'a> {
        pub(crate) id: &'a str,
        /// The node's digest, `nd`.
        pub(crate) digest: u64,
        pub(crate) weight: u32,
        pub(crate) location: &'a [Box<str>],
        pub(crate) tokens: Option<&'a [u64]>,
    }

    impl<'a> Entry<'a> {
        pub(crate) fn new(node: &'a Node, digest: u64) -> Entry<'a> {
            Entry {
                id: node.id(),
                digest,
                weight: node.get_weight(),
                location: node.get_location(),
                tokens: node.get_tokens(),
            }
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    #[test]
    fn rejects_ids_by_rule() {
        for id in ["", "a\0", "\u{1f}", "a\u{7f}b", &"x".repeat(65_536)] {
            assert_eq!(Node::new(id).unwrap_err().code(), "invalid_id");
        }
        for id in [" ", "é", "\u{80}", "𝔘", &"x".repeat(65_535)] {
            assert!(Node::new(id).is_ok());
        }
    }

    #[test]
    fn messages_are_short_and_name_the_limit() {
        let message = Node::new("é".repeat(40_000)).unwrap_err().to_string();
        assert!(message.len() < 300 && message.contains("80000 bytes") && message.contains("65535"), "{message}");
    }

    #[test]
    fn rejects_locations_and_tokens_by_rule() {
        let node = || Node::new("a").unwrap();
        assert_eq!(node().location(["x"; 9]).unwrap_err().code(), "invalid_location");
        assert_eq!(node().location(["x", ""]).unwrap_err().code(), "invalid_location");
        assert!(node().location(["x"; 8]).is_ok());
        assert_eq!(node().tokens([]).unwrap_err().code(), "invalid_tokens");
        assert_eq!(node().tokens([3, 1, 3]).unwrap_err().code(), "invalid_tokens");
        assert_eq!(node().tokens([3, 1]).unwrap().get_tokens(), Some(&[1, 3][..]));
        assert_eq!(node().meta(String::from("r"), "1").meta("r", "2").get_meta().next(), Some(("r", "2")));
    }
}
