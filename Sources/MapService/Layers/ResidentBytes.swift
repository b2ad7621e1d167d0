import Synchronization

/// Bytes of memory that the sources of all layers take as long as they are served: they come on top of `server.memory`.
///
/// A class to be shared with the budget of memory, which takes them off what the process holds. Thread rule: any thread.
final class ResidentBytes: Sendable {
    private let count = Atomic(0)

    var bytes: Int { count.load(ordering: .relaxed) }

    /// Counts those of `layers`, which are all that are served.
    func follow(_ layers: [ServedLayer]) {
        count.store(layers.reduce(0) { $0 + $1.residentBytes }, ordering: .relaxed)
    }
}
