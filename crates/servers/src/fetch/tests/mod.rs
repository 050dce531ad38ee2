//! Pages of a site on this machine, as a model gets them.

mod attacks;
mod pages;
mod site;
