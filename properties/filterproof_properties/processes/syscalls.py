"""Gives up system calls that no privacy filter needs, and the right to many processes; then runs.

`python -I -S syscalls.py WORDS` is what a sandbox runs in place of WORDS: a filter of system calls
is handed to the kernel (seccomp), which applies to the program and to all that it starts, and
cannot be taken off.  Debuggers, mounts, new namespaces, kernel modules, keys, tracing, io_uring and
the like are answered with an error, as if the user were not allowed to.  It uses the standard
library only.  On a processor whose numbers of system calls are not known here, and on a kernel
without seccomp, nothing is given up: `missing` says so.
"""

import ctypes
import os
import resource
import struct
import sys
from errno import EAFNOSUPPORT, EFAULT, ENOSYS, EPERM
from typing import NamedTuple

THREADS = 1024
"""Processes and threads at a time: a large virtual machine for a language has some hundred."""
FILES = 1024
"""Open files of a process: the usual limit, which a program may no longer raise."""

REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
}
"""Each call with its numbers on x86-64 and on 64-bit ARM."""


class Machine(NamedTuple):
    """What the filter must know of a processor; `column` is the place in `REFUSED`."""

    column: int
    audit: int
    clone: int
    clone3: int
    ioctl: int
    socket: int
    other: tuple[int, ...]
    """Calls that exist on this one only: access to ports, the local descriptor table."""


MACHINES = {
    "x86_64": Machine(0, 0xC000003E, 56, 435, 16, 41, (154, 172, 173)),
    "aarch64": Machine(1, 0xC00000B7, 220, 435, 29, 198, ()),
}

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, AUDIT, FIRST, SECOND = 0, 4, 16, 24
"""Where `struct seccomp_data` has the call, the processor and the first two arguments."""
X32 = 0x40000000
"""Calls from here on are those of another table, of which nothing above is true."""
NAMESPACES = 0x7E020000
"""The flags of `clone` that ask for a namespace."""
TERMINAL = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: text that a terminal takes for typed by hand."""
FAMILIES = (1, 2, 10, 16)
"""Sockets that a network namespace confines: Unix, IPv4, IPv6, and questions about the network."""
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2

Instruction = tuple[int, int, int, int]


def filter_for(machine: Machine) -> list[Instruction]:
    """Return the program that the kernel runs on every system call, as (code, yes, no, k)."""
    refuse = _returns(ERROR | EPERM)
    found: list[Instruction] = [(LOAD, 0, 0, AUDIT), (EQUAL, 1, 0, machine.audit), _returns(KILL)]
    found += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), _returns(ERROR | ENOSYS)]
    for number in (*(both[machine.column] for both in REFUSED.values()), *machine.other):
        found += [(EQUAL, 0, 1, number), refuse]
    found += [(EQUAL, 0, 1, machine.clone3), _returns(ERROR | ENOSYS)]  # then clone is tried
    found += _when(machine.clone, FIRST, [(ANY_BIT, 0, 1, NAMESPACES), refuse])
    found += _when(
        machine.ioctl, SECOND, [one for k in TERMINAL for one in ((EQUAL, 0, 1, k), refuse)]
    )
    known = [one for k in FAMILIES for one in ((EQUAL, 0, 1, k), _returns(ALLOW))]
    found += _when(machine.socket, FIRST, [*known, _returns(ERROR | EAFNOSUPPORT)])
    return [*found, _returns(ALLOW)]


def _returns(what: int) -> Instruction:
    return RETURN, 0, 0, what


def _when(call: int, argument: int, then: list[Instruction]) -> list[Instruction]:
    """Return the instructions that look at an argument of one call, and allow it after that."""
    inside = [(LOAD, 0, 0, argument), *then, _returns(ALLOW)]
    return [(EQUAL, 0, len(inside), call), *inside]


def known() -> Machine | None:
    """Return this machine, if its system calls are known and Python is of its own kind."""
    return MACHINES.get(os.uname().machine) if sys.maxsize > 2**32 else None


def missing() -> str:
    """Say why there is no filter of system calls on this machine; nothing if there is one."""
    if known() is None:
        return f"system calls of {os.uname().machine} are not known"
    nothing = ctypes.c_ulong(0)  # no program: a kernel that would take one fails to read it
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), nothing, nothing, nothing)
    return "" if ctypes.get_errno() == EFAULT else "this kernel has no seccomp"


def give_up_calls() -> None:
    """Hand the filter to the kernel, for this process and all that it starts, or raise."""
    machine = known()
    if machine is None or missing():
        return
    program = filter_for(machine)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in program))
    told = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in (
        (PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0)),
        (PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), told),
    ):
        if libc.prctl(*words, ctypes.c_ulong(0), ctypes.c_ulong(0)):
            raise OSError(ctypes.get_errno(), "cannot give up system calls")


def bound_processes() -> None:
    """Bound the processes and threads of this user in this namespace, and a process's files."""
    for kind, most in ((resource.RLIMIT_NPROC, THREADS), (resource.RLIMIT_NOFILE, FILES)):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def main(*words: str) -> None:
    """Become the program, with what was given up."""
    bound_processes()
    give_up_calls()
    os.execvp(words[0], words)


if __name__ == "__main__":
    main(*sys.argv[1:])
