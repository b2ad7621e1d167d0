/// The pieces of work that wait in a queue, and the order in which they run. Each client gets an equal part of the
/// threads' time. A client's time is divided equally among its layers. Pieces of the same client and layer keep their
/// order.
///
/// Choosing the next piece takes time in proportion to the number of waiting clients and of one client's layers.
/// Appending a piece takes time in proportion to the number of the client's layers. Counting is O(1).
struct WorkLanes {
    /// Returns the expected seconds of a piece, greater than zero.
    typealias Cost = (WorkPiece) -> Double

    private var clients = Turns<[UInt8]?, Client>()
    private(set) var count = 0

    private struct Client: Lane {
        var layers = Turns<String, FIFO<WorkPiece>>()
        var count = 0

        var first: WorkPiece? { layers.first }

        mutating func popFirst(_ cost: Cost) -> WorkPiece? {
            let piece = layers.popFirst(cost)
            if piece != nil { count -= 1 }
            return piece
        }
    }

    /// Number of clients that have waiting pieces.
    var clientCount: Int { clients.waitingCount }

    /// Number of waiting pieces of `client`.
    func count(of client: [UInt8]?) -> Int { clients[client]?.count ?? 0 }

    mutating func append(_ piece: WorkPiece, _ cost: Cost) {
        count += 1
        clients.withLane(piece.client, new: Client(), cost) { client in
            client.count += 1
            client.layers.withLane(piece.layer, new: FIFO(), cost) { $0.append(piece) }
        }
    }

    mutating func popFirst(_ cost: Cost) -> WorkPiece? {
        let piece = clients.popFirst(cost)
        if piece != nil { count -= 1 }
        return piece
    }

    /// Removes and returns the piece with this number, client and layer. Returns nil if it does not wait here. O(n) in
    /// the waiting pieces.
    mutating func remove(_ number: Int, of client: [UInt8]?, _ layer: String) -> WorkPiece? {
        let piece = clients.take(from: client) { client in
            let piece = client.layers.take(from: layer) { $0.removeFirst { $0.number == number } } ?? nil
            if piece != nil { client.count -= 1 }
            return piece
        }
        if case .some(.some) = piece { count -= 1 }
        return piece ?? nil
    }

    /// Removes and returns all pieces of a layer. Pieces of one client keep their order. Takes time in proportion to
    /// the number of waiting pieces and to the square of the number of waiting clients.
    mutating func removeAll(of layer: String) -> [WorkPiece] {
        let pieces = clients.takeFromEach { client in
            let pieces = client.layers.take(from: layer) { $0.removeAll() } ?? []
            client.count -= pieces.count
            return pieces
        }
        count -= pieces.count
        return pieces
    }
}

/// A queue of pieces under one key.
private protocol Lane {
    /// The next piece, or nil if the lane is empty.
    var first: WorkPiece? { get }
    mutating func popFirst(_ cost: WorkLanes.Cost) -> WorkPiece?
}

extension FIFO<WorkPiece>: Lane {
    mutating func popFirst(_ cost: WorkLanes.Cost) -> WorkPiece? { popFirst() }
}

/// Chooses the lane whose piece runs next, so that all lanes get equal time. A lane is the queue of one client or one
/// layer. The algorithm is that of processes in Linux (earliest eligible virtual deadline first). Lanes that have used
/// more than their fair part of the time must wait. Of the other lanes, the next is the lane whose piece would end
/// first if all lanes ran in parallel. A client that needs less than its part therefore waits only a little, even if
/// other clients send many requests.
private struct Turns<Key: Hashable, Content: Lane> {
    private struct Entry {
        var content: Content
        /// Virtual start time of the lane's next piece, on the clock `now`.
        var begin: Double
    }

    private struct Candidate {
        let key: Key
        /// Virtual start and end of the lane's next piece, on the clock `now`.
        let begin, end: Double
    }

    private var entries: [Key: Entry] = [:]
    /// Lanes that are not empty, in the order in which they began to wait.
    private var candidates: [Candidate] = []
    /// Virtual clock: the seconds of work that each lane got if it was never empty.
    private var now = 0.0

    /// Empty lanes are remembered, so that their used time is not forgotten. If there are more of them than this number
    /// plus the number of waiting lanes, all empty lanes are forgotten.
    private static var mostEmpty: Int { 256 }

    subscript(key: Key) -> Content? { entries[key]?.content }

    /// Number of lanes that are not empty.
    var waitingCount: Int { candidates.count }

    var first: WorkPiece? { nextIndex.flatMap { entries[candidates[$0].key]?.content.first } }

    /// Lets `change` add a piece to the lane of `key`. If there is no such lane, it is created with `new`.
    mutating func withLane(_ key: Key, new: Content, _ cost: WorkLanes.Cost, _ change: (inout Content) -> Void) {
        if entries.count > 2 * candidates.count + Self.mostEmpty {
            entries = entries.filter { $0.value.content.first != nil }
        }
        var entry = entries.removeValue(forKey: key) ?? Entry(content: new, begin: now)
        let waits = entry.content.first != nil
        change(&entry.content)
        if !waits {
            // A lane that was empty saves up no unused time.
            entry.begin = max(entry.begin, now)
            wait(key, entry, cost)
        }
        entries[key] = entry
    }

    mutating func popFirst(_ cost: WorkLanes.Cost) -> WorkPiece? {
        guard let index = nextIndex else { return nil }
        let key = candidates.remove(at: index).key
        guard var entry = entries.removeValue(forKey: key), let piece = entry.content.popFirst(cost) else { return nil }
        let seconds = cost(piece)
        now += seconds / Double(candidates.count + 1)
        entry.begin += seconds
        wait(key, entry, cost)
        entries[key] = entry
        return piece
    }

    /// Returns what `take` removes from the lane of `key`. Returns nil if there is no such lane.
    mutating func take<Taken>(from key: Key, _ take: (inout Content) -> Taken) -> Taken? {
        guard let index = entries.index(forKey: key) else { return nil }
        let taken = take(&entries.values[index].content)
        if entries.values[index].content.first == nil { candidates.removeAll { $0.key == key } }
        return taken
    }

    /// Returns the pieces that `take` removes from all lanes, in the order in which the lanes began to wait.
    mutating func takeFromEach(_ take: (inout Content) -> [WorkPiece]) -> [WorkPiece] {
        candidates.flatMap { self.take(from: $0.key, take) ?? [] }
    }

    private mutating func wait(_ key: Key, _ entry: Entry, _ cost: WorkLanes.Cost) {
        guard let first = entry.content.first else { return }
        candidates.append(Candidate(key: key, begin: entry.begin, end: entry.begin + cost(first)))
    }

    /// Index in `candidates` of the next lane. Among equals, the lane that has waited longest.
    private var nextIndex: Int? {
        candidates.indices.min { left, right in
            let (left, right) = (candidates[left], candidates[right])
            let isLeftDue = left.begin <= now
            if isLeftDue != (right.begin <= now) { return isLeftDue }
            return isLeftDue ? left.end < right.end : left.begin < right.begin
        }
    }
}
