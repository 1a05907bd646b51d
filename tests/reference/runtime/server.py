"""A PostgreSQL server of its own on a free local port, run by an ordinary user."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

FOLDERS = "/usr/lib/postgresql/*/bin"
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where files are quick: a killed process loses none of what it wrote, on a disk or not."""


def program(name: str) -> str:
    """Where a program of the server is: Debian keeps them out of the search path."""
    found = shutil.which(name)
    if found:
        return found
    return str(max(Path("/").glob(f"{FOLDERS[1:]}/{name}")))


def ordinary_user() -> dict[str, Any]:
    """How to start a program as an ordinary user: the server refuses to be run by root."""
    if os.getuid():
        return {}
    names = {user.pw_name for user in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Server:
    """Started when made, until `stop`; `url` is where psycopg finds it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="filterproof-pg-", dir=MEMORY))
        self.user = ordinary_user()
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"postgresql://tester@127.0.0.1:{port}/postgres"
        self.options = f"-p {port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        self.run("initdb", "-D", self.data, "-U", "tester", "-A", "trust", "--no-sync")
        self.control("start")

    @property
    def data(self) -> str:
        return f"{self.folder}/data"

    def run(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [program(name), *arguments],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=120,
            **self.user,
        )

    def control(self, action: str, *arguments: str) -> None:
        log = ["-l", f"{self.folder}/log", "-o", self.options] if action != "stop" else []
        self.run("pg_ctl", "-D", self.data, "-w", *log, *arguments, action)

    def stop(self) -> None:
        self.control("stop", "-m", "immediate")
        shutil.rmtree(self.folder)
