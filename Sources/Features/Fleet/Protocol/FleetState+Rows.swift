/// Chooses the rows that this node sends to Redis with its next merge. A row has the number of one layer. The stream
/// announces every change of a row, except changes by nodes of older versions. So a node that reads the stream normally
/// knows the rows in Redis. It sends the rows that differ or that it does not know, and a few more rows as a check.
extension FleetState {
    /// Forgets the rows of Redis, so the next merges send all rows.
    mutating func forgetStored() {
        for layer in layers.keys { layers[layer]?.stored = nil }
    }

    /// Prepares a round. `isLate`: the last merge was long ago, so a node that changes rows without a message may have
    /// come and gone.
    mutating func beginRound(isLate: Bool) {
        if isMixed || isLate { forgetStored() }
    }

    /// Seconds without a complete round after which the next round compares all rows.
    private static let late = 2.5

    /// Begins a round and returns its first merge. `most`: maximum number of rows to compare although no message
    /// reports a difference.
    mutating func beginRound(checked most: Int, _ now: Double, of node: FleetNode.Options) -> [Effect] {
        let isDue = now - checked >= FleetNode.period * 0.9
        if isDue { checked = now }
        let isLate = now - mergeTime > Self.late
        round = FleetRound(&self, isLate: isLate, checked: isDue ? most : 0)
        return nextMerge(of: node)
    }

    /// Continues the round after the answer to its merge is in force. Returns the next merge, if there is one.
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

    /// Returns the rows that differ from Redis, or whose number in Redis is unknown. Leaves out `busy` layers and
    /// layers whose clear has no id: the fleet does not know that clear yet.
    package func due(busy: Set<String> = []) -> [FleetRequest.Row] {
        layers.compactMap { id, layer in
            layer.isUnnumbered || layer.isInStep || busy.contains(id) ? nil : row(id, layer)
        }
    }

    /// Returns the next rows, at most `count`, to compare although no message reports a difference. The comparison
    /// finds rows that another program than `FleetScript` has changed.
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
        // Redis ignores a number that is more than ten years ahead.
        layers[message.layer]?.stored = stored.isSane(now: now) ? stored : nil
    }
}

extension FleetState.Layer {
    /// The number to send to Redis. A provisional generation is not sent: Redis first tells this node the fleet's
    /// generation.
    fileprivate var told: FleetNumber {
        var number = number
        if isProvisional { number.generation = 0 }
        return number
    }

    /// True if Redis has the number of this node. A provisional generation may be greater than the generation in Redis.
    fileprivate var isInStep: Bool {
        guard let stored, stored.clear == number.clear, stored.purge == number.purge else { return false }
        guard isProvisional else { return stored.generation == number.generation }
        return (1...number.generation).contains(stored.generation)
    }
}

/// The merges of one round, one after the other. The first merges read messages. The next merges send the rows that
/// differ from Redis, until no row differs.
package struct FleetRound: Sendable {
    /// The rows of the next merge.
    package private(set) var rows: [FleetRequest.Row]
    /// The position that the next merge reports as applied.
    package private(set) var applied: StreamID?
    package private(set) var isOver = false
    /// The numbers that this round has sent to Redis.
    private var told: [String: FleetNumber] = [:]
    /// The node's position and its sent purges at the time of the last merge.
    private(set) var asked: (after: StreamID?, sent: [(layer: String, id: StreamID)])?
    /// Number of merges that the round may still make.
    private var left: Int

    /// Begins a round. `checked`: number of rows to compare although no message reports a difference.
    init(_ state: inout FleetState, isLate: Bool, checked: Int) {
        state.beginRound(isLate: isLate)
        rows = state.check(checked)
        applied = state.applied
        left = 64 + 2 * state.layers.count / FleetRequest.mostRows
    }

    /// Returns the rows and the applied position for the next merge. Nil if the round is over, or has made too many
    /// merges.
    mutating func ask(
        after: StreamID?, sent: [(layer: String, id: StreamID)]
    ) -> (rows: [FleetRequest.Row], applied: StreamID?)? {
        guard !isOver, left > 0 else { return nil }
        left -= 1
        asked = (after, sent)
        return (rows, applied)
    }

    /// Prepares the next merge, or ends the round. The actions from the answer to the last merge must be in force.
    /// `busy` has the layers that this node is clearing now, and their rows are not sent.
    mutating func advance(_ state: inout FleetState, hasMore: Bool, busy: Set<String>) {
        for row in rows { told[row.layer] = row.number }
        rows = []
        if hasMore { return }
        // Sends a number again only if the row in Redis is unknown: Redis does not take every number, for example a
        // generation from a wrong clock.
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
