import Dispatch
import Foundation

/// The lines of this process. Both writers get a second together when the process ends by `exit` or `endProcess`.
extension LineWriter {
    /// Standard error, which has the log.
    package static let standardError = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDERR_FILENO, notice: LogStyle.notice)
    }()

    /// Standard output, for what a program that goes on says there.
    package static let standardOutput = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDOUT_FILENO)
    }()

    private static let flushesAtExit: Void = {
        // Fails only where there is no memory.
        _ = atexit { LineWriter.flushAll() }
    }()

    private static func flushAll() {
        let deadline = DispatchTime.now() + .seconds(1)
        standardError.flush(until: deadline)
        standardOutput.flush(until: deadline)
    }

    /// Ends the process from any thread while others go on. What libraries have registered for the end does not run: it
    /// would take from those threads what they use.
    package static func endProcess(status: Int32) -> Never {
        flushAll()
        _exit(status)
    }
}
