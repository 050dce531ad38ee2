//! The macros that declare the wire types: one line per member, required members first.

/// Declares a type with required members (before the `;`) and optional ones (after it), and `new` for the required ones.
macro_rules! model {
    (
        $(#[$doc:meta])*
        $name:ident {
            $( $(#[$req_attr:meta])* $req:ident : $req_type:ty, )+
            $( ; $( $(#[$opt_attr:meta])* $opt:ident : $opt_type:ty, )* )?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$req_attr])* pub $req: $req_type, )+
            $($(
                $(#[$opt_attr])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $opt: Option<$opt_type>,
            )*)?
        }

        impl $name {
            #[doc = concat!("Makes a `", stringify!($name), "` of its required members; the optional ones are absent.")]
            pub fn new($( $req: impl Into<$req_type> ),+) -> Self {
                Self { $( $req: $req.into(), )+ $($( $opt: None, )*)? }
            }
        }
    };
}

/// Declares a type as [`model!`] does, that keeps the members that it does not know: what servers offer and say, which is passed on.
/// `[type]` after the name says that a tag named `type` stands beside the members, and is none of them.
macro_rules! open_model {
    (
        $(#[$doc:meta])*
        $name:ident $([$tag:ident])? {
            $( $(#[$req_attr:meta])* $req:ident : $req_type:ty, )+
            $( ; $( $(#[$opt_attr:meta])* $opt:ident : $opt_type:ty, )* )?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$req_attr])* pub $req: $req_type, )*
            $($(
                $(#[$opt_attr])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $opt: Option<$opt_type>,
            )*)?
            /// Members that this library does not know.
            #[serde(flatten, skip_serializing_if = "crate::OtherMembers::is_empty")]
            pub other: crate::OtherMembers,
        }

        impl $name {
            #[doc = concat!("Makes a `", stringify!($name), "` of its required members; the optional ones are absent.")]
            pub fn new($( $req: impl Into<$req_type> ),+) -> Self {
                Self { $( $req: $req.into(), )* $($( $opt: None, )*)? other: crate::OtherMembers::default() }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Known {
                    $( $(#[$req_attr])* $req: $req_type, )*
                    $($(
                        $(#[$opt_attr])*
                        #[serde(default)]
                        $opt: Option<$opt_type>,
                    )*)?
                    $(
                        #[serde(default, rename = "type")]
                        #[expect(dead_code, reason = "the tag was read before this type was chosen")]
                        $tag: Option<serde::de::IgnoredAny>,
                    )?
                }

                let (known, other) = crate::other_members::capture::<Known, D>(deserializer)?;
                Ok(Self { $( $req: known.$req, )* $($( $opt: known.$opt, )*)? other })
            }
        }
    };
}

/// Declares a type whose members are all optional; it implements `Default`.
macro_rules! options {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$attr:meta])* $field:ident : $type:ty, )* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$attr])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }
    };
}

/// Declares a type as [`options!`] does, that keeps the members that it does not know.
macro_rules! open_options {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$attr:meta])* $field:ident : $type:ty, )* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$attr])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// Members that this library does not know.
            #[serde(flatten, skip_serializing_if = "crate::OtherMembers::is_empty")]
            pub other: crate::OtherMembers,
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Known {
                    $(
                        $(#[$attr])*
                        #[serde(default)]
                        $field: Option<$type>,
                    )*
                }

                let (known, other) = crate::other_members::capture::<Known, D>(deserializer)?;
                Ok(Self { $( $field: known.$field, )* other })
            }
        }
    };
}

/// Declares an enumeration of fixed strings.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$attr:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name { $( $(#[$attr])* #[serde(rename = $word)] $variant, )+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// Returns the word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// Adds `with_…` methods that set optional members.
macro_rules! setters {
    ($name:ident { $( $setter:ident => $field:ident : $type:ty, )+ }) => {
        impl $name {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                #[must_use]
                pub fn $setter(mut self, $field: impl Into<$type>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )+
        }
    };
}
