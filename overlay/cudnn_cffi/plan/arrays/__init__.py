"""Arrays of other libraries: their streams, allocation and memory layout."""
