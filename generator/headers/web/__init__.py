"""Headers from package indexes: requests, projects, wheels, and settings of pip."""
