//! The agent door: the engine's checks and the project's memory over the Model Context Protocol.
