//! Questions as results: a server that needs input answers `input_required`, and the client asks again with the answers.

use std::collections::BTreeMap;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::need;
use crate::{
    Adapt, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, EmptyParams, ListRootsParams,
    ListRootsResult, Meta, Method, RawJson, Revision, adapt,
};

options! {
    /// The result that asks for input; since 2026-07-28.
    InputRequired {
        /// The questions by key; the answers come back under the same keys.
        input_requests: InputRequests,
        /// What the client must send back unchanged.
        request_state: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl InputRequired {
    /// Asks one question.
    pub fn one(key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        Self { input_requests: Some(BTreeMap::from([(key.into(), request.into())])), ..Self::default() }
    }
}

setters!(InputRequired { with_request_state => request_state: String, });

/// Questions by key.
pub type InputRequests = BTreeMap<String, InputRequest>;

/// One question to the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// To its model.
    CreateMessage(Box<CreateMessageParams>),
    /// For its roots.
    ListRoots(ListRootsParams),
    /// To the person.
    Elicit(Box<ElicitParams>),
}

impl InputRequest {
    /// Returns the method of the question.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::CreateMessage(_) => Method::CreateMessage,
            Self::ListRoots(_) => Method::ListRoots,
            Self::Elicit(_) => Method::Elicit,
        }
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::CreateMessage(Box::new(params))
    }
}

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        Self::Elicit(Box::new(params))
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("InputRequest", 2)?;
        object.serialize_field("method", self.method().name())?;
        match self {
            Self::CreateMessage(params) => object.serialize_field("params", params)?,
            Self::ListRoots(EmptyParams { meta: None }) => {}
            Self::ListRoots(params) => object.serialize_field("params", params)?,
            Self::Elicit(params) => object.serialize_field("params", params)?,
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Any {
            method: String,
            params: Option<RawJson>,
        }

        let Any { method, params } = Any::deserialize(deserializer)?;
        match Method::from_name(&method) {
            Some(Method::CreateMessage) => need(params, "params")?.read().map(Self::CreateMessage),
            Some(Method::ListRoots) => params.map_or(Ok(EmptyParams::default()), |p| p.read()).map(Self::ListRoots),
            Some(Method::Elicit) => need(params, "params")?.read().map(Self::Elicit),
            _ => Err(serde::de::Error::custom(format_args!("{method:?} is not a question to a client"))),
        }
        .map_err(serde::de::Error::custom)
    }
}

/// Answers by the key of their question.
///
/// An answer does not say what kind it is: whoever asked knows, and reads it with [`InputResponses::read`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(pub BTreeMap<String, RawJson>);

impl InputResponses {
    /// Makes an empty set of answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer.
    pub fn insert(&mut self, key: impl Into<String>, response: impl Into<InputResponse>) {
        self.0.insert(key.into(), response.into().into_raw());
    }

    /// Reads the answer to the question `key`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the answer does not have the form of `T`.
    pub fn read<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<Result<T, serde_json::Error>> {
        self.0.get(key).map(RawJson::read)
    }
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// Of the model.
    CreateMessage(Box<CreateMessageResult>),
    /// The roots.
    ListRoots(ListRootsResult),
    /// Of the person.
    Elicit(ElicitResult),
}

impl From<CreateMessageResult> for InputResponse {
    fn from(result: CreateMessageResult) -> Self {
        Self::CreateMessage(Box::new(result))
    }
}

impl From<ListRootsResult> for InputResponse {
    fn from(result: ListRootsResult) -> Self {
        Self::ListRoots(result)
    }
}

impl From<ElicitResult> for InputResponse {
    fn from(result: ElicitResult) -> Self {
        Self::Elicit(result)
    }
}

impl InputResponse {
    // Answers travel in requests only since the newest revision.
    fn into_raw(self) -> RawJson {
        fn raw<T: Serialize + Adapt>(mut result: T) -> RawJson {
            adapt(&mut result, Revision::LATEST);
            RawJson::new(&result).expect("our own types always serialize")
        }
        match self {
            Self::CreateMessage(result) => raw(result),
            Self::ListRoots(result) => raw(result),
            Self::Elicit(result) => raw(result),
        }
    }
}
