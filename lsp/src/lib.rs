//! The editor door: the findings of the engine in the Language Server Protocol.
