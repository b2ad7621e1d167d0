import Fleet

/// What `FleetScript` does, in Swift, with a clock that the test sets.
struct ModelRedis {
    /// By layer. A row that cannot be read is nil.
    var rows: [String: FleetNumber] = [:]
    var stream: [FleetMerge.Entry] = []
    /// Of the last entry that there ever was: the stream's own memory.
    var lastID = StreamID.zero
    var nodes: [String: (seen: UInt64, position: StreamID, about: String)] = [:]
    /// Milliseconds since 1970.
    var time: UInt64

    init(time: UInt64) {
        self.time = time
    }

    private func seconds(_ now: Int) -> UInt64 { max(time / 1_000, UInt64(clamping: now)) }

    private func known(_ layer: String, _ now: Int) -> FleetNumber {
        guard let row = rows[layer] else { return .none }
        let horizon = seconds(now) + FleetHorizon.seconds
        let isSane =
            UInt64(row.generation) <= horizon
            && [row.clear, row.purge].allSatisfy { $0.milliseconds <= horizon * 1_000 }
        return isSane ? row : .none
    }

    private mutating func add(_ row: FleetNumber, _ message: FleetMessage) -> StreamID {
        let floor = max(row.clear, row.purge)
        var id = StreamID(milliseconds: floor.milliseconds, sequence: floor.sequence + 1)
        if floor.milliseconds < time || id <= lastID {
            id = StreamID(milliseconds: time, sequence: 0)
            if id <= lastID { id = StreamID(milliseconds: lastID.milliseconds, sequence: lastID.sequence + 1) }
        }
        lastID = id
        stream.append(FleetMerge.Entry(id: id, message: message))
        return id
    }

    mutating func clear(node: String, name: String, now: Int, _ asked: [FleetRequest.Row]) -> [FleetRequest.Row] {
        asked.map { own in
            var row = own.number.joined(with: known(own.layer, now))
            row.generation = max(row.generation + 1, UInt32(clamping: seconds(now)))
            row.clear = add(
                row,
                FleetMessage(layer: own.layer, content: .clear(generation: row.generation), node: node, name: name))
            rows[own.layer] = row
            return FleetRequest.Row(
                layer: own.layer, number: FleetNumber(generation: row.generation, clear: row.clear))
        }
    }

    mutating func purge(
        node: String, name: String, now: Int, _ content: FleetState.WaitingPurge, _ asked: [FleetRequest.Row]
    ) -> [(layer: String, previous: StreamID, id: StreamID)] {
        asked.map { own in
            var row = own.number.joined(with: known(own.layer, now))
            let previous = row.purge
            row.purge = add(
                row,
                FleetMessage(
                    layer: own.layer,
                    content: .purge(previous: previous, content.area, isSoft: content.isSoft), node: node, name: name))
            rows[own.layer] = row
            return (own.layer, previous, row.purge)
        }
    }

    mutating func merge(
        node: String, now: Int, after: StreamID?, about: String, _ asked: [FleetRequest.Row]
    ) -> FleetMerge {
        var answers: [FleetRequest.Row] = []
        for own in asked {
            let row = own.number.joined(with: known(own.layer, now))
            if row != .none { rows[own.layer] = row }
            if row != own.number { answers.append(FleetRequest.Row(layer: own.layer, number: row)) }
        }
        let last = stream.last?.id ?? .zero
        let entries = after.map { after in stream.filter { $0.id > after } } ?? []
        let taken = entries.prefix(256)
        nodes[node] = (time, after ?? .zero, about)
        nodes = nodes.filter { $0.value.seen + 300_000 >= time }
        return FleetMerge(
            last: last, hasMore: entries.count > taken.count, rows: answers,
            nodes: nodes.map { name, node in
                FleetMerge.Node(
                    name: name, age: Double(time - node.seen) / 1_000, position: node.position, about: node.about)
            }, entries: Array(taken))
    }
}
