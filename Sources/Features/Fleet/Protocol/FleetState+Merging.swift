import MapGeometry

/// What Redis says.
extension FleetState {
    /// Redis' answer to the merge that `round` has asked for.
    mutating func merged(_ answer: FleetMerge, _ now: Double, date: Int, of node: FleetNode.Options) -> [Action] {
        guard let round, let asked = round.asked else { return [] }
        let others = answer.nodes.filter { $0.name != node.node }
        meet(others, isEmptied: asked.after != nil && answer.step == .lost, now)
        let known = FleetFile.Applied(self)
        let actions = merged(
            answer, asked: round.rows, sent: asked.sent, now: date, node: node.node, busy: Set(busy.keys))
        // Until it is done the state file says what was before.
        if !actions.isEmpty { before = known }
        // A node that begins with no tiles has missed no clear.
        return asked.after == nil && !node.hasDisk ? actions.map(\.ofNothing) : actions
    }

    /// Redis' answer to a merge of `asked`, before which `sent` had ids. `now`: seconds since 1970. `busy`: layers that are being
    /// cleared by this node, `node`, whose own numbers are none of the answer's business.
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
        // A stream that ends before what was read of it is another one, to be read from its own end on.
        if position.map({ $0 > answer.last }) ?? true { position = answer.last }
        let known = Set(answer.rows.map(\.layer))
        for row in asked where !known.contains(row.layer) && layers[row.layer]?.isProvisional == true {
            layers[row.layer]?.isProvisional = false
        }
        // With more messages to come, these rows are of a later time than `position`.
        if !answer.hasMore { for row in asked { layers[row.layer]?.stored = row.number } }
        for row in answer.rows where row.number.isSane(now: now) {
            if !answer.hasMore { layers[row.layer]?.stored = row.number }
            actions += join(row, hasAllMessages: !answer.hasMore, busy: busy)
        }
        return actions
    }

    /// The purges that have an id, and did not come back with the stream.
    package var sent: [(layer: String, id: StreamID)] {
        layers.flatMap { name, layer in layer.sent.keys.map { (name, $0) } }
    }

    /// The stream ends, and the message that it was given is not in it: Redis has lost it, and perhaps nobody else has it.
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
        // All messages up to now were in the same answer, and the last purge is none of them.
        if hasAllMessages, row.number.purge > layer.number.purge {
            layer.number.purge = row.number.purge
            layer.purges.forget(upTo: row.number.purge)
            if actions.isEmpty { actions = [.removeAll(row.layer, .missed)] }
        }
        layers[row.layer] = layer
        return actions
    }

    /// The layer was cleared where it has now `generation` and `id`.
    static func clear(_ layer: inout Layer, _ name: String, generation: UInt32, _ id: StreamID) -> [Action] {
        var actions: [Action] = []
        if generation > layer.number.generation {
            layer.number.generation = generation
            layer.isProvisional = false
            actions = [.raise(name, to: generation, isClear: id > layer.number.clear)]
        } else if id > layer.number.clear {
            // Given by a Redis that did not know how far this node was.
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

    /// A message of the stream. `isOwn`: this node is about to do what it says; one of another is done at once also then, since
    /// others take it for done once the position is past it.
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
                // What stands between the two went by.
                layer.purges.forget(upTo: previous)
                layer.purges.add(id, area, isSoft: isSoft)
                return [.removeAll(message.layer, .missed)]
            }
            // One of its own is in force already.
            let isKnown = layer.purges.contains(id)
            if previous < last {
                // The node that sent it lacks what stands between: all drop what they have.
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
