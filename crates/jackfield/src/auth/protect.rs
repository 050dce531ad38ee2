//! What callers of a server have to be allowed.

use std::sync::Arc;

use http::request::Parts;
use jackfield_auth::Scopes as ScopeSet;
use jackfield_auth::resource::{Authorized, Operation, ScopeRules};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::error::code;
use jackfield_protocol::{ListenParams, Method, Reference};
use jackfield_server::{Cx, Item, Server};

use crate::middleware::Incoming;
use crate::{Caller, ErrorObject};

/// Says what callers of a server have to be allowed.
pub trait Protect {
    /// Enforces rules: what a caller's token does not allow is neither done nor listed.
    ///
    /// A request over HTTP that no [`ResourceServer`](crate::auth::resource::ResourceServer) let in has no scopes at all. Other transports
    /// have no tokens; who starts a server on standard input and output may use all of it.
    #[must_use]
    fn protect(self, rules: ScopeRules) -> Self;
}

impl Protect for Server {
    fn protect(self, rules: ScopeRules) -> Self {
        let rules = Arc::new(rules);
        let shown = rules.clone();
        self.visible_to(move |caller, item| is_shown(&shown, caller, item)).middleware(move |mut incoming, next| {
            let checked = check(&rules, &mut incoming);
            async move {
                checked?;
                next.run(incoming).await
            }
        })
    }
}

/// What a handler can find out about the token of its request.
pub trait AuthContext {
    /// Returns what the request is authorized by; none on transports without tokens. [`Cx::auth`] says only who it is.
    fn authorized(&self) -> Option<Authorized>;
}

impl AuthContext for Cx {
    fn authorized(&self) -> Option<Authorized> {
        self.extension::<Authorized>().cloned()
    }
}

fn is_shown(rules: &ScopeRules, caller: &Caller, item: Item<'_>) -> bool {
    let Some(scopes) = &caller.scopes else { return true };
    let granted: ScopeSet = scopes.iter().cloned().collect();
    match item {
        Item::Tool(name) => rules.permits(&granted, Operation::Tool(name)),
        Item::Prompt(name) => rules.permits(&granted, Operation::Prompt(name)),
        Item::Resource(uri) | Item::Template(uri) => rules.permits(&granted, Operation::Resource(uri)),
        _ => false,
    }
}

/// Checks a request after it was read and before anything handles it.
fn check(rules: &ScopeRules, incoming: &mut Incoming) -> Result<(), ErrorObject> {
    let Some(head) = incoming.extensions.get::<Parts>() else { return Ok(()) };
    let authorized = head.extensions.get::<Authorized>();
    let granted = authorized.map(|authorized| authorized.scopes().clone()).unwrap_or_default();
    let needed = needed(rules, incoming)?;
    if !rules.allows(&granted, &needed) {
        if let Some(authorized) = authorized {
            authorized.demand(&needed);
        }
        let message = format!("this needs the scopes {needed}");
        let data = serde_json::json!({ "error": "insufficient_scope", "scope": needed.to_string() });
        return Err(ErrorObject::new(code::FORBIDDEN, message).with_data(data));
    }
    let mut caller = Caller::clone(&incoming.caller);
    caller.scopes = Some(granted.iter().map(str::to_owned).collect());
    incoming.caller = Arc::new(caller);
    Ok(())
}

/// Returns all scopes that a request needs: those of its method, and of everything it names.
fn needed(rules: &ScopeRules, incoming: &Incoming) -> Result<ScopeSet, ErrorObject> {
    let params = &incoming.params;
    let of_method = rules.needed(Operation::Method(incoming.method.as_str()));
    let MethodName::Known(method) = incoming.method else { return Ok(of_method) };
    let of_target = match method {
        Method::CallTool => rules.needed(Operation::Tool(&params.string("name")?)),
        Method::GetPrompt => rules.needed(Operation::Prompt(&params.string("name")?)),
        Method::ReadResource | Method::Subscribe | Method::Unsubscribe => {
            rules.needed(Operation::Resource(&params.string("uri")?))
        }
        Method::Complete => match params.member::<Reference>("ref")? {
            Some(Reference::Prompt(prompt)) => rules.needed(Operation::Prompt(&prompt.name)),
            Some(Reference::Resource(resource)) => rules.needed(Operation::Resource(&resource.uri)),
            _ => ScopeSet::none(),
        },
        Method::Listen => {
            let asked: ListenParams = params.decode()?;
            let resources = asked.notifications.resource_subscriptions.unwrap_or_default();
            resources.iter().fold(ScopeSet::none(), |all, uri| all.union(&rules.needed(Operation::Resource(uri))))
        }
        _ => ScopeSet::none(),
    };
    Ok(of_method.union(&of_target))
}
