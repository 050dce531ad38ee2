//! What belongs to one caller: identity, rates, handles.

pub(crate) mod handles;
pub(crate) mod owner;
pub(crate) mod rates;
