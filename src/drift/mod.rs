//! The shapes of messages: which members they have and of which types, without any value. Compares those that were seen with those of
//! the fixtures, from which the adapters were written.

mod compare;
mod fixtures;
mod placeholder;
mod seen;
mod shape;

pub(crate) use compare::{DriftKind, MessageDrift, compare};
pub(crate) use placeholder::placeholder;
pub(crate) use seen::{record, seen, shapes_file};
pub(crate) use shape::MessageShape;
