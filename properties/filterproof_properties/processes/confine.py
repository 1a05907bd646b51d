"""Makes the file system of new namespaces read-only, hides directories in it, and runs a program.

`unshare ... python -I -S confine.py TOLD WORDS` uses the standard library only.  Whatever fails
here ends the process before the program has begun.
"""

import ctypes
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any, NoReturn

MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_SETATTR, MOUNT_ATTR_RDONLY = 442, 1
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
LAST_CAPABILITY = 63
"""No system has more of them; to drop one that it does not have is refused, and no loss."""
SIGNALLED = 128
"""A program that a signal has ended gives this and the signal's number, as in a shell."""

libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount, or raise."""
    known = (one.encode() for one in (source, target, kind))
    if libc.mount(*known, ctypes.c_ulong(flags), data.encode()):
        raise OSError(ctypes.get_errno(), f"cannot mount {target}")


def read_only(path: str, *, whole: bool = True) -> None:
    """Make a mount and all below it read-only; or, not `whole`, the mount alone writable."""
    change = (MOUNT_ATTR_RDONLY, 0) if whole else (0, MOUNT_ATTR_RDONLY)
    attributes = ctypes.create_string_buffer(struct.pack("QQQQ", *change, 0, 0), 32)
    flags = AT_RECURSIVE if whole else 0
    if libc.syscall(MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attributes, 32):
        raise OSError(ctypes.get_errno(), f"cannot make {path} read-only")


def hide(told: dict[str, Any]) -> None:
    """Put an empty directory over each hidden one, and what is shown into it again."""
    held = {one: os.open(one, os.O_PATH) for one in told["shown"]}
    size = f"size={told['disk'] * 2**20},mode=1777"
    for one in (*told["hidden"], *(one for one in ("/dev/shm", "/dev/pts") if os.path.isdir(one))):
        os.makedirs(one, exist_ok=True)  # it may be inside another one
        mount("tmpfs", one, "tmpfs", MS_NOSUID | MS_NODEV, size)
    for one, descriptor in held.items():
        here = Path(one)
        source = Path(f"/proc/self/fd/{descriptor}")
        (here if source.is_dir() else here.parent).mkdir(parents=True, exist_ok=True)
        if not source.is_dir():
            here.touch()
        mount(str(source), one, "", MS_BIND | MS_REC)
        os.close(descriptor)


def drop_rights() -> None:
    """Give up every capability for good, so that nothing of this can be undone."""
    for one in range(LAST_CAPABILITY + 1):
        libc.prctl(PR_CAPBSET_DROP, one, 0, 0, 0)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot give up rights")


def main(text: str, *words: str) -> None:
    """Confine this process and become the program."""
    told = json.loads(text)
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    hide(told)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    read_only("/")
    for one in (told["private"], "/dev/shm"):
        if os.path.isdir(one):
            read_only(os.path.realpath(one), whole=False)
    os.chdir(told["folder"])
    drop_rights()
    if program := os.fork():
        _wait_for(program)
    os.execvp(words[0], words)


def _wait_for(program: int) -> NoReturn:
    """Be the first process of the namespace: collect what ends, and end as the program does."""
    for standard in (0, 1, 2):  # these streams are the program's alone
        os.close(standard)
    while (ended := os.wait())[0] != program:
        pass
    status = os.waitstatus_to_exitcode(ended[1])
    os._exit(status if status >= 0 else SIGNALLED - status)


if __name__ == "__main__":
    main(*sys.argv[1:])
