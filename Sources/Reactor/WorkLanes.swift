/// Pieces of work that wait for their turn. Clients take turns; so do the layers of a client; pieces of one client and
/// layer keep their order. Every operation is O(1), amortised, but for `remove`.
struct WorkLanes {
    private var clients = Turns<[UInt8]?, Client>()
    private(set) var count = 0

    private struct Client: Lane {
        var layers = Turns<String, FIFO<WorkPiece>>()
        var count = 0

        var isEmpty: Bool { count == 0 }

        mutating func popFirst() -> WorkPiece? {
            let piece = layers.popFirst()
            if piece != nil { count -= 1 }
            return piece
        }
    }

    /// How many pieces of `client` wait.
    func count(of client: [UInt8]?) -> Int { clients[client]?.count ?? 0 }

    mutating func append(_ piece: WorkPiece) {
        count += 1
        clients.withLane(piece.client, new: Client()) { client in
            client.count += 1
            client.layers.withLane(piece.layer, new: FIFO()) { $0.append(piece) }
        }
    }

    mutating func popFirst() -> WorkPiece? {
        let piece = clients.popFirst()
        if piece != nil { count -= 1 }
        return piece
    }

    /// Takes out the piece of this number, client and layer; nil where it does not wait here. O(n) in what waits.
    mutating func remove(_ number: Int, of client: [UInt8]?, _ layer: String) -> WorkPiece? {
        let piece = clients.remove(from: client) { client in
            let piece = client.layers.remove(from: layer) { $0.removeFirst { $0.number == number } }
            if piece != nil { client.count -= 1 }
            return piece
        }
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

    /// What `take` takes out of the lane of `key`.
    mutating func remove(
        from key: Key, _ take: (inout Content) -> Content.Element?
    ) -> Content.Element? {
        guard let index = lanes.index(forKey: key) else { return nil }
        let element = take(&lanes.values[index])
        if lanes.values[index].isEmpty {
            lanes.remove(at: index)
            _ = order.removeFirst { $0 == key }
        }
        return element
    }
}
