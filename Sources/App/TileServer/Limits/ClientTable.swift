import Runtime
import Synchronization

/// A table of the token buckets of all clients. Each client has one bucket for each `LimitedUse`. The table does not
/// store the tokens of a bucket, but the number of missing tokens. This number shrinks at the rate of the limit. While
/// the table has room, a new client has full buckets. With this design, limits can change at any time and also apply to
/// tokens that were taken before.
///
/// The table has sixteen parts with one lock each. A hash of the client selects the part. The hash differs from process
/// to process. If a part has no more room, a new client replaces the client of this part whose last request is the
/// oldest, and takes over its missing tokens. For this reason, all clients together never get more tokens than
/// `capacity` clients could get. A client gains nothing from more addresses than fit into the table, because a new
/// address takes over the missing tokens of another one.
///
/// Thread rule: any thread.
final class ClientTable: Sendable {
    /// Maximum number of clients in all parts together.
    static let capacity = 65_536
    /// Bytes that are counted for each client: an upper bound of its memory.
    static let clientBytes = 192

    /// A class, because a `Mutex` cannot be copied into an array.
    private final class Part: Sendable {
        let clients: Mutex<ClientList>

        init(capacity: Int) {
            clients = Mutex(ClientList(capacity: capacity))
        }
    }

    private let parts: [Part]
    private let budget: MemoryBudget

    /// Makes a table. `budget` counts the memory of the clients. If the budget has no more room, the table counts as
    /// full, but each part always has room for one client.
    init(capacity: Int = capacity, parts count: Int = 16, budget: MemoryBudget) {
        self.budget = budget
        parts = (0..<count).map { _ in Part(capacity: max(capacity / count, 1)) }
    }

    deinit {
        budget.giveBack(parts.reduce(0) { $0 + $1.clients.withLock(\.room) } * Self.clientBytes, for: .requests)
    }

    /// Number of clients in the table.
    var count: Int { parts.reduce(0) { $0 + $1.clients.withLock(\.count) } }

    /// Takes `cost` tokens from a bucket of `client`. Returns nil on success, or the seconds until there are enough.
    func take(_ cost: Double, for use: LimitedUse, of client: ClientKey, _ rates: LimitRates, at now: MonotonicTime)
        -> Double?
    {
        part(of: client).clients.withLock { clients in
            let index = clients.index(of: client, rates, at: now) { makeRoom(for: $0) }
            return clients.take(cost, for: use, at: index, rates)
        }
    }

    /// Gives tokens back that were taken for work that was not done.
    func giveBack(_ cost: Double, for use: LimitedUse, of client: ClientKey) {
        part(of: client).clients.withLock { $0.giveBack(cost, for: use, of: client) }
    }

    private func part(of client: ClientKey) -> Part {
        parts[Int(UInt(bitPattern: client.hashValue) % UInt(parts.count))]
    }

    /// Called while the lock of a part is held. The lock of the budget is the inner lock.
    private func makeRoom(for clients: Int) -> Bool {
        budget.take(clients * Self.clientBytes, for: .requests)
    }
}

/// A use of the server that can be limited for each client.
enum LimitedUse: Int, CaseIterable, Sendable {
    case requests, misses, pixels
}

/// Rates and bucket sizes for each `LimitedUse`, by raw value. `rate` is in tokens per second, infinite without a
/// limit. `burst` is the size of the bucket.
struct LimitRates: Sendable {
    var rate = SIMD4<Double>(repeating: .infinity)
    var burst = SIMD4<Double>.zero
}
