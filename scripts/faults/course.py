"""The maximum of a number of bytes during a test, measured again and again."""
import contextlib
import dataclasses

from support.machine import beside


@dataclasses.dataclass
class Course:
    """Returns the largest measured number of bytes."""
    most: int = 0


@contextlib.contextmanager
def watched(read, pause=0.1):
    """Calls `read` ten times a second while the block runs. A process that has ended has no bytes."""
    course = Course()

    def watch(over):
        while not over.wait(pause):
            with contextlib.suppress(OSError):
                course.most = max(course.most, read())

    with beside(watch):
        yield course
