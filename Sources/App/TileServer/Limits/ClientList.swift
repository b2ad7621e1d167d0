import Runtime

/// One part of a `ClientTable`: its clients, in the order of their last requests. The clients can also be found by
/// their keys.
struct ClientList {
    private struct Client {
        var key: ClientKey
        /// Missing tokens in each bucket, by `LimitedUse.rawValue`.
        var missing = SIMD4<Double>.zero
        var time: MonotonicTime
        /// Index of the next newer client in the list, and of the next older client. -1: none.
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    private let capacity: Int
    private var clients: [Client] = []
    private var indexes: [ClientKey: Int32] = [:]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    /// Number of clients for which memory is reserved.
    private(set) var room = 0

    /// Number of clients for the first reservation. Each later one doubles the room, up to the capacity.
    private static let leastRoom = 32

    var count: Int { clients.count }

    /// Makes an empty list. `capacity` must be at least 1.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Finds or adds the client `key`, and returns its index. The client becomes the newest one, and its buckets are
    /// refilled up to the time `now`.
    ///
    /// A new client replaces the oldest client in two cases: the oldest client's buckets are full, or there is no room
    /// for another client. `makeRoom` reserves memory, and returns false if there is none.
    mutating func index(
        of key: ClientKey, _ rates: LimitRates, at now: MonotonicTime, makeRoom: (Int) -> Bool
    ) -> Int32 {
        if let index = indexes[key] {
            fill(index, rates, at: now)
            guard index != newest else { return index }
            unlink(index)
            link(index)
            return index
        }
        if oldest >= 0 {
            fill(oldest, rates, at: now)
            if clients[Int(oldest)].missing == .zero || !hasRoom(makeRoom) { return replaceOldest(by: key) }
        } else if !hasRoom(makeRoom) {
            // The first client needs no reserved memory. Otherwise, without memory, no client would be limited.
            clients.reserveCapacity(1)
        }
        let index = Int32(clients.count)
        clients.append(Client(key: key, time: now))
        indexes[key] = index
        link(index)
        return index
    }

    /// Takes `cost` tokens at `index`. Returns nil on success, or the seconds until there are enough. A cost larger
    /// than the bucket is allowed if the bucket is full, and leaves the bucket below zero.
    mutating func take(_ cost: Double, for use: LimitedUse, at index: Int32, _ rates: LimitRates) -> Double? {
        let (burst, rate) = (rates.burst[use.rawValue], rates.rate[use.rawValue])
        let over = clients[Int(index)].missing[use.rawValue] + min(cost, burst) - burst
        // Allows a difference of a millionth for rounding errors.
        guard over <= burst * 1e-6 else { return rate > 0 ? over / rate : .infinity }
        clients[Int(index)].missing[use.rawValue] += cost
        return nil
    }

    mutating func giveBack(_ cost: Double, for use: LimitedUse, of key: ClientKey) {
        // If the client was evicted, its successor in the table got its missing tokens, so nothing is given back.
        guard let index = indexes[key] else { return }
        clients[Int(index)].missing[use.rawValue] = max(clients[Int(index)].missing[use.rawValue] - cost, 0)
    }

    private mutating func fill(_ index: Int32, _ rates: LimitRates, at now: MonotonicTime) {
        let seconds = now.seconds(since: clients[Int(index)].time)
        // The clocks of two reactors can differ by one turn.
        guard seconds > 0 else { return }
        let missing = clients[Int(index)].missing - rates.rate * seconds
        clients[Int(index)].missing = missing.replacing(with: 0, where: missing .< 0)
        clients[Int(index)].time = now
    }

    private mutating func hasRoom(_ makeRoom: (Int) -> Bool) -> Bool {
        if clients.count < room { return true }
        let step = min(max(room, Self.leastRoom), capacity - room)
        guard step > 0, makeRoom(step) else { return false }
        room += step
        clients.reserveCapacity(room)
        indexes.reserveCapacity(room)
        return true
    }

    private mutating func replaceOldest(by key: ClientKey) -> Int32 {
        let index = oldest
        indexes[clients[Int(index)].key] = nil
        clients[Int(index)].key = key
        indexes[key] = index
        unlink(index)
        link(index)
        return index
    }

    private mutating func link(_ index: Int32) {
        clients[Int(index)].older = newest
        clients[Int(index)].newer = -1
        if newest >= 0 { clients[Int(newest)].newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (newer, older) = (clients[Int(index)].newer, clients[Int(index)].older)
        if newer >= 0 { clients[Int(newer)].older = older } else { newest = older }
        if older >= 0 { clients[Int(older)].newer = newer } else { oldest = newer }
    }
}
