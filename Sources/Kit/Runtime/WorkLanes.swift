/// Pieces of work that wait for their turn. Clients share the threads' time, and a client's layers share its time; pieces of
/// one client and layer keep their order.
///
/// O(1) for each operation but for the order of clients, and of a client's layers, which is O(n) in those that wait.
struct WorkLanes {
    /// How many seconds a piece is expected to take; greater than zero.
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

    /// How many clients have pieces that wait.
    var clientCount: Int { clients.waitingCount }

    /// How many pieces of `client` wait.
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

    /// Takes out the piece of this number, client and layer; nil where it does not wait here. O(n) in what waits.
    mutating func remove(_ number: Int, of client: [UInt8]?, _ layer: String) -> WorkPiece? {
        let piece = clients.take(from: client) { client in
            let piece = client.layers.take(from: layer) { $0.removeFirst { $0.number == number } } ?? nil
            if piece != nil { client.count -= 1 }
            return piece
        }
        if case .some(.some) = piece { count -= 1 }
        return piece ?? nil
    }

    /// Takes out all pieces of a layer, those of a client in their order. O(n) in what waits.
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

/// What waits for its turn under one key.
private protocol Lane {
    /// What is next; nil where nothing waits.
    var first: WorkPiece? { get }
    mutating func popFirst(_ cost: WorkLanes.Cost) -> WorkPiece?
}

extension FIFO<WorkPiece>: Lane {
    mutating func popFirst(_ cost: WorkLanes.Cost) -> WorkPiece? { popFirst() }
}

/// Lanes that share time as Linux shares its cores (earliest eligible virtual deadline first): of the lanes that have not had
/// more than their share the next is the one whose piece would end first if all were served at once. So who asks for less than
/// a share waits for what runs, however many ask for more.
private struct Turns<Key: Hashable, Content: Lane> {
    private struct Entry {
        var content: Content
        /// When its next piece begins on the clock `now`.
        var begin: Double
    }

    private struct Candidate {
        let key: Key
        /// When its next piece begins and ends on the clock `now`.
        let begin, end: Double
    }

    private var entries: [Key: Entry] = [:]
    /// The lanes that are not empty, in the order in which they began to wait.
    private var candidates: [Candidate] = []
    /// The time that each lane has had that waited all along.
    private var now = 0.0

    /// Lanes that are empty are remembered up to so many, for what they have had.
    private static var mostEmpty: Int { 256 }

    subscript(key: Key) -> Content? { entries[key]?.content }

    /// How many lanes are not empty.
    var waitingCount: Int { candidates.count }

    var first: WorkPiece? { nextIndex.flatMap { entries[candidates[$0].key]?.content.first } }

    /// Has `change` put something into the lane of `key`.
    mutating func withLane(_ key: Key, new: Content, _ cost: WorkLanes.Cost, _ change: (inout Content) -> Void) {
        if entries.count > 2 * candidates.count + Self.mostEmpty {
            entries = entries.filter { $0.value.content.first != nil }
        }
        var entry = entries.removeValue(forKey: key) ?? Entry(content: new, begin: now)
        let waits = entry.content.first != nil
        change(&entry.content)
        if !waits {
            // Nobody saves time up.
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

    /// What `take` takes out of the lane of `key`; nil where there is no such lane.
    mutating func take<Taken>(from key: Key, _ take: (inout Content) -> Taken) -> Taken? {
        guard let index = entries.index(forKey: key) else { return nil }
        let taken = take(&entries.values[index].content)
        if entries.values[index].content.first == nil { candidates.removeAll { $0.key == key } }
        return taken
    }

    /// What `take` takes out of the lanes, one after the other in the order in which they began to wait.
    mutating func takeFromEach(_ take: (inout Content) -> [WorkPiece]) -> [WorkPiece] {
        candidates.flatMap { self.take(from: $0.key, take) ?? [] }
    }

    private mutating func wait(_ key: Key, _ entry: Entry, _ cost: WorkLanes.Cost) {
        guard let first = entry.content.first else { return }
        candidates.append(Candidate(key: key, begin: entry.begin, end: entry.begin + cost(first)))
    }

    /// The index in `candidates` of the lane that is next; of equals the one that waits longest.
    private var nextIndex: Int? {
        candidates.indices.min { left, right in
            let (left, right) = (candidates[left], candidates[right])
            let isLeftDue = left.begin <= now
            if isLeftDue != (right.begin <= now) { return isLeftDue }
            return isLeftDue ? left.end < right.end : left.begin < right.begin
        }
    }
}
