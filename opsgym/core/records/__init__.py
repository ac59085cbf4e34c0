"""Records: relational domains declared as data; schema, tools, policy text and checks come from the declarations."""
