import Synchronization

/// Number of bytes that the sources of all layers hold in memory while they are served. These bytes are not part of
/// `server.memory`.
///
/// The memory budget shares this object, and subtracts these bytes from the memory of the process. Thread rule: any
/// thread.
final class ResidentBytes: Sendable {
    private let count = Atomic(0)

    var bytes: Int { count.load(ordering: .relaxed) }

    /// Sets the count to the sum over `layers`, which must be all served layers.
    func follow(_ layers: [ServedLayer]) {
        count.store(layers.reduce(0) { $0 + $1.residentBytes }, ordering: .relaxed)
    }
}
