"""The sources of the company: one module each, with its tables and the generator of its records."""
