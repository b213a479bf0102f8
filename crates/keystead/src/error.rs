//! What can go wrong, with a stable code for each.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, string::String};
use core::fmt;

macro_rules! kinds {
    ($($variant:ident, $code:literal, $meaning:literal;)*) => {
        /// The kind of an [`Error`]; its [`code`](ErrorKind::code) is the same text in every language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(#[doc = $meaning] $variant,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of the specification.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant,)*];

            /// The stable code: lower snake case, never changed and never reused.
            pub const fn code(self) -> &'static str {
                match self { $(ErrorKind::$variant => $code,)* }
            }

            /// What is wrong, without the offending value.
            pub const fn meaning(self) -> &'static str {
                match self { $(ErrorKind::$variant => $meaning,)* }
            }
        }
    };
}

kinds! {
    NoNodes, "no_nodes", "no node can answer: none given, all drained, or all excluded";
    TooManyNodes, "too_many_nodes", "more than 2^20 nodes";
    DuplicateNode, "duplicate_node", "an id is given twice";
    UnknownNode, "unknown_node", "a change or a question names a node that is not in the cluster";
    InvalidId, "invalid_id", "an id is empty, longer than 65,535 bytes, or holds a control character";
    InvalidWeight, "invalid_weight", "a weight is not an integer from 0 to 2^32 − 1, or not 0 or 1 where explicit tokens are given";
    InvalidLocation, "invalid_location", "a location has more than 8 texts, or one that breaks the rules of an id";
    UnevenLocations, "uneven_locations", "a location is too short for the asked level, or locations differ in depth where they must not";
    InvalidTokens, "invalid_tokens", "explicit tokens are empty, repeated, outside the space, or given by some nodes only";
    TokenCollision, "token_collision", "two nodes give the same explicit token";
    TooManyTokens, "too_many_tokens", "more than 2^26 tokens";
    DigestCollision, "digest_collision", "two nodes, or two sibling domains, have the same digest";
    InvalidText, "invalid_text", "text is not well-formed Unicode";
    InvalidKey, "invalid_key", "a value cannot be a key";
    InvalidParameter, "invalid_parameter", "a parameter is unknown, out of range, or belongs to another algorithm";
    MissingSecret, "missing_secret", "the hash needs a secret and none is given";
    UnexpectedSecret, "unexpected_secret", "a secret is given and the hash uses none";
    NotEnoughNodes, "not_enough_nodes", "more replicas are asked for than there are nodes to answer";
    NotEnoughDomains, "not_enough_domains", "more replicas are asked for than there are distinct domains";
    Unsupported, "unsupported", "the algorithm cannot do this";
    InvalidFile, "invalid_file", "a file is not in the form of the specification";
    UnsupportedVersion, "unsupported_version", "a file is of another version of the specification";
    StaleEpoch, "stale_epoch", "a file carries an older epoch than the one in force";
    EpochConflict, "epoch_conflict", "a file carries the epoch in force and another description";
}

/// Where in a file an error was found: both from 1, lines end at LF, columns are counted in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// An error: its [`kind`](Error::kind), and a message that names the offending value and the limit.
///
/// A message never holds a secret. Its wording may change; the [`code`](Error::code) does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    // Without an allocator there is no room for the offending value, and the message is the kind's meaning.
    #[cfg(feature = "alloc")]
    message: Box<str>,
    position: Option<Position>,
}

impl Error {
    /// An error of this kind. Fronts use it for what only they can see, such as an integer wider than 64 bits.
    #[cfg(feature = "alloc")]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into().into_boxed_str(), position: None }
    }

    /// An error of this kind, whose message is the kind's meaning.
    #[cfg(not(feature = "alloc"))]
    pub const fn new(kind: ErrorKind) -> Error {
        Error { kind, position: None }
    }

    /// The same error, said of a place in a file; the message names the place.
    #[cfg(feature = "json")]
    pub(crate) fn at(self, line: u64, column: u64) -> Error {
        if self.position.is_some() {
            return self;
        }
        let message = alloc::format!("{} (line {line}, column {column})", self.message).into_boxed_str();
        Error { kind: self.kind, message, position: Some(Position { line, column }) }
    }

    /// What kind of error this is.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The stable code of the kind, the same in every language.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The place in the file, for an error in one.
    pub const fn position(&self) -> Option<Position> {
        self.position
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "alloc")]
        let message = &*self.message;
        #[cfg(not(feature = "alloc"))]
        let message = self.kind.meaning();
        f.write_str(message)
    }
}

impl core::error::Error for Error {}

// What cannot fail converts into anything: it lets a list of nodes and a list of names go through one door.
impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Error {
        match never {}
    }
}

/// Builds an [`Error`] with a formatted message; where there is no allocator the values are looked at and dropped.
macro_rules! error {
    ($kind:ident, $($format:tt)+) => {{
        #[cfg(feature = "alloc")]
        let error = $crate::error::Error::new($crate::error::ErrorKind::$kind, alloc::format!($($format)+));
        #[cfg(not(feature = "alloc"))]
        let error = {
            let _ = format_args!($($format)+);
            $crate::error::Error::new($crate::error::ErrorKind::$kind)
        };
        error
    }};
}
pub(crate) use error;
