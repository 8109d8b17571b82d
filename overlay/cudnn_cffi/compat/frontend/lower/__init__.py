"""Turn a recorded graph of the front end into a `Graph`."""
