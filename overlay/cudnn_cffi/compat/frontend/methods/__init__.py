"""The methods of a front end's graph that add operations."""
