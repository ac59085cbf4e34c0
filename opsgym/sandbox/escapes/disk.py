"""Too much on the disk."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended, failed_or_stopped, stopped

ESCAPES = (
    Escape(
        "one file that grows for ever",
        "disk",
        """
with open("big", "wb") as file:
    while True:
        file.write(b"x" * 2**16)
""",
        failed_or_stopped,
        needs="",
    ),
    Escape(
        "many files that fill the disk",
        "disk",
        """
while True:
    with open(f"part{time.monotonic_ns()}", "wb") as file:
        file.write(b"x" * 2**18)
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "a great many empty files",
        "disk",
        """
while True:
    open(f"f{time.monotonic_ns()}", "w").close()
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "a sparse file of a terabyte",
        "disk",
        """
with open("sparse", "wb") as file:
    attempt("truncate", lambda: file.truncate(2**40))
""",
        needs="",
    ),
    Escape(
        "sparse files, each within its limit",
        "disk",
        """
for number in range(10):
    with open(f"s{number}", "wb") as file:
        file.truncate(2**21)
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "folders in folders, two thousand deep",
        "disk",
        """
for _ in range(2000):
    os.mkdir("d")
    os.chdir("d")
write("x")
""",
        needs="",
    ),
    Escape(
        "filling /tmp",
        "disk",
        """
with open("/tmp/big", "wb") as file:
    attempt("32 MiB", lambda: [file.write(b"x" * 2**20) and file.flush() for _ in range(32)])
""",
    ),
    Escape(
        "filling /tmp with many files",
        "disk",
        """
def fill():
    for number in range(32):
        with open(f"/tmp/big{number}", "wb") as file:
            file.write(b"x" * 2**20)
attempt("32 MiB", fill)
""",
    ),
    Escape(
        "filling /tmp with files of no size",
        "disk",
        """
for number in range(200000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
print("ESCAPED: 200000 files")
""",
        failed_or_stopped,
    ),
    Escape(
        "files where no path is short enough to be named",
        "disk",
        """
for _ in range(25):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for number in range(200000):
    os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
print("ESCAPED: 200000 files")
""",
        failed_or_stopped,
    ),
    Escape(
        "a path that is too long for the next run",
        "disk",
        """
for _ in range(19):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
write("x" * 250)
""",
        ended,
        needs="",
    ),
    Escape(
        "filling /dev/shm",
        "disk",
        """
def fill():
    for number in range(32):
        with open(f"/dev/shm/big{number}", "wb") as file:
            file.write(b"x" * 2**20)
attempt("32 MiB", fill)
""",
    ),
    Escape(
        "a zip bomb",
        "disk",
        """
import zipfile
with zipfile.ZipFile("/tmp/bomb.zip" if os.access("/tmp", os.W_OK) else "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
    for number in range(20):
        bomb.writestr(f"zeros{number}", bytes(2**20))
with zipfile.ZipFile(bomb.filename) as bomb:
    bomb.extractall("out")
print("ESCAPED: 20 MiB")
""",
        failed_or_stopped,
        needs="",
    ),
)
