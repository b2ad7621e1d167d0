import Synchronization

/// Bytes of memory that the sources of all layers take as long as they are served: they come on top of `server.memory`.
///
/// A class, because the memory budget shares it: the budget subtracts these bytes from those that the process holds. Thread
/// rule: any thread.
final class ResidentBytes: Sendable {
    private let count = Atomic(0)

    var bytes: Int { count.load(ordering: .relaxed) }

    /// Sets the count to the sum over `layers`, which must be all served layers.
    func follow(_ layers: [ServedLayer]) {
        count.store(layers.reduce(0) { $0 + $1.residentBytes }, ordering: .relaxed)
    }
}
