"""OpsGym itself, the interpreter and its packages."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended

ESCAPES = (
    Escape(
        "importing the validators",
        "installation",
        """
attempt("import", lambda: __import__("opsgym"))
for place in sys.path:
    if glob.glob(place + "/opsgym/*"):
        print("ESCAPED:", place)
""",
        ended,
    ),
    Escape(
        "writing to the validators", "installation", 'attempt("write", lambda: write("{package}/planted.py"))', ended, needs=""
    ),
    Escape(
        "writing to the interpreter and its packages",
        "installation",
        """
programs = os.path.dirname(os.path.realpath(sys.executable))
for place in (*sys.path[1:], sys.prefix, sys.exec_prefix, programs, "/usr", "/usr/bin", "/etc", "/lib"):
    attempt(place, lambda: write(place + "/planted"))
""",
        ended,
        needs="",
    ),
    Escape(
        "changing rights in the installation",
        "installation",
        """
attempt("chmod", lambda: os.chmod(os.__file__, 0o777))
attempt("utime", lambda: os.utime(os.__file__))
""",
        ended,
        needs="",
    ),
)
