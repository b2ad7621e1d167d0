import Foundation
import Glibc
import Testing

/// How long tests wait for events that must come.
public enum Patience {
    /// `TILESERVER_TEST_PATIENCE`, or 1 if it is not set. Multiplies all waits, for machines with other work.
    public static let factor =
        ProcessInfo.processInfo.environment["TILESERVER_TEST_PATIENCE"].flatMap(Double.init).flatMap {
            (0.01...1e6).contains($0) ? $0 : nil
        } ?? 1

    /// 30 s times `factor`. A working machine takes a fraction of it. This is less than the minute after which scripts/test
    /// ends a test, so that the test itself says where it waited.
    public static let seconds = 30 * factor
}

/// Waits until `condition` holds. Returns false if it does not hold within `Patience.seconds`.
public func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let start = ContinuousClock.now
    while try await !condition() {
        let waited = start.duration(to: .now) / .seconds(1)
        guard waited < Patience.seconds else { return false }
        // Only lets other tasks run at first: a test of a race must go on in the same moment.
        if waited < 0.02 {
            await Task.yield()
        } else {
            // The sleep of a cancelled task ends at once, and the task still waits for its condition.
            do { try await Task.sleep(for: .milliseconds(1)) } catch { await Task.yield() }
        }
    }
    return true
}

/// Waits until `condition` holds, and records an issue if it does not hold within `Patience.seconds`. The test goes on,
/// because it may have to release threads.
public func expectEventually(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows {
    if try await !eventually(condition) {
        Issue.record(comment ?? "this never came true", sourceLocation: sourceLocation)
    }
}

/// Waits until `condition` holds, on a thread that may block. Returns false if it does not hold within `seconds`, times
/// `Patience.factor`.
public func eventuallyBlocking(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    let start = ContinuousClock.now
    while try !condition() {
        guard start.duration(to: .now) < .seconds(seconds * Patience.factor) else { return false }
        usleep(2_000)
    }
    return true
}

/// Reads the bytes that are there on `descriptor`, at most `size`. Waits for the first byte. Returns nil and records an issue
/// if none comes within `Patience.seconds`. Returns an empty array at the end. Blocks.
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
    // A terminal whose other side is closed fails with EIO.
    return count > 0 ? Array(buffer[..<count]) : []
}
