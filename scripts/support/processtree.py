"""Processes with their descendants."""
import os
import signal


def descendants(root):
    """Returns the ids of `root` and of the processes below it, parents first."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def kill(process):
    """Kills `process` and its descendants, parents first, so that no parent starts another process meanwhile."""
    for number in descendants(process.pid):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
