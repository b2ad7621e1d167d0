import MapGeometry
import TileCache

/// What Redis says.
extension FleetState {
    /// The rows of the next merge, in parts of `FleetRequest.mostRows`. A layer that waits for an id is not among them: what it has
    /// is no number of the fleet's.
    package func rows() -> [[FleetRequest.Row]] {
        let rows = layers.filter { !$0.value.isUnnumbered }.sorted { $0.key < $1.key }.map { id, layer in
            var number = layer.number
            // Redis is asked what the fleet has before it is told what this node would take.
            if layer.isProvisional { number.generation = 0 }
            return FleetRequest.Row(layer: id, number: number)
        }
        guard !rows.isEmpty else { return [[]] }
        return stride(from: 0, to: rows.count, by: FleetRequest.mostRows).map {
            Array(rows[$0..<min($0 + FleetRequest.mostRows, rows.count)])
        }
    }

    /// Redis' answer to a merge of `asked`, before which `sent` had ids. `now`: seconds since 1970. `busy`: layers that are being
    /// cleared by this node, `node`, whose own numbers are none of the answer's business.
    package mutating func merged(
        _ answer: FleetMerge, asked: [FleetRequest.Row], sent: [(layer: String, id: StreamID)], now: Int,
        node: String, busy: Set<String> = []
    ) -> [Action] {
        var actions: [Action] = []
        for entry in answer.entries where FleetHorizon.isSane(entry.id, now: now) {
            if let message = entry.message {
                let isOwn = message.node == node && busy.contains(message.layer)
                actions += apply(message, entry.id, now: now, isOwn: isOwn)
            }
            position = max(position ?? .zero, entry.id)
        }
        if !answer.hasMore { for (layer, id) in sent { sendAgain(layer, id) } }
        // A stream that ends before what was read of it is another one, to be read from its own end on.
        if position.map({ $0 > answer.last }) ?? true { position = answer.last }
        let known = Set(answer.rows.map(\.layer))
        for row in asked where !known.contains(row.layer) && layers[row.layer]?.isProvisional == true {
            layers[row.layer]?.isProvisional = false
        }
        for row in answer.rows where row.number.isSane(now: now) {
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
