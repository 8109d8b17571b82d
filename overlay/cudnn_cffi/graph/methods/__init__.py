"""The methods of `Graph`, by kind of operation."""
