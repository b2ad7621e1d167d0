import Dispatch
import Synchronization

/// Writes the state file, in order and only where it changed.
///
/// A class to own the queue. Thread rule: any thread.
final class FleetFileWriter: Sendable {
    private let path: String?
    private let queue = DispatchQueue(label: "fleet state", qos: .utility)
    private let written = Mutex<FleetFile?>(nil)

    init(_ path: String?) {
        self.path = path
    }

    /// Writes what `file` gives when it is its turn, so that what is written last is what is known last. Returns when it is written:
    /// an `errno`, 0 where that went well.
    func write(_ file: @escaping @Sendable () -> FleetFile) async -> Int32 {
        guard let path else { return 0 }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                let file = file()
                guard written.withLock({ $0?.hasText(of: file) }) != true else {
                    return continuation.resume(returning: 0)
                }
                let code = file.write(path)
                written.withLock { $0 = code == 0 ? file : nil }
                continuation.resume(returning: code)
            }
        }
    }
}
