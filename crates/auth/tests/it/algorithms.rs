//! Every algorithm by which tokens may be signed: published examples, and signatures of another implementation.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jackfield_auth::jose::{Algorithm, Header, Jwk, Jws};
use ring::rand::SystemRandom;
use ring::signature::{
    self, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaEncoding, RsaKeyPair,
};
use serde_json::json;

/// The example of RFC 7515, appendix A.2.
const RS256: &str = concat!(
    "eyJhbGciOiJSUzI1NiJ9",
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
    ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5",
    "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB",
    "_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIh",
    "WkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
);
const RS256_MODULUS: &str = concat!(
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR",
    "T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2",
    "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
);

/// The example of RFC 8037, appendix A.4.
const EDDSA: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

/// An RSA key of 2048 bits that is used nowhere else, in PKCS#8.
const RSA: &str = concat!(
    "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCzyG78AL1URwDX6wCGoeIaMLma7Bs0kV/lwzKz3uWABIFiQfvVbj6ztzGzJ0q9W1Wo0j",
    "AV/XUionzXi7Ap5AQvGFPn9Fq0TI37XFJSVDUT7+8WDUhc0gIORs5zL74INw4fOoPf+KSHIU5Xta+wdbJlbbv+70t/KDLzQ64UnUZpUpWjPFO8D0CCKE1z",
    "00WJtKkMr+jSW8q3lOLXniPk8GQqtWfITsWNx1Rse6G2j4z5wQfStqlLYd5ew6u1kslZJnk6Opbsv4lVY0XA+sk0LfSUrPKHonjrAH2wYaloi+KC9bxZUe",
    "JZc1QVYDt1ivyh6ZUc+mNZBuxi6TTirAVn37U3AgMBAAECggEAAIJ7KUTwEUYZdYNADCGqj28/h3XpGdWm4CYU7B4GQb4OU9kvpDCpn6U16dxQDogswcuR",
    "9Iea0zW2UhiEr/AdwIU6iUTP4QT6it59iUHRDxs2CINfIIw9eNoW8CXcs9wPTGPER4ustu/CouY4w+Pn7pIVRcLBHXCSvGfSHYYL0ttpqYYE93q46HnwGb",
    "HdSgNm1RXmiyXhgLQdybI2rdwW2QTAbYv8SwvzGz8SfdzadmKSgD2M5luNUG0H4M/HSTvyEQakvJ+AUqu1+LKHgjK+VqftjAJxzo/7ze5JeXCESRfHkeYz",
    "cgD5/qZa/QJkZyc2KBA71r/StR4TrHSZ3UP+iQKBgQDk9dEPdlyrd4eZv+HxgTdP+/8PHs4fKLzPHiK2JFKXUVdyCkcnXYwgliwkskYbso/IE8UsqX0oUZ",
    "9fpw9Bk1LtkNj8VOIP2NOsGalPgdLTiwi67r3Q5qtdW5Zx4iKWmNmGjLuRwP+Jll2+5MPkqZUyly467QhFnaVQEiuO1veoRQKBgQDJA9WCsH6Egm9obbjc",
    "DibB73Cah7R0d2UKVo1f34X0GzpZFeqg5lIjlZUEIh+o46phEl5q2O9b+NNpwmE5xTtLfoRgW3bDYGgi36uTsxxjLIv2pmhaktAS8kqFVeyRnoQC/JNcKa",
    "UegdWEVHSux4jd316eHIvwJxzGmHWNEhDVSwKBgHgMExNiYfBdebG5lAQGVjQP0onhAv3/ZA/MozKRFOTV912J2gjf2ar0UizjdDLtisnC4+0o6MCNG10R",
    "wMQHNMHu4nZbIzRf4Ywo4EcZsKrOCUPKDahMaalHbjhD8xK3DcaoX2hqoxFGz9xZIgTwjZO7BLhMs7ucjqLPBBuexrdpAoGBALxjJ3qvxiKRy69nBVTWvm",
    "QK7tEkVW7BZqRlsWEkrvmzet96tsXMlTZcPaf+AwXZOBh5iptAbDMZ46i+TzhBK+z4yT80+PzqIS5tyPNHbVdUrGegVTRtWywmfsivWmKu2LGj3McHEISi",
    "0WSPcjtLLW4ipR4xSsTrIwDMaX6oa7Y5AoGBAOCKM895h1TfAo9puWUjgX+VGhaPPiDRLJ9v1uNAU5inPDb31pacnckn9uj5MKg7DRCfGiqkG6ykuEokom",
    "vPhfxJHAPVRGr9kKyRASDZ7oqWfAxdUIuzdyVGFo+zUMn0IIcbevvr1hkc53oUXRoNYfnvodG+9y8T1u59SGS090c1",
);

#[track_caller]
fn key(json: serde_json::Value) -> Jwk {
    serde_json::from_value(json).unwrap()
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Takes a signature when it fits, and not when a bit of it, or of what was signed, is another.
#[track_caller]
fn check(algorithm: Algorithm, key: &Jwk, sign: impl FnOnce(&[u8]) -> Vec<u8>) {
    let header = serde_json::to_vec(&Header::new(algorithm)).unwrap();
    let message = format!("{}.{}", encoded(header), encoded(b"payload"));
    let mut signature = sign(message.as_bytes());
    let token = |signature: &[u8]| format!("{message}.{}", encoded(signature));
    let whole = token(&signature);
    assert_eq!(Jws::parse(&whole).unwrap().verify(key), Ok(b"payload".as_slice()), "{algorithm:?}");
    let last = signature.len() / 2;
    signature[last] ^= 1;
    assert!(Jws::parse(&token(&signature)).unwrap().verify(key).is_err(), "{algorithm:?}: another signature");
    let other = whole.replacen(&encoded(b"payload"), &encoded(b"pay1oad"), 1);
    assert!(Jws::parse(&other).unwrap().verify(key).is_err(), "{algorithm:?}: another payload");
}

#[test]
fn the_published_examples_fit() {
    let rsa = key(json!({ "kty": "RSA", "n": RS256_MODULUS, "e": "AQAB" }));
    assert!(Jws::parse(RS256).unwrap().verify(&rsa).unwrap().starts_with(br#"{"iss":"joe""#));
    let ed = key(json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }));
    assert_eq!(Jws::parse(EDDSA).unwrap().verify(&ed), Ok(b"Example of Ed25519 signing".as_slice()));
    // A key of another kind, and one without its number.
    assert!(Jws::parse(RS256).unwrap().verify(&ed).is_err());
    assert!(Jws::parse(RS256).unwrap().verify(&key(json!({ "kty": "RSA", "e": "AQAB" }))).is_err());
}

#[test]
fn rsa_signatures_are_checked_in_all_six_ways() {
    let pair = RsaKeyPair::from_pkcs8(&STANDARD.decode(RSA).unwrap()).unwrap();
    let public = signature::RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
    // Some servers send a leading zero, as other formats need it.
    let padded = [&[0], &*public.n].concat();
    let ways: [(Algorithm, &dyn RsaEncoding); 6] = [
        (Algorithm::Rs256, &signature::RSA_PKCS1_SHA256),
        (Algorithm::Rs384, &signature::RSA_PKCS1_SHA384),
        (Algorithm::Rs512, &signature::RSA_PKCS1_SHA512),
        (Algorithm::Ps256, &signature::RSA_PSS_SHA256),
        (Algorithm::Ps384, &signature::RSA_PSS_SHA384),
        (Algorithm::Ps512, &signature::RSA_PSS_SHA512),
    ];
    for n in [&*public.n, &padded] {
        let key = key(json!({ "kty": "RSA", "n": encoded(n), "e": encoded(&public.e) }));
        for (algorithm, way) in ways {
            check(algorithm, &key, |message| {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(way, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            });
        }
    }
}

#[test]
fn signatures_on_the_other_curves_are_checked() {
    let random = SystemRandom::new();
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, made.as_ref(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(48);
    let p384 = key(json!({ "kty": "EC", "crv": "P-384", "x": encoded(x), "y": encoded(y) }));
    check(Algorithm::Es384, &p384, |message| pair.sign(&random, message).unwrap().as_ref().to_vec());
    let ed = Ed25519KeyPair::from_pkcs8(Ed25519KeyPair::generate_pkcs8(&random).unwrap().as_ref()).unwrap();
    let public = key(json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(ed.public_key()) }));
    check(Algorithm::EdDsa, &public, |message| ed.sign(message).as_ref().to_vec());
}

/// RFC 9864 gave an algorithm a second name. Names are exact, and whatever is not known is not accepted.
#[test]
fn algorithms_are_known_by_their_names() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::from_name(algorithm.name()), Some(*algorithm));
    }
    assert_eq!(Algorithm::from_name("Ed25519"), Some(Algorithm::EdDsa));
    for name in ["none", "HS256", "rs256", "", "Ed448"] {
        assert_eq!(Algorithm::from_name(name), None, "{name}");
    }
    let message = format!("{}.{}", encoded(r#"{"alg":"none"}"#), encoded(b"payload"));
    assert!(Jws::parse(&format!("{message}.")).is_err());
}
