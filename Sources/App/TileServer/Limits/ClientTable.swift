import Runtime
import Synchronization

/// The buckets of clients, as many as there is room for: one for each `LimitedUse`, of each client.
///
/// A bucket is kept as what is missing from it, which shrinks by the limit's rate; a client that is not in the table misses
/// nothing. So limits may change at any time, and hold at once for what was taken before.
///
/// Where the table is full, the client seen least recently makes room, and the newcomer takes over what is missing from that
/// one's buckets. So all clients together never get more than `capacity` of them could, and whoever has so many addresses
/// that his own is forgotten comes back to a bucket that somebody else has emptied, not to a full one.
///
/// Sixteen parts with a lock each; the hash that chooses the part differs from process to process. Thread rule: any thread.
final class ClientTable: Sendable {
    /// The most clients, of all parts together.
    static let capacity = 65_536
    /// What a client is counted with, an upper bound of what it takes in its part.
    static let clientBytes = 192

    /// A class to own the lock.
    private final class Part: Sendable {
        let clients: Mutex<ClientList>

        init(capacity: Int) {
            clients = Mutex(ClientList(capacity: capacity))
        }
    }

    private let parts: [Part]
    private let budget: MemoryBudget

    /// `budget` counts what the clients take. Where it has no more room, the table is full; a client a part always finds some.
    init(capacity: Int = capacity, parts count: Int = 16, budget: MemoryBudget) {
        self.budget = budget
        parts = (0..<count).map { _ in Part(capacity: max(capacity / count, 1)) }
    }

    deinit {
        budget.giveBack(parts.reduce(0) { $0 + $1.clients.withLock(\.room) } * Self.clientBytes, for: .requests)
    }

    /// How many clients are in the table.
    var count: Int { parts.reduce(0) { $0 + $1.clients.withLock(\.count) } }

    /// Takes `cost` tokens out of a bucket of `client`, where they are there; else returns the seconds until they are.
    func take(_ cost: Double, for use: LimitedUse, of client: ClientKey, _ rates: LimitRates, at now: MonotonicTime)
        -> Double?
    {
        part(of: client).clients.withLock { clients in
            let index = clients.index(of: client, rates, at: now) { makeRoom(for: $0) }
            return clients.take(cost, for: use, at: index, rates)
        }
    }

    /// Puts back tokens that were taken for what was not done after all.
    func giveBack(_ cost: Double, for use: LimitedUse, of client: ClientKey) {
        part(of: client).clients.withLock { $0.giveBack(cost, for: use, of: client) }
    }

    private func part(of client: ClientKey) -> Part {
        parts[Int(UInt(bitPattern: client.hashValue) % UInt(parts.count))]
    }

    /// Under a part's lock; the budget's is the inner one.
    private func makeRoom(for clients: Int) -> Bool {
        budget.take(clients * Self.clientBytes, for: .requests)
    }
}

/// What a client may only take so much of.
enum LimitedUse: Int, CaseIterable, Sendable {
    case requests, misses, pixels
}

/// Of each `LimitedUse`, by its raw value: how many tokens come back a second, infinitely many where there is no limit, and how
/// many there are at most.
struct LimitRates: Sendable {
    var rate = SIMD4<Double>(repeating: .infinity)
    var burst = SIMD4<Double>.zero
}
