"""The copy of a model, its state, and its computation as a graph."""
