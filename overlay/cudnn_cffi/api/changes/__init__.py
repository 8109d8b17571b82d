"""Changes between two APIs, by subject: names, declarations, headers, descriptors."""
