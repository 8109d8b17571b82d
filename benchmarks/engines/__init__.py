"""The engine database: each engine's time, workspace, error and determinism, for many shapes."""
