import Dispatch
import Foundation

/// The lines of this process. Both writers get a second together when the process ends by `exit`.
extension LineWriter {
    /// Standard error, which has the log.
    public static let standardError = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDERR_FILENO, notice: JSONLogHandler.notice)
    }()

    /// Standard output, for what a program that goes on says there.
    public static let standardOutput = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDOUT_FILENO)
    }()

    private static let flushesAtExit: Void = {
        // Fails only where there is no memory.
        _ = atexit {
            let deadline = DispatchTime.now() + .seconds(1)
            LineWriter.standardError.flush(until: deadline)
            LineWriter.standardOutput.flush(until: deadline)
        }
    }()
}
