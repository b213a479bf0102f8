//! Every way a call can fail, as JavaScript sees it: an `Error` with the core's code, or the caller's own exception.

use keystead::{Error, ErrorKind};
use napi::bindgen_prelude::JsObjectValue;
use napi::{Env, Status};

use crate::value::Thrown;

/// What ends a call early.
pub(crate) enum Fault {
    /// The core refused: thrown as an `Error` with its code.
    Core(Error),
    /// The caller's own code threw while a value was read: its exception is pending and goes on.
    Thrown,
}

pub(crate) type Fallible<T> = Result<T, Fault>;

impl Fault {
    pub(crate) fn core(kind: ErrorKind, message: impl Into<String>) -> Fault {
        Fault::Core(Error::new(kind, message))
    }

    /// The same fault, said of a place in a list.
    pub(crate) fn at(self, place: &str) -> Fault {
        match self {
            Fault::Core(error) => Fault::core(error.kind(), format!("{place}: {error}")),
            Fault::Thrown => Fault::Thrown,
        }
    }

    /// Throws, and gives the error with which napi ends the call without throwing anything else.
    #[cold]
    pub(crate) fn throw(self, env: Env) -> napi::Error {
        let thrown = match &self {
            Fault::Core(error) => throw_error(env, error),
            Fault::Thrown => Ok(()),
        };
        thrown.err().unwrap_or_else(|| napi::Error::new(Status::PendingException, String::new()))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Core(error)
    }
}

impl From<Thrown> for Fault {
    fn from(_: Thrown) -> Fault {
        Fault::Thrown
    }
}

/// The names with which the core's messages begin, and what they are in JavaScript.
const NAMES: [(&str, &str); 5] = [
    ("owner_at ", "ownerAt "),
    ("slot_owners ", "slotOwners "),
    ("slot_ranking ", "slotRanking "),
    ("slots_of ", "slotsOf "),
    ("tokens_per_weight ", "tokensPerWeight "),
];

/// The message in the words of this package. Of a file it stays as it is: there the members have those names.
fn message(error: &Error) -> String {
    let message = error.to_string();
    if error.position().is_some() {
        return message;
    }
    let renamed = NAMES.iter().find_map(|(core, here)| Some(format!("{here}{}", message.strip_prefix(core)?)));
    renamed.unwrap_or(message)
}

fn throw_error(env: Env, error: &Error) -> napi::Result<()> {
    let mut object = env.create_error(napi::Error::new(Status::GenericFailure, message(error)))?;
    object.set_named_property("code", error.code())?;
    if let Some(position) = error.position() {
        // A line or a column is below the length of a JavaScript string or buffer, so a number holds it.
        object.set_named_property("line", i64::try_from(position.line).unwrap_or(i64::MAX))?;
        object.set_named_property("column", i64::try_from(position.column).unwrap_or(i64::MAX))?;
    }
    env.throw(object)
}
