//! The types that a person can be asked for.

use std::any::{TypeId, type_name};
use std::collections::BTreeMap;
use std::sync::Arc;

use jackfield_protocol::{ElicitParams, ElicitSchema, InputRequest, JsonObject, PrimitiveSchema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{QuestionError, form_schema};
use crate::sync::RwLock;

/// The field of a form that asks for a single value.
const VALUE: &str = "value";

/// What [`Cx::elicit`](crate::Cx::elicit) can ask a person for: `bool`, `String`, numbers, and types of your own that derive it.
///
/// `#[derive(Form)]` goes beside `Deserialize` and `JsonSchema`, on a struct, on an enum without fields, or on a tuple struct around one
/// value. Forms are flat: each field of a struct is a [`FormField`], which is checked when the struct is compiled.
#[diagnostic::on_unimplemented(
    message = "a person cannot be asked for `{Self}`",
    label = "does not implement `Form`",
    note = "a form is `bool`, `String`, a number, or a type of your own with `#[derive(Deserialize, JsonSchema, Form)]`"
)]
pub trait Form: DeserializeOwned + JsonSchema + 'static {
    /// How values of the type travel.
    #[doc(hidden)]
    const LAYOUT: FormLayout;

    /// Makes the question for [`Cx::ask_all`](crate::Cx::ask_all); [`Answers::form`](crate::Answers::form) reads the answer.
    ///
    /// # Errors
    /// The type has a hand-written `JsonSchema` that does not describe a form.
    fn question(message: impl Into<String>) -> Result<InputRequest, QuestionError> {
        let message = message.into();
        let bad = |problem| QuestionError::BadQuestion { key: type_name::<Self>().to_owned(), problem };
        let schema = schema::<Self>(&message).map_err(bad)?;
        Ok(ElicitParams::form(message, schema).into())
    }
}

/// What can be a field of a [`Form`]: `bool`, `String`, `char`, numbers, enums without fields and tuple structs around one value that
/// derive [`Form`], a `Vec` of such enums, and an `Option` of any of these. `#[derive(Form)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "forms are flat: this is no single value",
    note = "a field is a `bool`, a `String`, a number, an enum without fields that derives `Form`, a `Vec` of such an enum, or an `Option` of one of these"
)]
pub trait FormField {}

/// What a person can choose several of in a [`Form`]: enums without fields that derive [`Form`], as `Vec<T>`.
#[diagnostic::on_unimplemented(
    message = "a form cannot have a list of `{Self}`",
    label = "the items are no choices",
    note = "a list in a form is a `Vec` of an enum without fields that derives `Form`"
)]
pub trait FormChoice {}

/// How values of a type travel in the answer to a form.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormLayout {
    /// Each field of the type is one of the form.
    Fields,
    /// The form has one field, which is the value: the protocol has forms that are objects only.
    Value,
}

macro_rules! values {
    ($($value:ty),*) => {
        $(
            impl Form for $value {
                const LAYOUT: FormLayout = FormLayout::Value;
            }

            impl FormField for $value {}
        )*
    };
}

values!(bool, char, String, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

impl<T: FormChoice + DeserializeOwned + JsonSchema + 'static> Form for Vec<T> {
    const LAYOUT: FormLayout = FormLayout::Value;
}

impl<T: FormChoice> FormField for Vec<T> {}

impl<T: FormField> FormField for Option<T> {}

/// Returns the form of a type. The title of a single value is the message.
pub(super) fn schema<T: Form>(message: &str) -> Result<ElicitSchema, String> {
    let mut schema = ElicitSchema::clone(&*shared_schema::<T>()?);
    if let (FormLayout::Value, Some((_, field))) = (T::LAYOUT, schema.properties.first_mut()) {
        set_title(field, message);
    }
    Ok(schema)
}

/// Returns the form of a type, made at the first call for that type: a handler that asks runs once per round.
fn shared_schema<T: Form>() -> Result<Arc<ElicitSchema>, String> {
    static KNOWN: RwLock<BTreeMap<TypeId, Arc<ElicitSchema>>> = RwLock::new(BTreeMap::new());
    if let Some(known) = KNOWN.read().get(&TypeId::of::<T>()) {
        return Ok(known.clone());
    }
    let schema = Arc::new(match T::LAYOUT {
        FormLayout::Fields => form_schema::of_struct::<T>()?,
        FormLayout::Value => ElicitSchema::new().with_required(VALUE, form_schema::of_value::<T>()?),
    });
    KNOWN.write().insert(TypeId::of::<T>(), schema.clone());
    Ok(schema)
}

/// Reads what was filled in.
pub(super) fn read<T: Form>(mut content: JsonObject) -> Result<T, serde_json::Error> {
    serde_json::from_value(match T::LAYOUT {
        FormLayout::Fields => content.into(),
        FormLayout::Value => content.remove(VALUE).unwrap_or_default(),
    })
}

fn set_title(field: &mut PrimitiveSchema, title: &str) {
    let slot = match field {
        PrimitiveSchema::String(field) => &mut field.title,
        PrimitiveSchema::Number(field) => &mut field.title,
        PrimitiveSchema::Boolean(field) => &mut field.title,
        PrimitiveSchema::SingleSelect(field) => &mut field.title,
        PrimitiveSchema::MultiSelect(field) => &mut field.title,
        _ => return,
    };
    *slot = Some(title.to_owned());
}
