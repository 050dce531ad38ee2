//! The beginning of sharing.

use std::sync::Arc;
use std::time::Duration;

use jackfield_store::{StoreError, Stores};

use super::{bridge, keys};
use crate::StartError;
use crate::builder::core::Core;

/// How long the stores may take when the server starts.
const START: Duration = Duration::from_secs(5);

/// Begins to share what is to be shared.
pub(crate) async fn start(core: &Arc<Core>, name: &str, stores: &Stores) -> Result<(), StartError> {
    let away = |error: Option<StoreError>| {
        let why = error.as_ref().and_then(std::error::Error::source).map(|why| format!(" ({why})")).unwrap_or_default();
        StartError::new(format!(
            "the store is not available{why}; see whether it runs, and whether its address is right"
        ))
    };
    let started = async {
        stores.check().await?;
        keys::share(core, stores).await?;
        bridge::connect(core, name, stores).await
    };
    match tokio::time::timeout(START, started).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(away(Some(error))),
        Err(_) => Err(away(None)),
    }
}
