"""Plans of a front end's graph: the settings that they are built of, and their arrays."""
