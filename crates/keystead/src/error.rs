//! What can go wrong, with a stable code for each.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, string::String};
use core::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident => $code:literal,)*) => {
        /// The kind of an [`Error`]; its [`code`](ErrorKind::code) is the same text in every language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of the specification.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant,)*];

            /// The stable code: lower snake case, never changed and never reused.
            pub const fn code(self) -> &'static str {
                match self { $(ErrorKind::$variant => $code,)* }
            }
        }
    };
}

kinds! {
    /// No node can answer: none given, all drained, or all excluded.
    NoNodes => "no_nodes",
    /// More than 2^20 nodes.
    TooManyNodes => "too_many_nodes",
    /// An id is given twice.
    DuplicateNode => "duplicate_node",
    /// A change or a question names a node that is not in the cluster.
    UnknownNode => "unknown_node",
    /// An id is empty, longer than 65,535 bytes, or holds a control character.
    InvalidId => "invalid_id",
    /// A weight is not an integer from 0 to 2^32 − 1, or not 0 or 1 where explicit tokens are given.
    InvalidWeight => "invalid_weight",
    /// A location has more than 8 texts, or one that breaks the rules of an id.
    InvalidLocation => "invalid_location",
    /// A location is too short for the asked level, or locations differ in depth where they must not.
    UnevenLocations => "uneven_locations",
    /// Explicit tokens are empty, repeated, outside the space, or given by some nodes only.
    InvalidTokens => "invalid_tokens",
    /// Two nodes give the same explicit token.
    TokenCollision => "token_collision",
    /// More than 2^26 tokens.
    TooManyTokens => "too_many_tokens",
    /// Two nodes, or two sibling domains, have the same digest.
    DigestCollision => "digest_collision",
    /// Text is not well-formed Unicode.
    InvalidText => "invalid_text",
    /// A value cannot be a key.
    InvalidKey => "invalid_key",
    /// A parameter is unknown, out of range, or belongs to another algorithm.
    InvalidParameter => "invalid_parameter",
    /// The hash needs a secret and none is given.
    MissingSecret => "missing_secret",
    /// A secret is given and the hash uses none.
    UnexpectedSecret => "unexpected_secret",
    /// More replicas are asked for than there are nodes to answer.
    NotEnoughNodes => "not_enough_nodes",
    /// More replicas are asked for than there are distinct domains.
    NotEnoughDomains => "not_enough_domains",
    /// The algorithm cannot do this.
    Unsupported => "unsupported",
    /// A file is not in the form of the specification.
    InvalidFile => "invalid_file",
    /// A file is of another version of the specification.
    UnsupportedVersion => "unsupported_version",
    /// A file carries an older epoch than the one in force.
    StaleEpoch => "stale_epoch",
    /// A file carries the epoch in force and another description.
    EpochConflict => "epoch_conflict",
}

/// Where in a file an error was found: both from 1, lines end at LF, columns are counted in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

// Without an allocator a message cannot hold the offending value, so it says the rule only.
#[cfg(feature = "alloc")]
type Message = Box<str>;
#[cfg(not(feature = "alloc"))]
type Message = &'static str;

/// An error: its [`kind`](Error::kind), and a message that names the offending value and the limit.
///
/// A message never holds a secret. Its wording may change; the [`code`](Error::code) does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Message,
    position: Option<Position>,
}

impl Error {
    /// An error of this kind. Fronts use it for what only they can see, such as an integer wider than 64 bits.
    #[cfg(feature = "alloc")]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into().into_boxed_str(), position: None }
    }

    /// The same rule in words without the value, for builds that have no allocator.
    pub(crate) fn fixed(kind: ErrorKind, message: &'static str) -> Error {
        #[expect(clippy::useless_conversion, reason = "Message is a Box<str> with the alloc feature")]
        Error { kind, message: message.into(), position: None }
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
        f.write_str(&self.message)
    }
}

impl core::error::Error for Error {}

// What cannot fail converts into anything: it lets a list of nodes and a list of names go through one door.
impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Error {
        match never {}
    }
}

/// Builds an [`Error`] whose message is formatted where there is an allocator, and the bare rule where there is none.
macro_rules! error {
    ($kind:ident, $rule:literal) => {
        $crate::error::Error::fixed($crate::error::ErrorKind::$kind, $rule)
    };
    ($kind:ident, $rule:literal, $($format:tt)+) => {{
        #[cfg(feature = "alloc")]
        { $crate::error::Error::new($crate::error::ErrorKind::$kind, alloc::format!($($format)+)) }
        #[cfg(not(feature = "alloc"))]
        { $crate::error::Error::fixed($crate::error::ErrorKind::$kind, $rule) }
    }};
}
pub(crate) use error;
