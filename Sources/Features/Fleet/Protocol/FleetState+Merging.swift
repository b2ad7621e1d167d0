import MapGeometry

/// Applies the answers of Redis to merges. In a merge, a node sends its numbers and gets new messages and numbers.
extension FleetState {
    /// Applies the answer of Redis to the last merge of the current round. Returns the actions for the server.
    mutating func merged(_ answer: FleetMerge, _ now: Double, date: Int, of node: FleetNode.Options) -> [Action] {
        guard let round, let asked = round.asked else { return [] }
        let others = answer.nodes.filter { $0.name != node.node }
        meet(others, isEmptied: asked.after != nil && answer.step == .lost, now)
        let known = FleetFile.Applied(self)
        let actions = merged(
            answer, asked: round.rows, sent: asked.sent, now: date, node: node.node, busy: Set(busy.keys))
        // The state file keeps the old numbers until the actions are done.
        if !actions.isEmpty { before = known }
        // A node that starts without tiles has missed no purge, so the log gets no line.
        return asked.after == nil && !node.hasDisk ? actions.map(\.ofNothing) : actions
    }

    /// Applies the answer of Redis to a merge. Returns the actions for the server.
    ///
    /// - Parameters:
    ///   - asked: the rows that this node sent with the merge.
    ///   - sent: purges that had an id when the merge was sent, but were not yet read from the stream.
    ///   - now: seconds since 1970.
    ///   - node: the name of this node.
    ///   - busy: layers that this node is clearing now. The rows of the answer do not clear these layers: this node's
    ///     clear does.
    mutating func merged(
        _ answer: FleetMerge, asked: [FleetRequest.Row], sent: [(layer: String, id: StreamID)], now: Int,
        node: String, busy: Set<String> = []
    ) -> [Action] {
        heed(answer.step)
        var actions: [Action] = []
        for entry in answer.entries where FleetHorizon.isSane(entry.id, now: now) {
            actions += apply(entry, now: now, node: node, busy: busy)
            position = max(position ?? .zero, entry.id)
        }
        if !answer.hasMore { for (layer, id) in sent { sendAgain(layer, id) } }
        // If the stream ends before this node's position, it is a new stream. This node reads it from its end on.
        if position.map({ $0 > answer.last }) ?? true { position = answer.last }
        let known = Set(answer.rows.map(\.layer))
        for row in asked where !known.contains(row.layer) && layers[row.layer]?.isProvisional == true {
            layers[row.layer]?.isProvisional = false
        }
        // If more messages follow, these rows are newer than `position`.
        if !answer.hasMore { for row in asked { layers[row.layer]?.stored = row.number } }
        for row in answer.rows where row.number.isSane(now: now) {
            if !answer.hasMore { layers[row.layer]?.stored = row.number }
            actions += join(row, hasAllMessages: !answer.hasMore, busy: busy)
        }
        return actions
    }

    /// Purges that have an id but have not come back with the stream.
    package var sent: [(layer: String, id: StreamID)] {
        layers.flatMap { name, layer in layer.sent.keys.map { (name, $0) } }
    }

    /// Lets the purge wait for a new id. The stream ended without the purge's message: Redis has lost it, and other
    /// nodes may not have it.
    private mutating func sendAgain(_ layer: String, _ id: StreamID) {
        guard let purge = layers[layer]?.sent.removeValue(forKey: id) else { return }
        layers[layer]?.waiting.append(purge)
    }

    private mutating func join(_ row: FleetRequest.Row, hasAllMessages: Bool, busy: Set<String>) -> [Action] {
        guard var layer = layers[row.layer], !layer.isUnnumbered else { return [] }
        var actions: [Action] = []
        if !busy.contains(row.layer) {
            actions = Self.clear(&layer, row.layer, generation: row.number.generation, row.number.clear)
        }
        // The answer has all messages up to now, but not the layer's last purge. This node has missed that purge.
        if hasAllMessages, row.number.purge > layer.number.purge {
            layer.number.purge = row.number.purge
            layer.purges.forget(upTo: row.number.purge)
            if actions.isEmpty { actions = [.removeAll(row.layer, .missed)] }
        }
        layers[row.layer] = layer
        return actions
    }

    /// Takes over a clear if its `generation` or `id` is newer than the layer's. Returns the actions for the server.
    static func clear(_ layer: inout Layer, _ name: String, generation: UInt32, _ id: StreamID) -> [Action] {
        var actions: [Action] = []
        if generation > layer.number.generation {
            layer.number.generation = generation
            layer.isProvisional = false
            actions = [.raise(name, to: generation, isClear: id > layer.number.clear)]
        } else if id > layer.number.clear {
            // This node has reached the generation already. Redis did not know that when it numbered the clear.
            actions = [.removeAll(name, .cleared)]
            if generation == 0 { layer.isProvisional = false }
        }
        layer.number.clear = max(layer.number.clear, id)
        layer.purges.forget(upTo: id)
        return actions
    }

    private mutating func apply(_ entry: FleetMerge.Entry, now: Int, node: String, busy: Set<String>) -> [Action] {
        switch entry.content {
        case .message(let message):
            note(message, entry.id, now: now)
            let isOwn = message.node == node && busy.contains(message.layer)
            return apply(message, entry.id, now: now, isOwn: isOwn)
        case .notice(.clears(let layers, let generation, let author)):
            return layers.flatMap { layer in
                let message = FleetMessage(
                    layer: layer, content: .clear(generation: generation), node: author, name: "")
                note(message, entry.id, now: now)
                return apply(message, entry.id, now: now, isOwn: author == node && busy.contains(layer))
            }
        case .notice(.rows(let layers?)):
            for layer in layers { self.layers[layer]?.stored = nil }
            return []
        case .notice(.rows(nil)), .unknown:
            forgetStored()
            return []
        }
    }

    /// Applies a message of the stream, and returns the actions for the server. If `isOwn` is true, this node is
    /// performing the clear itself, so the function skips a clear.
    ///
    /// The function does not delay a clear of another node while this node clears the same layer. Other nodes compare
    /// this node's position with the message, and assume that the clear is applied.
    private mutating func apply(_ message: FleetMessage, _ id: StreamID, now: Int, isOwn: Bool) -> [Action] {
        guard var layer = layers[message.layer] else { return [] }
        defer { layers[message.layer] = layer }
        switch message.content {
        case .clear(let generation):
            guard !layer.isUnnumbered, !isOwn, FleetHorizon.isSane(generation, now: now) else { return [] }
            return Self.clear(&layer, message.layer, generation: generation, id)
        case .purge(let previous, let area, let isSoft):
            let last = layer.number.purge
            layer.sent[id] = nil
            guard id != last else { return [] }
            layer.number.purge = max(id, last)
            if previous > last {
                // This node has missed the purges between `last` and `previous`.
                layer.purges.forget(upTo: previous)
                layer.purges.add(id, area, isSoft: isSoft)
                return [.removeAll(message.layer, .missed)]
            }
            // A purge of this node, or a purge that a peer has sent, is in force already.
            let isKnown = layer.purges.contains(id)
            if previous < last {
                // The sender lacks the purges between `previous` and `last`. All nodes drop the tiles of the layer.
                layer.number.clear = max(layer.number.clear, layer.number.purge)
                layer.purges.forget(upTo: layer.number.purge)
                return [.removeAll(message.layer, .forked)]
            }
            guard !isKnown else { return [] }
            layer.purges.add(id, area, isSoft: isSoft)
            return [.purge(message.layer, area, isSoft: isSoft)]
        }
    }
}

extension FleetNumber {
    func isSane(now: Int) -> Bool {
        FleetHorizon.isSane(generation, now: now) && FleetHorizon.isSane(clear, now: now)
            && FleetHorizon.isSane(purge, now: now)
    }
}
