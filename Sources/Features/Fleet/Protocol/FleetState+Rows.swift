/// Which rows the next merge has. All changes of rows in Redis stand in the stream: while this node reads every entry it knows what
/// Redis has, and sends what differs.
extension FleetState {
    /// Takes nothing of what Redis has for known: the next merges have all rows.
    mutating func forgetStored() {
        for layer in layers.keys { layers[layer]?.stored = nil }
    }

    /// At the beginning of a round. `isLate`: the last one was so long ago that a node which changes rows silently may have come and gone.
    mutating func beginRound(isLate: Bool) {
        if isMixed || isLate { forgetStored() }
    }

    /// Seconds without a merge after which all rows are compared at once.
    private static let late = 2.5

    /// The first merge of a round.
    mutating func beginRound(checked most: Int, _ now: Double, of node: FleetNode.Options) -> [Effect] {
        let isDue = now - checked >= FleetNode.period * 0.9
        if isDue { checked = now }
        let isLate = now - mergeTime > Self.late
        round = FleetRound(&self, isLate: isLate, checked: isDue ? most : 0)
        return nextMerge(of: node)
    }

    /// The answer to the merge is in force. The next merge of the round, if it has one.
    mutating func advanceRound(hasMore: Bool, of node: FleetNode.Options) -> [Effect] {
        before = nil
        guard var round else { return [] }
        round.advance(&self, hasMore: hasMore, busy: Set(busy.keys))
        self.round = round
        return nextMerge(of: node)
    }

    private mutating func nextMerge(of node: FleetNode.Options) -> [Effect] {
        let (after, sent) = (position, sent)
        guard let (rows, applied) = round?.ask(after: after, sent: sent) else { return [] }
        return [.merge(.merge(after: after, applied: applied, about: node.version, rows))]
    }

    mutating func heed(_ step: FleetMerge.Step) {
        if step == .lost || (step == .mixed && !isMixed) { forgetStored() }
        isMixed = step == .mixed
    }

    /// The rows that Redis is to be asked for, and told of. Not those of `busy` layers, nor of layers that wait for an id: a clear that has
    /// no id is no number of the fleet's.
    package func due(busy: Set<String> = []) -> [FleetRequest.Row] {
        layers.compactMap { id, layer in
            layer.isUnnumbered || layer.isInStep || busy.contains(id) ? nil : row(id, layer)
        }
    }

    /// The next `count` layers that are compared although nothing says that they differ: what changes a row beside `FleetScript` is
    /// found by it.
    mutating func check(_ count: Int) -> [FleetRequest.Row] {
        if unchecked.isEmpty { unchecked = Array(layers.keys) }
        let names = unchecked.suffix(count)
        unchecked.removeLast(names.count)
        return names.compactMap { id in layers[id].flatMap { $0.isUnnumbered ? nil : row(id, $0) } }
    }

    private func row(_ id: String, _ layer: Layer) -> FleetRequest.Row {
        FleetRequest.Row(layer: id, number: layer.told)
    }

    /// Updates `stored` by a message of the stream.
    mutating func note(_ message: FleetMessage, _ id: StreamID, now: Int) {
        guard var stored = layers[message.layer]?.stored else { return }
        switch message.content {
        case .clear(let generation):
            stored = stored.joined(with: FleetNumber(generation: generation, clear: id))
        case .purge: stored.purge = max(stored.purge, id)
        }
        // Redis takes a lie for nothing.
        layers[message.layer]?.stored = stored.isSane(now: now) ? stored : nil
    }
}

extension FleetState.Layer {
    /// The number sent to Redis. A provisional generation is not sent: Redis first says which one the fleet has.
    fileprivate var told: FleetNumber {
        var number = number
        if isProvisional { number.generation = 0 }
        return number
    }

    /// Whether Redis has what this node has.
    fileprivate var isInStep: Bool {
        guard let stored, stored.clear == number.clear, stored.purge == number.purge else { return false }
        guard isProvisional else { return stored.generation == number.generation }
        return (1...number.generation).contains(stored.generation)
    }
}

/// The merges of one round, one after the other: messages, then the rows that are due, until nothing is.
package struct FleetRound: Sendable {
    /// Of the next merge.
    package private(set) var rows: [FleetRequest.Row]
    /// Position of this node that the next merge reports.
    package private(set) var applied: StreamID?
    package private(set) var isOver = false
    /// Numbers sent to Redis in this round.
    private var told: [String: FleetNumber] = [:]
    /// The node's position and rows at the time of the last merge.
    private(set) var asked: (after: StreamID?, sent: [(layer: String, id: StreamID)])?
    /// How many merges this round may still have.
    private var left: Int

    /// `checked`: how many rows are compared although nothing says that they differ.
    init(_ state: inout FleetState, isLate: Bool, checked: Int) {
        state.beginRound(isLate: isLate)
        rows = state.check(checked)
        applied = state.applied
        left = 64 + 2 * state.layers.count / FleetRequest.mostRows
    }

    /// The rows and the position of the next merge. Nil if the round is over, or has had too many merges.
    mutating func ask(
        after: StreamID?, sent: [(layer: String, id: StreamID)]
    ) -> (rows: [FleetRequest.Row], applied: StreamID?)? {
        guard !isOver, left > 0 else { return nil }
        left -= 1
        asked = (after, sent)
        return (rows, applied)
    }

    /// The answer to the merge is in force. `busy`: layers that this node is clearing.
    mutating func advance(_ state: inout FleetState, hasMore: Bool, busy: Set<String>) {
        for row in rows { told[row.layer] = row.number }
        rows = []
        if hasMore { return }
        // A number that Redis does not take, such as the generation of a wrong clock, is sent once.
        let due = state.due(busy: busy).filter { row in
            state.layers[row.layer]?.stored == nil || told[row.layer] != row.number
        }
        if due.isEmpty {
            state.applied = state.position
            isOver = applied == state.applied
            applied = state.applied
        } else {
            rows = Array(due.prefix(FleetRequest.mostRows))
        }
    }
}
