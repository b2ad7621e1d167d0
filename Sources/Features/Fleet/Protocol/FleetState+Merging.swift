import MapGeometry

/// Answers of Redis to merges.
extension FleetState {
    /// Applies Redis' answer to the current merge of `round`.
    mutating func merged(_ answer: FleetMerge, _ now: Double, date: Int, of node: FleetNode.Options) -> [Action] {
        guard let round, let asked = round.asked else { return [] }
        let others = answer.nodes.filter { $0.name != node.node }
        meet(others, isEmptied: asked.after != nil && answer.step == .lost, now)
        let known = FleetFile.Applied(self)
        let actions = merged(
            answer, asked: round.rows, sent: asked.sent, now: date, node: node.node, busy: Set(busy.keys))
        // The state file keeps the old numbers until the actions are done.
        if !actions.isEmpty { before = known }
        // A node that starts without tiles has missed no clear, so the log gets no line.
        return asked.after == nil && !node.hasDisk ? actions.map(\.ofNothing) : actions
    }

    /// Applies Redis' answer to a merge.
    ///
    /// - Parameters:
    ///   - asked: the rows of the request.
    ///   - sent: purges that had ids before the request.
    ///   - now: seconds since 1970.
    ///   - node: the name of this node.
    ///   - busy: layers that this node is clearing. The clear sets the numbers of these layers, not the answer.
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

    /// Clears the layer if `generation` or `id` is greater than its own. Returns the actions.
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

    /// Applies a message of the stream. `isOwn`: this node is performing the clear itself, so the message is skipped. A
    /// clear of another node is performed at once, even while this node clears the layer. Other nodes take a message
    /// for done once this node's position is past it.
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
            // A purge of this node is in force already.
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
