/// Pieces of work that wait for their turn. Clients take turns; so do the layers of a client; pieces of one client and
/// layer keep their order. Every operation is O(1), amortised.
struct WorkLanes {
    struct Piece: Sendable {
        /// Nil: of no known client.
        let client: [UInt8]?
        let layer: String
        let run: @Sendable () -> Void
    }

    private var clients = Turns<[UInt8]?, Client>()
    private(set) var count = 0

    private struct Client: Lane {
        var layers = Turns<String, FIFO<Piece>>()
        var count = 0

        var isEmpty: Bool { count == 0 }

        mutating func popFirst() -> Piece? {
            let piece = layers.popFirst()
            if piece != nil { count -= 1 }
            return piece
        }
    }

    /// Whether there is room for `piece` among `depth`: a client gets no more than it leaves to others, so that a crowd of
    /// one never fills the queue.
    func admits(_ piece: Piece, depth: Int) -> Bool {
        guard count < depth else { return false }
        return piece.client == nil || clients[piece.client]?.count ?? 0 <= depth - count
    }

    mutating func append(_ piece: Piece) {
        count += 1
        clients.withLane(piece.client, new: Client()) { client in
            client.count += 1
            client.layers.withLane(piece.layer, new: FIFO()) { $0.append(piece) }
        }
    }

    mutating func popFirst() -> Piece? {
        let piece = clients.popFirst()
        if piece != nil { count -= 1 }
        return piece
    }
}

/// What waits for its turn under one key.
private protocol Lane {
    associatedtype Element
    var isEmpty: Bool { get }
    mutating func popFirst() -> Element?
}

extension FIFO: Lane {
    var isEmpty: Bool { count == 0 }
}

/// Lanes that take turns, the one that waited longest first. A lane that is empty is no more.
private struct Turns<Key: Hashable, Content: Lane> {
    private var lanes: [Key: Content] = [:]
    private var order = FIFO<Key>()

    subscript(key: Key) -> Content? { lanes[key] }

    /// Has `change` put something into the lane of `key`.
    mutating func withLane(_ key: Key, new: Content, _ change: (inout Content) -> Void) {
        if lanes[key] == nil { order.append(key) }
        change(&lanes[key, default: new])
    }

    mutating func popFirst() -> Content.Element? {
        guard let key = order.popFirst(), let element = lanes[key]?.popFirst() else { return nil }
        if lanes[key]?.isEmpty == true { lanes[key] = nil } else { order.append(key) }
        return element
    }
}
