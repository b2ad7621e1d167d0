"""The memory of a process during a test, read ten times a second."""
import contextlib
import dataclasses
import threading
import time


@dataclasses.dataclass
class Course:
    """The largest number of bytes that was read."""
    most: int = 0


@contextlib.contextmanager
def watched(read):
    """Calls `read` for the bytes ten times a second while the block runs. A process that is gone has none."""
    course, is_over = Course(), threading.Event()

    def watch():
        while not is_over.wait(0.1):
            with contextlib.suppress(OSError):
                course.most = max(course.most, read())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield course
    finally:
        is_over.set()
        watcher.join()
