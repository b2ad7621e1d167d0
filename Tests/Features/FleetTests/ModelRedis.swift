@testable import Fleet

/// A model of `FleetScript` in Swift, with a clock that the test sets.
struct ModelRedis {
    struct Node {
        var seen: UInt64
        var position: StreamID
        var about: String
        /// True if the node's program changes rows without writing an entry to the stream.
        var isOld = false
    }

    /// Days without service after which a layer's row is removed.
    static let unservedDays = 7

    /// The rows by layer. A row that cannot be parsed is missing.
    var rows: [String: FleetNumber] = [:]
    /// The joined numbers of all removed rows.
    var removed = FleetNumber.none
    /// The last day on which a node served the layer, by layer.
    var served: [String: Int] = [:]
    private(set) var day = 0
    private var date: UInt64?
    /// The stream's last id at the end of the last request. If the stream's last id differs, rows may have changed
    /// without an entry. Nil if the field is lost or empty.
    var mark: StreamID?
    var stream: [FleetMerge.Entry] = []
    /// The highest id that the stream ever had. Redis keeps this id with the stream.
    var lastID = StreamID.zero
    var nodes: [String: Node] = [:]
    /// Milliseconds since 1970.
    var time: UInt64
    /// Layers whose rows have changed without a message that reports the change.
    private var silent: [String] = []

    init(time: UInt64) {
        self.time = time
    }

    private func seconds(_ now: Int) -> UInt64 { max(time / 1_000, UInt64(clamping: now)) }
    private func isThere(_ node: Node) -> Bool { node.seen + 300_000 >= time }

    func isMixed(_ me: String) -> Bool {
        nodes.contains { $0.key != me && $0.value.isOld && isThere($0.value) }
    }

    /// Removes the rows and `mark`, like an accident of Redis.
    mutating func loseRows() { (rows, mark, removed) = ([:], nil, .none) }

    private func known(_ layer: String, _ now: Int) -> FleetNumber { sane(layer, now) ?? removed }

    /// Reports whether the layer's row is invalid or may have been removed. Nodes may then know another row.
    private func isLost(_ layer: String, _ now: Int) -> Bool {
        sane(layer, now) == nil && (rows[layer] != nil || removed != .none)
    }

    private func sane(_ layer: String, _ now: Int) -> FleetNumber? {
        guard let row = rows[layer] else { return nil }
        let horizon = seconds(now) + FleetHorizon.seconds
        let isSane =
            UInt64(row.generation) <= horizon
            && [row.clear, row.purge].allSatisfy { $0.milliseconds <= horizon * 1_000 }
        return isSane ? row : nil
    }

    @discardableResult
    private mutating func add(_ row: FleetNumber, _ content: FleetMerge.Entry.Content) -> StreamID {
        let floor = max(row.clear, row.purge)
        var id = StreamID(milliseconds: floor.milliseconds, sequence: floor.sequence + 1)
        if floor.milliseconds < time || id <= lastID {
            id = StreamID(milliseconds: time, sequence: 0)
            if id <= lastID { id = StreamID(milliseconds: lastID.milliseconds, sequence: lastID.sequence + 1) }
        }
        lastID = id
        stream.append(FleetMerge.Entry(id: id, content))
        return id
    }

    // MARK: Every change of a row is in the stream

    /// Begins a request. Returns true if the stream contains every change of rows.
    private mutating func begin(_ me: String) -> Bool {
        guard !isMixed(me) else {
            mark = nil
            return false
        }
        guard let last = stream.last?.id, mark == last, nodes[me].map({ !$0.isOld || !isThere($0) }) ?? true else {
            mark = add(.none, .notice(.rows(nil)))
            return false
        }
        return true
    }

    private mutating func announce(_ me: String) {
        defer { silent = [] }
        guard !silent.isEmpty, !isMixed(me) else { return }
        add(.none, .notice(.rows(silent.count > 500 ? nil : silent)))
    }

    private mutating func end(_ me: String) {
        if !isMixed(me) { mark = stream.last?.id }
    }

    // MARK: Requests

    mutating func clear(node: String, name: String, now: Int, _ asked: [FleetRequest.Row]) -> [FleetRequest.Row] {
        _ = begin(node)
        defer { end(node) }
        let numbers = asked.map { own in
            let before = known(own.layer, now)
            let row = own.number.joined(with: before)
            if row.purge > before.purge || isLost(own.layer, now) { silent.append(own.layer) }
            return clearOne(node: node, name: name, now: now, own.layer, row)
        }
        announce(node)
        return numbers
    }

    private mutating func clearOne(
        node: String, name: String, now: Int, _ layer: String, _ row: FleetNumber
    ) -> FleetRequest.Row {
        var row = row
        row.generation = max(row.generation + 1, UInt32(clamping: seconds(now)))
        row.clear = add(
            row,
            .message(FleetMessage(layer: layer, content: .clear(generation: row.generation), node: node, name: name)))
        rows[layer] = row
        return FleetRequest.Row(layer: layer, number: FleetNumber(generation: row.generation, clear: row.clear))
    }

    mutating func clears(node: String, name: String, now: Int, _ asked: [FleetRequest.Row]) -> [FleetRequest.Row] {
        _ = begin(node)
        defer { end(node) }
        guard !isMixed(node) else { return [] }
        var (ahead, all) = ([FleetRequest.Row](), [FleetRequest.Row]())
        for own in asked {
            let before = known(own.layer, now)
            let row = own.number.joined(with: before)
            if row.purge > before.purge || isLost(own.layer, now) { silent.append(own.layer) }
            if UInt64(row.generation) > seconds(now) + 86_400, ahead.count < 400 {
                ahead.append(clearOne(node: node, name: name, now: now, own.layer, row))
            } else {
                all.append(FleetRequest.Row(layer: own.layer, number: row))
            }
        }
        announce(node)
        guard !all.isEmpty else { return ahead }
        let generation = all.map { $0.number.generation + 1 }.reduce(UInt32(clamping: seconds(now)), max)
        let floor = all.map(\.number).reduce(FleetNumber.none) { $0.joined(with: $1) }
        let id = add(floor, .notice(.clears(all.map(\.layer), generation: generation, node: node)))
        for row in all {
            rows[row.layer] = FleetNumber(generation: generation, clear: id, purge: row.number.purge)
        }
        return ahead
            + all.map { FleetRequest.Row(layer: $0.layer, number: FleetNumber(generation: generation, clear: id)) }
    }

    mutating func purge(
        node: String, name: String, now: Int, _ content: FleetState.WaitingPurge, _ asked: [FleetRequest.Row]
    ) -> [(layer: String, previous: StreamID, id: StreamID)] {
        _ = begin(node)
        defer { end(node) }
        let ids = asked.map { own in
            let before = known(own.layer, now)
            let row = own.number.joined(with: before)
            if row.generation > before.generation || row.clear > before.clear || isLost(own.layer, now) {
                silent.append(own.layer)
            }
            return purgeOne(node: node, name: name, content, own.layer, row)
        }
        announce(node)
        return ids
    }

    private mutating func purgeOne(
        node: String, name: String, _ content: FleetState.WaitingPurge, _ layer: String, _ row: FleetNumber
    ) -> (layer: String, previous: StreamID, id: StreamID) {
        var row = row
        let previous = row.purge
        let purge = FleetMessage.Content.purge(previous: previous, content.area, isSoft: content.isSoft)
        row.purge = add(row, .message(FleetMessage(layer: layer, content: purge, node: node, name: name)))
        rows[layer] = row
        return (layer, previous, row.purge)
    }

    mutating func merge(
        node: String, now: Int, after: StreamID?, applied: StreamID?, about: String, _ asked: [FleetRequest.Row]
    ) -> FleetMerge {
        let isWhole = begin(node)
        defer { end(node) }
        var answers: [FleetRequest.Row] = []
        for own in asked {
            let row = own.number.joined(with: known(own.layer, now))
            if row != rows[own.layer] {
                rows[own.layer] = row
                if row != .none { silent.append(own.layer) }
            }
            if row != own.number { answers.append(FleetRequest.Row(layer: own.layer, number: row)) }
        }
        announce(node)
        let isFound = after.map { after in stream.contains { $0.id == after } } ?? false
        let isMixed = isMixed(node)
        return answer(
            after, answers, isMixed ? .mixed : isWhole && isFound ? .inStep : .lost, node,
            Node(seen: time, position: applied ?? .zero, about: about))
    }

    /// Records that a node serves `layers`. If `removes` is true, also removes rows of layers that no node serves any
    /// more.
    mutating func sweep(node: String, now: Int, _ layers: [String], removes: Bool = true) {
        _ = begin(node)
        defer { end(node) }
        guard !isMixed(node) else { return }
        if date != time / 86_400_000 { (date, day) = (time / 86_400_000, day + 1) }
        for layer in layers { served[layer] = day }
        for layer in rows.keys where removes {
            guard let seen = served[layer], seen <= day else {
                served[layer] = day
                continue
            }
            if day - seen > Self.unservedDays, !isAhead(layer, now) { remove(layer, now) }
        }
        announce(node)
    }

    /// Reports whether a wrong clock has put the row's numbers more than a day into the future.
    private func isAhead(_ layer: String, _ now: Int) -> Bool {
        guard let row = sane(layer, now) else { return false }
        let most = time / 1_000 + 86_400
        return UInt64(row.generation) > most || max(row.clear, row.purge).milliseconds > most * 1_000
    }

    /// Removes the layer's row, like `sweep` does a week after the last node served the layer.
    mutating func remove(node: String, now: Int, _ layer: String) {
        _ = begin(node)
        defer { end(node) }
        guard !isMixed(node), rows[layer] != nil else { return }
        remove(layer, now)
        announce(node)
    }

    private mutating func remove(_ layer: String, _ now: Int) {
        removed = removed.joined(with: sane(layer, now) ?? .none)
        (rows[layer], served[layer]) = (nil, nil)
        silent.append(layer)
    }

    private mutating func answer(
        _ after: StreamID?, _ rows: [FleetRequest.Row], _ step: FleetMerge.Step, _ name: String, _ node: Node
    ) -> FleetMerge {
        let entries = after.map { after in stream.filter { $0.id > after } } ?? []
        let taken = entries.prefix(256)
        nodes[name] = node
        nodes = nodes.filter { isThere($0.value) }
        return FleetMerge(
            last: stream.last?.id ?? .zero, hasMore: entries.count > taken.count, rows: rows,
            nodes: nodes.map { name, node in
                FleetMerge.Node(
                    name: name, age: Double(time - node.seen) / 1_000, position: node.position, about: node.about,
                    isOld: node.isOld)
            }, entries: Array(taken), step: step)
    }
}

/// The script of old nodes, which changes rows without writing an entry to the stream.
extension ModelRedis {
    mutating func oldClear(node: String, name: String, now: Int, _ asked: [FleetRequest.Row]) -> [FleetRequest.Row] {
        asked.map { own in
            clearOne(
                node: node, name: name, now: now, own.layer, own.number.joined(with: sane(own.layer, now) ?? .none))
        }
    }

    mutating func oldPurge(
        node: String, name: String, now: Int, _ content: FleetState.WaitingPurge, _ asked: [FleetRequest.Row]
    ) -> [(layer: String, previous: StreamID, id: StreamID)] {
        asked.map { own in
            purgeOne(node: node, name: name, content, own.layer, own.number.joined(with: sane(own.layer, now) ?? .none))
        }
    }

    mutating func oldMerge(
        node: String, now: Int, after: StreamID?, about: String, _ asked: [FleetRequest.Row]
    ) -> FleetMerge {
        var answers: [FleetRequest.Row] = []
        for own in asked {
            let row = own.number.joined(with: sane(own.layer, now) ?? .none)
            if row != .none { rows[own.layer] = row }
            if row != own.number { answers.append(FleetRequest.Row(layer: own.layer, number: row)) }
        }
        var answer = answer(
            after, answers, .mixed, node, Node(seen: time, position: after ?? .zero, about: about, isOld: true))
        // An old node ignores entries that it cannot parse.
        answer.entries = answer.entries.map { entry in
            entry.message == nil ? FleetMerge.Entry(id: entry.id, .notice(.rows([]))) : entry
        }
        return answer
    }
}
