import Foundation
import Glibc
import Testing

/// Time limits of tests that wait for an event.
public enum Patience {
    /// `TILESERVER_TEST_PATIENCE`, or 1 if it is not set. Multiplies all time limits, for busy machines.
    public static let factor =
        ProcessInfo.processInfo.environment["TILESERVER_TEST_PATIENCE"].flatMap(Double.init).flatMap {
            (0.01...1e6).contains($0) ? $0 : nil
        } ?? 1

    /// 30 s times `factor`. A healthy machine needs a fraction of it. The limit is below the minute after which
    /// scripts/test kills a test, so the test itself can report where it waited.
    public static let seconds = 30 * factor
}

/// Waits until `condition` is true. Returns false if `condition` is still false after `Patience.seconds`.
public func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let start = ContinuousClock.now
    while try await !condition() {
        let waited = start.duration(to: .now) / .seconds(1)
        guard waited < Patience.seconds else { return false }
        // Only yields at first: a sleep would be too slow for tests of races.
        if waited < 0.02 {
            await Task.yield()
        } else {
            // In a cancelled task, a sleep ends at once. The task then yields and checks the condition again.
            do { try await Task.sleep(for: .milliseconds(1)) } catch { await Task.yield() }
        }
    }
    return true
}

/// Waits until `condition` is true. Records an issue if `condition` is still false after `Patience.seconds`. The test
/// continues, because it may have to release threads.
public func expectEventually(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows {
    if try await !eventually(condition) {
        Issue.record(comment ?? "this never came true", sourceLocation: sourceLocation)
    }
}

/// Waits until `condition` is true, on a thread that may block. Returns false if `condition` is still false after
/// `seconds` times `Patience.factor`.
public func eventuallyBlocking(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    let start = ContinuousClock.now
    while try !condition() {
        guard start.duration(to: .now) < .seconds(seconds * Patience.factor) else { return false }
        usleep(2_000)
    }
    return true
}

/// Reads the available bytes of `descriptor`, at most `size`. Blocks until the first byte arrives. Returns nil and
/// records an issue if no byte arrives within `Patience.seconds`. Returns an empty array at the end of the stream.
public func bytes(of descriptor: Int32, atMost size: Int = 65_536) -> [UInt8]? {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var ready: Int32 = -1
    repeat { ready = Glibc.poll(&poll, 1, Int32(Patience.seconds * 1_000)) } while ready < 0 && errno == EINTR
    guard ready > 0 else {
        Issue.record("nothing came on descriptor \(descriptor)")
        return nil
    }
    var buffer = [UInt8](repeating: 0, count: size)
    let count = read(descriptor, &buffer, size)
    // Reading from a terminal whose other side is closed fails with EIO.
    return count > 0 ? Array(buffer[..<count]) : []
}
