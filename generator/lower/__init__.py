"""From models to calls: what each function takes, converts and returns, as records."""
