import Runtime
import Synchronization

/// Counts the open connections of all workers together, so that the limit applies to the whole server. Thread rule: any
/// thread.
final class OpenConnections: Sendable {
    /// Number of slots beyond the limit for clients on this machine, so that an operator can still connect.
    static let reserve = 8

    private let all = Atomic<Int>(0)
    private let reserved = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)

    /// Number of open connections, including newcomers that have no slot yet.
    var count: Int { all.load(ordering: .relaxed) }

    /// Number of connections that count towards the limit.
    var ordinaryCount: Int { count - reserved.load(ordering: .relaxed) }

    /// Number of connections that were ever accepted.
    var acceptedCount: Int { accepted.load(ordering: .relaxed) }

    func add() {
        accepted.add(1, ordering: .relaxed)
        all.add(1, ordering: .relaxed)
    }

    /// Takes a reserved slot for a newcomer that was already added. Returns false if all slots are taken.
    func takeReserved() -> Bool {
        guard reserved.add(1, ordering: .relaxed).newValue > Self.reserve else { return true }
        reserved.subtract(1, ordering: .relaxed)
        return false
    }

    func remove(isReserved: Bool) {
        if isReserved { reserved.subtract(1, ordering: .relaxed) }
        all.subtract(1, ordering: .relaxed)
    }
}

/// Counts the open streamed responses of all workers and the memory that each of them needs. Bytes that a client has
/// not read are counted elsewhere. Thread rule: any thread.
final class OpenStreams: Sendable {
    let limit: Int
    private let budget: MemoryBudget
    private let all = Atomic<Int>(0)

    /// Bytes that an idle stream takes.
    static let streamBytes = 1_024

    init(limit: Int, budget: MemoryBudget) {
        self.limit = limit
        self.budget = budget
    }

    var count: Int { all.load(ordering: .relaxed) }

    /// Takes a slot for another stream. Returns false if there is no slot or no memory.
    func take() -> Bool {
        let hasPlace = all.add(1, ordering: .relaxed).newValue <= limit
        if hasPlace, budget.take(Self.streamBytes, for: .answers) { return true }
        all.subtract(1, ordering: .relaxed)
        return false
    }

    func giveBack() {
        all.subtract(1, ordering: .relaxed)
        budget.giveBack(Self.streamBytes, for: .answers)
    }
}
