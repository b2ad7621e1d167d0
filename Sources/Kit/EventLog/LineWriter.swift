import Dispatch
import Foundation
import Synchronization

/// Writes lines to a descriptor on a thread of its own, so that whoever writes a line never waits for whoever reads it.
///
/// At most `capacity` bytes of lines wait. A line that finds no room is dropped, and so is every later one until the thread
/// takes what waits; behind that the line that `notice` makes says how many are missing, where they are missing.
/// Lines that the system refuses (nobody is left to read, the file system is full) are lost and counted the same way.
///
/// Thread rule: any thread; no call but `flush` blocks.
package final class LineWriter: Sendable {
    private struct State {
        /// Lines that the thread has not taken yet.
        var lines: [UInt8] = []
        /// Bytes that are not written yet, those that the thread has taken included.
        var waiting = 0
        /// Lines dropped since the last notice.
        var missing = 0
        /// A line was dropped for want of room since the thread took lines.
        var isFull = false
        /// The last write failed.
        var hasFailed = false
        /// The last write ended within a line.
        var isTorn = false
        /// `drain` runs or is about to.
        var isScheduled = false
        var dropped = 0
    }

    /// Lines in the thread's hands, and how many were dropped after them.
    private struct Batch {
        let lines: [UInt8]
        let missing: Int
    }

    /// write(2), PIPE_BUF on Linux: a pipe takes as many bytes whole or not at all, so that no other process's line gets between, and a
    /// process that ends leaves no half of a line.
    private static let atomicLength = 4_096
    private static let lineFeed = UInt8(ascii: "\n")

    private let descriptor: Int32
    private let capacity: Int
    private let notice: @Sendable (Int) -> String
    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - descriptor: stays the caller's. Written to in blocking calls; its flags are never changed, since other processes
    ///     may share them.
    ///   - capacity: bytes.
    ///   - notice: the line, with its line feed, that says how many lines are missing; empty where nothing is to be said.
    package init(
        descriptor: Int32, capacity: Int = 1 << 20, notice: @escaping @Sendable (Int) -> String = { _ in "" }
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.notice = notice
        queue = DispatchQueue(label: "lines to \(descriptor)")
    }

    /// The lines that were dropped since the start.
    package var droppedCount: Int { state.withLock { $0.dropped } }

    /// Has `line` written after those before it. It ends with a line feed.
    package func write(_ line: String) {
        let needsTurn = state.withLock { state in
            let count = line.utf8.count
            // One that is longer than the queue may ever be is not dropped for that alone.
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

    /// Waits until every line is written that was there before the call, until `deadline` at the latest.
    package func flush(until deadline: DispatchTime) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        // Late: whoever reads does not, and the lines stay where they are.
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
            // Said again behind the next line that is written.
            state.withLock { $0.missing += batch.missing }
        }
    }

    /// What waits; nil where that is nothing, and the next line schedules the next turn.
    private static func takeBatch(_ state: inout State) -> Batch? {
        // After a failure a notice waits for a line, so that a closed descriptor is not tried again and again.
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

    /// As many lines as a pipe takes at once, at least one.
    private static func wholeLines(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard lines.count > atomicLength else { return lines }
        let end =
            lines.prefix(atomicLength).lastIndex(of: lineFeed) ?? lines.firstIndex(of: lineFeed) ?? lines.endIndex - 1
        return lines[...end]
    }

    /// Writes `lines`, which are whole; returns how many of them the system refused.
    private func put(_ lines: [UInt8]) -> Int {
        // Behind half a line a new one begins.
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

    /// Whoever else has the descriptor made it non-blocking.
    private func waitForRoom() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // An error shows at the next write.
        _ = poll(&entry, 1, -1)
    }

    // The lines of this process. Both writers get a second together when the process ends by `exit` or `endProcess`.

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
