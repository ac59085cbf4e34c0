"""The host's files, and files of sorts that do not belong in a working folder."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended, kept

ESCAPES = (
    Escape("reading a file of the host", "files", 'attempt("secret", lambda: read("{secret}"))', ended),
    Escape(
        "reading the host's home and project",
        "files",
        """
for path in ("/root", "/home", "{folder}", "{package}", "{home}", "/var", "/srv", "/mnt", "/boot", "/sys"):
    attempt(path, lambda: os.listdir(path))
""",
        ended,
    ),
    Escape(
        "the host's accounts",
        "files",
        """
attempt("shadow", lambda: read("/etc/shadow"))
if len(read("/etc/passwd").splitlines()) > 1:
    print("ESCAPED: passwd")
""",
        ended,
    ),
    Escape(
        "a link out of the working folder",
        "files",
        """
os.symlink("{secret}", "link")
os.symlink("/", "all")
attempt("read", lambda: read("link"))
""",
        kept(),
    ),
    Escape(
        "a link that a file is written through",
        "files",
        """
os.symlink("{folder}/planted", "link")
attempt("write", lambda: write("link"))
""",
        kept(),
    ),
    Escape("a hard link to a system file", "files", 'attempt("link", lambda: os.link("/usr/bin/env", "env"))', kept()),
    Escape(
        "a way up from the working folder",
        "files",
        """
attempt("up", lambda: write("../../planted"))
attempt("far up", lambda: read("../" * 40 + "{secret}"))
""",
        kept(),
    ),
    Escape(
        "moving the working folder away",
        "files",
        """
attempt("rename", lambda: os.rename(os.getcwd(), os.getcwd() + "-gone"))
attempt("remove", lambda: os.rmdir(os.getcwd()))
""",
        ended,
        needs="user",
    ),
    Escape(
        "a folder that nobody may open",
        "files",
        """
os.mkdir("closed")
write("closed/x")
os.chmod("closed", 0)
""",
        kept("closed/x"),
        needs="",
    ),
    Escape(
        "special files left behind",
        "files",
        """
os.mkfifo("pipe")
if {sockets}:
    socket.socket(socket.AF_UNIX).bind("sock")
write("plain")
""",
        kept("plain"),
        needs="",
    ),
    Escape(
        "names that are no text",
        "files",
        r"""
write(b"\xff\xfe")
write("a\nb")
write("n" * 255)
write("plain")
""",
        kept("n" * 255, "plain"),
        needs="",
    ),
    Escape(
        "making devices",
        "files",
        """
attempt("mknod", lambda: os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)))
attempt("mknod", lambda: os.mknod("mem", 0o600 | stat.S_IFCHR, os.makedev(1, 1)))
""",
        kept(),
        needs="",
    ),
    Escape(
        "opening devices",
        "files",
        """
for path in ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm", "/dev/tty", "/dev/net/tun"):
    attempt(path, lambda: os.open(path, os.O_RDWR))
""",
        ended,
    ),
)
