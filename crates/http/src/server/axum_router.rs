//! The endpoint as an axum router.

use axum::Router;

use crate::StreamableService;

/// Makes a router that serves the paths of the service's configuration.
///
/// Merge it into an application; its middleware may put a [`jackfield_peer::Principal`] and other values into the request's
/// extensions.
pub fn router(service: StreamableService) -> Router {
    let config = service.config().clone();
    let sse = config.sse.into_iter().flat_map(|paths| [paths.stream, paths.message]);
    let paths = std::iter::once(config.path).chain(sse).chain(config.health_path);
    paths.fold(Router::new(), |router, path| router.route_service(&path, service.clone()))
}
