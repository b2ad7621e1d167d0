import Foundation
import Synchronization

/// Reads the sizes of a database's files repeatedly on its own thread, and remembers the largest sum.
///
/// A class to own the thread.
final class FileWatch: Sendable {
    private static let suffixes = ["", "-wal", "-shm", ".reserve"]

    private struct State {
        var largest: [Int] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) {
                let sizes = Self.suffixes.map { suffix in
                    var status = stat()
                    return stat(path + suffix, &status) == 0 ? Int(status.st_size) : 0
                }
                state.withLock { state in
                    if sizes.reduce(0, +) > state.largest.reduce(0, +) { state.largest = sizes }
                }
                usleep(200)
            }
            ended.signal()
        }
    }

    /// Ends the watch. Returns the size of each file at the time of the largest sum.
    func end() -> [(name: String, bytes: Int)] {
        state.withLock { $0.isOver = true }
        ended.wait()
        return zip(Self.suffixes, state.withLock { $0.largest }).map { (name: $0, bytes: $1) }
    }
}
