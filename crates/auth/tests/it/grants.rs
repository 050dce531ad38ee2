//! Tokens without a user at hand: clients for themselves, assertions, bound tokens.

use std::sync::Arc;

use jackfield_auth::dpop::{Proven, prove};
use jackfield_auth::jose::{Algorithm, Claims, Header, JwkSet, Jws, KeySource, SigningKey};
use jackfield_auth::resource::TokenVerifier as _;
use jackfield_auth::server::{AssertionTarget, Client, KeyRing, TrustedIssuer, Users};
use serde_json::{Value, json};

use crate::town::claims;
use crate::visitor::{ISSUER, NOW, PASSWORD, REDIRECT, RESOURCE, Start, Visitor, server};

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

fn keys_of(key: &SigningKey) -> JwkSet {
    JwkSet { keys: vec![key.public().clone()] }
}

/// Signs with a key of a stranger, under the name of another.
fn forged(key: &SigningKey, typ: &str, claims: &Value) -> String {
    let mut header = Header::new(Algorithm::Es256);
    (header.typ, header.kid) = (Some(typ.to_owned()), Some(key.id().to_owned()));
    SigningKey::generate().unwrap().sign_with(&header, claims).unwrap()
}

/// XCC-001, AUTH-002
#[tokio::test]
async fn a_client_acts_for_itself() {
    let (server, _) = server(|builder| builder);
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE), ("scope", "write")];
    let basic = Visitor::new(&server).basic("robot", "s3cret of the robot").post("/token", &form).await.json();
    let said = claims(basic["access_token"].as_str().unwrap());
    assert_eq!(
        (&said["sub"], &said["scope"], &said["aud"]),
        (&json!("client:robot"), &json!("write"), &json!([RESOURCE]))
    );
    assert!(basic.get("refresh_token").is_none());
    let mut posted = form.to_vec();
    posted.extend([("client_id", "robot"), ("client_secret", "s3cret of the robot")]);
    assert_eq!(Visitor::new(&server).post("/token", &posted).await.status, 200);
    assert_eq!(
        Visitor::new(&server).basic("robot", "s3cret of the robot").post("/token", &posted).await.error(),
        "invalid_request"
    );
    let public = [("grant_type", "client_credentials"), ("client_id", "app")];
    assert_eq!(Visitor::new(&server).post("/token", &public).await.error(), "unauthorized_client");
    assert_eq!(Visitor::new(&server).post("/token", &form).await.error(), "invalid_client");
}

/// XCC-001: assertions of clients, and what is wrong with some.
#[tokio::test]
async fn a_client_signs_who_it_is() {
    let (key, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let client = Client::with_keys("signer", keys_of(&key)).grants(["client_credentials"]);
    let (server, _) = server(|builder| builder.client(client));
    let good = json!({ "iss": "signer", "sub": "signer", "aud": ISSUER, "exp": NOW + 60, "iat": NOW, "jti": "1" });
    let send = async |key: &SigningKey, changes: Value| {
        let mut said = good.clone();
        for (name, value) in changes.as_object().unwrap() {
            said[name] = value.clone();
        }
        let assertion = key.sign("jwt", &said).unwrap();
        let form = [
            ("grant_type", "client_credentials"),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &assertion),
        ];
        Visitor::new(&server).post("/token", &form).await.status
    };
    assert_eq!(send(&key, json!({})).await, 200);
    for (name, changes) in [
        ("used before", json!({})),
        ("another audience", json!({ "jti": "2", "aud": "https://other.example" })),
        ("no audience", json!({ "jti": "3", "aud": [] })),
        ("expired", json!({ "jti": "4", "exp": NOW - 31 })),
        ("valid for a day", json!({ "jti": "5", "exp": NOW + 86_400 })),
        ("another issuer", json!({ "jti": "6", "iss": "robot" })),
        ("another client", json!({ "jti": "7", "iss": "robot", "sub": "robot" })),
        ("not valid yet", json!({ "jti": "8", "nbf": NOW + 60 })),
    ] {
        assert_eq!(send(&key, changes).await, 401, "{name}");
    }
    assert_eq!(send(&other, json!({ "jti": "9" })).await, 401, "another key");
    assert_eq!(send(&key, json!({ "jti": "10", "aud": format!("{ISSUER}/token") })).await, 200);
}

/// XEMA-006, XEMA-007, XEMA-009: identity assertions of an enterprise.
#[tokio::test]
async fn an_identity_provider_vouches_for_a_user() {
    let idp = SigningKey::generate().unwrap();
    let trusted = TrustedIssuer::identity_provider("https://idp.example", Arc::new(keys_of(&idp)));
    let client = Client::with_secret("ema", &"s3cret of ema".into()).grants([JWT_BEARER]);
    let (server, _) = server(|builder| builder.trust(trusted).client(client));
    let good = json!({ "iss": "https://idp.example", "sub": "U1", "aud": ISSUER, "resource": RESOURCE, "client_id": "ema",
        "jti": "1", "exp": NOW + 300, "iat": NOW, "scope": "read" });
    let send = async |typ: &str, changes: Value| {
        let mut said = good.clone();
        for (name, value) in changes.as_object().unwrap() {
            said[name] = value.clone();
        }
        let assertion = idp.sign(typ, &said).unwrap();
        let form = [("grant_type", JWT_BEARER), ("assertion", assertion.as_str())];
        Visitor::new(&server).basic("ema", "s3cret of ema").post("/token", &form).await
    };
    let answer = send("oauth-id-jag+jwt", json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let said = claims(answer.json()["access_token"].as_str().unwrap());
    assert_eq!(
        (&said["sub"], &said["aud"], &said["scope"]),
        (&json!("https://idp.example:U1"), &json!([RESOURCE]), &json!("read"))
    );
    for (name, typ, changes) in [
        ("used before", "oauth-id-jag+jwt", json!({})),
        ("another type", "jwt", json!({ "jti": "2" })),
        ("another server", "oauth-id-jag+jwt", json!({ "jti": "3", "aud": "https://other.example" })),
        ("another client", "oauth-id-jag+jwt", json!({ "jti": "4", "client_id": "robot" })),
        ("no client", "oauth-id-jag+jwt", json!({ "jti": "5", "client_id": null })),
        ("an unknown issuer", "oauth-id-jag+jwt", json!({ "jti": "6", "iss": "https://evil.example" })),
        ("expired", "oauth-id-jag+jwt", json!({ "jti": "7", "exp": NOW - 31 })),
        ("no name", "oauth-id-jag+jwt", json!({ "jti": null })),
        ("no resource", "oauth-id-jag+jwt", json!({ "jti": "8", "resource": null })),
    ] {
        assert_eq!(send(typ, changes).await.error(), "invalid_grant", "{name}");
    }
    let elsewhere = send("oauth-id-jag+jwt", json!({ "jti": "9", "resource": "https://other.example/mcp" })).await;
    assert_eq!(elsewhere.error(), "invalid_target");
    let mut said = good.clone();
    said["jti"] = json!("10");
    let form = [("grant_type", JWT_BEARER), ("assertion", &forged(&idp, "oauth-id-jag+jwt", &said))];
    let answer = Visitor::new(&server).basic("ema", "s3cret of ema").post("/token", &form).await;
    assert_eq!(answer.error(), "invalid_grant", "another key under the same name");
    let form = [("grant_type", JWT_BEARER), ("assertion", &idp.sign("oauth-id-jag+jwt", &said).unwrap())];
    let answer = Visitor::new(&server).basic("ema", "s3cret of ema").post("/token", &form).await;
    assert_eq!(answer.status, 200, "nothing else was wrong with it: {answer:?}");
}

/// XEMA-009: who somebody of the enterprise is here: by their name there, or else by an address that was verified there.
#[tokio::test]
async fn somebody_of_an_enterprise_is_a_user_of_ours() {
    let idp = SigningKey::generate().unwrap();
    let trusted = TrustedIssuer::identity_provider("https://idp.example", Arc::new(keys_of(&idp)))
        .link_subject("U1", "ann")
        .link_email("Bob@example.com", "bob")
        .link_subject("U9", "gone");
    let client = Client::with_secret("ema", &"s3cret of ema".into()).grants([JWT_BEARER]);
    let users = Users::new().unwrap();
    for user in ["ann", "bob"] {
        users.add_user(user, &PASSWORD.into()).unwrap();
    }
    let (server, _) = server(|builder| builder.users(users).trust(trusted).client(client));
    for (number, (about, user)) in [
        (json!({ "sub": "U1" }), Some("ann")),
        (json!({ "sub": "U1", "email": "bob@example.com", "email_verified": true }), Some("ann")),
        (json!({ "sub": "U2", "email": "bob@EXAMPLE.com", "email_verified": true }), Some("bob")),
        (json!({ "sub": "U2", "email": "bob@example.com", "email_verified": "true" }), Some("bob")),
        (json!({ "sub": "U2", "email": "bob@example.com", "email_verified": false }), Some("https://idp.example:U2")),
        (json!({ "sub": "U2", "email": "bob@example.com" }), Some("https://idp.example:U2")),
        (json!({ "sub": "ann" }), Some("https://idp.example:ann")),
        (json!({ "sub": "U9" }), None),
    ]
    .into_iter()
    .enumerate()
    {
        let mut said = json!({ "iss": "https://idp.example", "aud": ISSUER, "resource": RESOURCE, "client_id": "ema",
            "jti": number.to_string(), "exp": NOW + 300, "iat": NOW });
        said.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
        let form = [("grant_type", JWT_BEARER), ("assertion", &idp.sign("oauth-id-jag+jwt", &said).unwrap())];
        let answer = Visitor::new(&server).basic("ema", "s3cret of ema").post("/token", &form).await;
        match user {
            Some(user) => assert_eq!(claims(answer.json()["access_token"].as_str().unwrap())["sub"], user, "{about}"),
            None => assert_eq!(answer.error(), "invalid_grant", "{about}"),
        }
    }
}

/// XEMA-002, XEMA-003, XEMA-004, XEMA-005: the other side, an identity provider of our own.
#[tokio::test]
async fn an_identity_token_is_exchanged_for_an_assertion() {
    let grants = ["authorization_code", "urn:ietf:params:oauth:grant-type:token-exchange"];
    let client = |id: &str| Client::with_secret(id, &"s3cret of sso".into()).redirect_uris([REDIRECT]).grants(grants);
    let target = AssertionTarget::new("https://auth.chat.example")
        .resource("https://mcp.chat.example")
        .scopes("chat")
        .client("sso", "f53f");
    let (server, _) = server(|builder| builder.client(client("sso")).client(client("other")).assert_for(target));
    let mut visitor = Visitor::new(&server);
    let start = Start::new().set("client_id", "sso").set("scope", "openid read").set("nonce", "n1");
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let tokens = visitor.clone().basic("sso", "s3cret of sso").post("/token", &start.redeem(&code)).await.json();
    let identity = tokens["id_token"].as_str().unwrap();
    assert_eq!((&claims(identity)["nonce"], &claims(identity)["aud"]), (&json!("n1"), &json!(["sso"])));
    let exchange = async |who: &str, subject: &str, audience: &str, resource: &str| {
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("subject_token", subject),
            ("audience", audience),
            ("resource", resource),
            ("scope", "chat admin"),
        ];
        Visitor::new(&server).basic(who, "s3cret of sso").post("/token", &form).await
    };
    let (there, resource) = ("https://auth.chat.example", "https://mcp.chat.example");
    let answer = exchange("sso", identity, there, resource).await.json();
    assert_eq!(answer["issued_token_type"], "urn:ietf:params:oauth:token-type:id-jag");
    assert_eq!(
        (&answer["token_type"], &answer["scope"], &answer["expires_in"]),
        (&json!("N_A"), &json!("chat"), &json!(300))
    );
    let assertion = answer["access_token"].as_str().unwrap();
    assert!(Jws::parse(assertion).unwrap().is_typ("oauth-id-jag+jwt"));
    let said: Claims = serde_json::from_value(claims(assertion)).unwrap();
    assert_eq!((said.client_id.as_deref(), said.sub.as_deref()), (Some("f53f"), Some("ann")));
    assert!(
        said.aud.names(there) && said.resource.unwrap().names(resource) && said.jti.is_some() && said.iat.is_some()
    );
    assert_eq!((said.iss.as_deref(), said.exp, said.iat), (Some(ISSUER), Some(NOW + 300), Some(NOW)));
    let ours = Jws::parse(identity).unwrap().header.kid.unwrap();
    let mut header = Header::new(Algorithm::Es256);
    (header.typ, header.kid) = (Some("id+jwt".to_owned()), Some(ours));
    let stranger = SigningKey::generate().unwrap().sign_with(&header, &claims(identity)).unwrap();
    assert_eq!(exchange("sso", &stranger, there, resource).await.error(), "invalid_grant", "another key, our name");
    assert_eq!(exchange("other", identity, there, resource).await.error(), "invalid_grant", "it is of another client");
    assert_eq!(
        exchange("sso", tokens["access_token"].as_str().unwrap(), there, resource).await.error(),
        "invalid_grant"
    );
    assert_eq!(exchange("sso", identity, "https://evil.example", resource).await.error(), "invalid_target");
    assert_eq!(exchange("sso", identity, there, "https://evil.example").await.error(), "invalid_target");
}

/// A program of a trusted cluster gets a token against its own.
#[tokio::test]
async fn a_workload_brings_its_own_identity() {
    let cluster = SigningKey::generate().unwrap();
    let trusted = TrustedIssuer::workload("https://cluster.example", Arc::new(keys_of(&cluster)));
    let (server, _) =
        server(|builder| builder.trust(trusted).client(Client::public("pod", [""; 0]).grants([JWT_BEARER])));
    let said =
        json!({ "iss": "https://cluster.example", "sub": "ns:pod", "aud": ISSUER, "exp": NOW + 300, "iat": NOW });
    let stranger = forged(&cluster, "JWT", &said);
    let form =
        [("grant_type", JWT_BEARER), ("assertion", stranger.as_str()), ("client_id", "pod"), ("resource", RESOURCE)];
    assert_eq!(
        Visitor::new(&server).post("/token", &form).await.error(),
        "invalid_grant",
        "another key, the same name"
    );
    let assertion = cluster.sign("JWT", &said).unwrap();
    let form =
        [("grant_type", JWT_BEARER), ("assertion", assertion.as_str()), ("client_id", "pod"), ("resource", RESOURCE)];
    assert_eq!(Visitor::new(&server).post("/token", &form).await.status, 200);
    assert_eq!(Visitor::new(&server).post("/token", &form).await.error(), "invalid_grant", "once");
}

/// Tokens of a client that proves a key are bound to it, refresh tokens too.
#[tokio::test]
async fn tokens_are_bound_to_a_key() {
    let (server, _) = server(|builder| builder.client(Client::public("bound", [REDIRECT]).dpop_bound()));
    let (key, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let proof =
        |key: &SigningKey, url: &str| prove(key, Proven { method: "POST", url, token: None }, None, NOW).unwrap();
    let url = format!("{ISSUER}/token");
    let mut visitor = Visitor::new(&server);
    let start = Start::new().set("client_id", "bound");
    let code = visitor.obtain(&start).await.param("code").unwrap();
    assert_eq!(visitor.post("/token", &start.redeem(&code)).await.error(), "invalid_dpop_proof", "this client has to");
    let elsewhere = proof(&key, "https://evil.example/token");
    assert_eq!(
        visitor.clone().with("dpop", &elsewhere).post("/token", &start.redeem(&code)).await.error(),
        "invalid_dpop_proof"
    );
    let tokens = visitor.clone().with("dpop", &proof(&key, &url)).post("/token", &start.redeem(&code)).await.json();
    assert_eq!(tokens["token_type"], "DPoP");
    assert_eq!(claims(tokens["access_token"].as_str().unwrap())["cnf"]["jkt"], json!(key.public().thumbprint()));
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", "bound"),
        ("refresh_token", tokens["refresh_token"].as_str().unwrap()),
    ];
    assert_eq!(
        visitor.clone().with("dpop", &proof(&other, &url)).post("/token", &form).await.error(),
        "invalid_dpop_proof"
    );
    assert_eq!(visitor.clone().with("dpop", &proof(&key, &url)).post("/token", &form).await.status, 200);
    assert!(PASSWORD.len() >= 8);
}

/// Old keys are shown until their tokens have expired, and not for ever; new ones before they sign.
#[tokio::test]
async fn keys_are_rotated() {
    let clock = jackfield_auth::Clock::manual(NOW);
    let ring = KeyRing::generate(clock.clone()).unwrap();
    let first = ring.public().keys[0].clone();
    clock.advance(31 * 86_400);
    let after = ring.public();
    assert_eq!(after.keys.len(), 2);
    assert!(after.keys[0] != first && after.keys[1] == first);
    clock.advance(86_401);
    assert_eq!(ring.load().await.unwrap().keys.keys.len(), 1);
    clock.advance(28 * 86_400);
    let before = ring.public();
    assert_eq!((before.keys.len(), &before.keys[0]), (2, &after.keys[0]), "the next key is shown, the old one signs");
    clock.advance(86_400);
    assert_eq!(ring.public().keys[0], before.keys[1], "what was shown signs now");
}

/// Tokens that live for longer than a day are good to their end, whatever key signs meanwhile.
#[tokio::test]
async fn keys_are_shown_as_long_as_their_tokens_live() {
    let (server, clock) = server(|builder| builder.lifetimes(|life| life.access = 3 * 86_400));
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let token = Visitor::new(&server).basic("robot", "s3cret of the robot").post("/token", &form).await.json();
    server.keys().rotate_to(SigningKey::generate().unwrap());
    clock.advance(2 * 86_400);
    assert!(server.verifier().verify(token["access_token"].as_str().unwrap()).await.is_ok());
}
