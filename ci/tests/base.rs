//! The commit to compare with, over real repositories.

#[path = "support/repository.rs"]
mod repository;
