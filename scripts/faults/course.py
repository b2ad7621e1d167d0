"""The most bytes that something takes during a test, read again and again."""
import contextlib
import dataclasses

from support.machine import beside


@dataclasses.dataclass
class Course:
    """The largest number of bytes that was read."""
    most: int = 0


@contextlib.contextmanager
def watched(read, pause=0.1):
    """Calls `read` for the bytes while the block runs, ten times a second. A process that is gone has none."""
    course = Course()

    def watch(over):
        while not over.wait(pause):
            with contextlib.suppress(OSError):
                course.most = max(course.most, read())

    with beside(watch):
        yield course
