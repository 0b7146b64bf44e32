//! The command line and pull-request door.
