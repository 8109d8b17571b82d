"""Report what is installed (`info`) and what is wrong with it (`doctor`)."""
