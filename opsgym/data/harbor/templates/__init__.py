"""Files of every task directory. Those of Python run in the containers, with nothing but the standard library."""
