import Dispatch
import Foundation
import Synchronization

/// Writes lines to a file descriptor in the background, so that a caller never waits for a slow reader.
///
/// Lines wait in a buffer of `capacity` bytes. If the buffer is full, new lines are dropped until the background work
/// takes the waiting lines. A line from `notice` then says how many lines are missing. Lines that the system refuses
/// are counted as missing too, for example if the file system is full.
///
/// Thread rule: any thread. Only `flush` and `endProcess` block.
package final class LineWriter: Sendable {
    private struct State {
        /// Lines that the thread has not taken yet.
        var lines: [UInt8] = []
        /// Bytes that are not written yet, including lines that the thread has taken.
        var waiting = 0
        /// Number of lines dropped since the last notice.
        var missing = 0
        /// True if a line was dropped for lack of room since the thread last took lines.
        var isFull = false
        /// True if the last write failed.
        var hasFailed = false
        /// True if the last bytes that were written end within a line.
        var isTorn = false
        /// True if `drain` runs or is scheduled.
        var isScheduled = false
        var dropped = 0
    }

    /// Lines that the thread has taken, and the number of lines dropped since the last notice.
    private struct Batch {
        let lines: [UInt8]
        let missing: Int
    }

    /// PIPE_BUF of pipe(7) on Linux. A pipe takes up to this many bytes completely or not at all. Lines of other
    /// processes cannot come between, and a process that ends leaves no partial line.
    private static let atomicLength = 4_096
    private static let lineFeed = UInt8(ascii: "\n")

    private let descriptor: Int32
    private let capacity: Int
    private let notice: @Sendable (Int) -> String
    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - descriptor: remains the caller's. Written with blocking calls. Its flags are never changed, because other
    ///     processes may share them.
    ///   - capacity: in bytes.
    ///   - notice: returns the line, with its line feed, that says how many lines are missing. Empty means no line.
    package init(
        descriptor: Int32, capacity: Int = 1 << 20, notice: @escaping @Sendable (Int) -> String = { _ in "" }
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.notice = notice
        queue = DispatchQueue(label: "lines to \(descriptor)")
    }

    /// Number of lines that were dropped or refused since the start.
    package var droppedCount: Int { state.withLock { $0.dropped } }

    /// Queues `line` and returns at once. The line must end with a line feed. If there is no room, the line is dropped
    /// and counted.
    package func write(_ line: String) {
        let needsTurn = state.withLock { state in
            let count = line.utf8.count
            // A line longer than `capacity` is accepted if the queue is empty.
            guard !state.isFull, state.waiting == 0 || state.waiting + count <= capacity else {
                state.isFull = true
                state.missing += 1
                state.dropped += 1
                return false
            }
            state.lines += line.utf8
            state.waiting += count
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if needsTurn { queue.async { self.drain() } }
    }

    /// Blocks until all earlier lines are written, or until `deadline`.
    package func flush(until deadline: DispatchTime) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        // After a timeout the lines stay in the queue.
        _ = done.wait(timeout: deadline)
    }

    // MARK: On the queue

    private func drain() {
        while let batch = state.withLock({ Self.takeBatch(&$0) }) {
            var rest = batch.lines[...]
            while !rest.isEmpty {
                let lines = Self.wholeLines(of: rest)
                rest = rest[lines.endIndex...]
                let lost = put(Array(lines))
                state.withLock { state in
                    state.waiting -= lines.count
                    state.missing += lost
                    state.dropped += lost
                }
            }
            guard batch.missing > 0, put(Array(notice(batch.missing).utf8)) > 0 else { continue }
            // The notice was lost. The missing lines are reported again after the next line.
            state.withLock { $0.missing += batch.missing }
        }
    }

    /// Removes and returns the waiting lines and the number of missing lines. Returns nil and ends `drain` if no lines
    /// wait and no notice of missing lines is due. The next line then schedules `drain` again.
    private static func takeBatch(_ state: inout State) -> Batch? {
        // After a failure, a notice waits for the next line, so that a closed descriptor is not tried in a loop.
        guard !state.lines.isEmpty || state.missing > 0 && !state.hasFailed else {
            state.isScheduled = false
            return nil
        }
        let batch = Batch(lines: state.lines, missing: state.missing)
        state.lines = []
        state.missing = 0
        state.isFull = false
        return batch
    }

    /// Returns the complete lines that fit into one atomic write, at least one line.
    private static func wholeLines(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard lines.count > atomicLength else { return lines }
        let end =
            lines.prefix(atomicLength).lastIndex(of: lineFeed) ?? lines.firstIndex(of: lineFeed) ?? lines.endIndex - 1
        return lines[...end]
    }

    /// Writes complete lines to the descriptor. Returns how many of the lines the system refused.
    private func put(_ lines: [UInt8]) -> Int {
        // After a partial line, starts a new one.
        let prefix = state.withLock { $0.isTorn } ? [Self.lineFeed] : []
        let bytes = prefix + lines
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if count < 0, errno == EAGAIN {
                waitForRoom()
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        state.withLock { state in
            state.hasFailed = written < bytes.count
            if written > 0 { state.isTorn = bytes[written - 1] != Self.lineFeed }
        }
        return bytes[max(written, prefix.count)...].count { $0 == Self.lineFeed }
    }

    /// Waits until the descriptor is writable. Another process that shares the descriptor has made it non-blocking.
    private func waitForRoom() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // If poll(2) fails, the next write reports the error.
        _ = poll(&entry, 1, -1)
    }

    // The writers of this process. When the process ends by `exit` or `endProcess`, both together have one second to
    // flush.

    /// Writes to standard error, where the log goes.
    package static let standardError = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDERR_FILENO, notice: LogStyle.notice)
    }()

    /// Writes to standard output, for messages of a running program.
    package static let standardOutput = {
        _ = flushesAtExit
        return LineWriter(descriptor: STDOUT_FILENO)
    }()

    private static let flushesAtExit: Void = {
        // Fails only if there is no memory.
        _ = atexit { LineWriter.flushAll() }
    }()

    private static func flushAll() {
        let deadline = DispatchTime.now() + .seconds(1)
        standardError.flush(until: deadline)
        standardOutput.flush(until: deadline)
    }

    /// Ends the process from any thread. Exit handlers of libraries do not run, because they would free memory that
    /// other running threads use.
    package static func endProcess(status: Int32) -> Never {
        flushAll()
        _exit(status)
    }
}
