/// What is cleared here, and what peers say.
extension FleetState {
    /// Numbers that Redis gives clears.
    package struct Numbers: Sendable {
        package var rows: [FleetRequest.Row] = []
        /// How often each layer was cleared without a number before Redis was asked.
        package var counts: [String: Int] = [:]
        /// Whether it has all of them: else Redis does not answer.
        package var isWhole = true
    }

    /// Redis has numbered clears. Who has one of them has all that is outstanding of the layer without a number, purges included.
    mutating func cleared(_ numbers: Numbers, now: Int) -> [Action] {
        var (actions, ids) = ([Action](), [String: StreamID]())
        for row in numbers.rows {
            let (layer, id) = (row.layer, row.number.clear)
            guard
                let generation = cleared(
                    layer, generation: row.number.generation, id, now: now, asked: numbers.counts[layer] ?? 0)
            else { continue }
            actions.append(.raise(layer, to: generation, isClear: true))
            if layers[layer]?.isShared == true { ids[layer] = id }
        }
        for item in outstanding.indices where outstanding[item].last == nil {
            for index in outstanding[item].messages.indices where outstanding[item].messages[index].id == nil {
                outstanding[item].messages[index].id = ids[outstanding[item].messages[index].layer]
            }
        }
        return actions
    }

    /// The rows to ask numbers with.
    package func rows(of layers: [String]) -> [FleetRequest.Row] {
        layers.compactMap { id in self.layers[id].map { FleetRequest.Row(layer: id, number: $0.number) } }
    }

    /// How often each layer was cleared or purged without a number, which is to be kept while Redis is asked for one: for `cleared`.
    package var aloneCounts: [String: Int] { layers.compactMapValues { $0.aloneCount == 0 ? nil : $0.aloneCount } }

    /// Redis has given this node's clear of the layer a number. Returns the generation that the layer is to take; nil where that
    /// would be a lie, or no step forward. `asked`: the layer's `aloneCounts` when Redis was asked; what came after that still
    /// waits for a number. Nil: nothing came.
    mutating func cleared(
        _ layer: String, generation: UInt32, _ id: StreamID, now: Int, asked: Int? = nil
    ) -> UInt32? {
        guard var known = layers[layer], FleetHorizon.isSane(generation, now: now),
            FleetHorizon.isSane(id, now: now)
        else { return nil }
        // A later clear was quicker.
        if !known.isUnnumbered, id <= known.number.clear { return known.number.generation }
        var generation = generation
        // One that a clock has left which was wrong: the fleet has another, and neither finds the other's tiles.
        if !FleetHorizon.isSane(known.number.generation, now: now) { generation = known.number.generation &+ 1 }
        guard generation > known.number.generation else { return nil }
        known.number.generation = generation
        known.number.clear = max(known.number.clear, id)
        known.purges.forget(upTo: id)
        known.isProvisional = false
        if asked ?? known.aloneCount == known.aloneCount {
            // All that they would have removed is gone.
            known.isUnnumbered = false
            known.waiting = []
        }
        known.sent = known.sent.filter { $0.key > id }
        layers[layer] = known
        return generation
    }

    /// This node has cleared the layer without a number.
    mutating func clearedAlone(_ layer: String, generation: UInt32) {
        guard layers[layer] != nil else { return }
        observe(layer, generation: generation)
        layers[layer]?.aloneCount += 1
        layers[layer]?.isUnnumbered = true
        layers[layer]?.isProvisional = false
        layers[layer]?.waiting = []
        layers[layer]?.sent = [:]
    }

    /// The layers whose clear waits for a number.
    package var unnumbered: [String] { layers.filter(\.value.isUnnumbered).map(\.key).sorted() }

    /// Redis has given this node's purge an id. The message itself comes back with the stream, in its order.
    mutating func purged(_ layer: String, _ purge: WaitingPurge, _ id: StreamID, now: Int) {
        guard FleetHorizon.isSane(id, now: now) else { return }
        layers[layer]?.purges.add(id, purge.area, isSoft: purge.isSoft)
        // The stream may have been quicker.
        if let last = layers[layer]?.number.purge, id > last { layers[layer]?.sent[id] = purge }
    }

    /// This node has purged without an id. Returns whether the layer must be cleared, because too many wait.
    mutating func purgedAlone(_ layer: String, _ purge: WaitingPurge) -> Bool {
        layers[layer]?.aloneCount += 1
        guard let known = layers[layer], !known.isUnnumbered else { return false }
        guard known.waiting.count < Self.mostWaiting else { return true }
        layers[layer]?.waiting.append(purge)
        return false
    }

    /// The oldest purge of each layer that waits for an id.
    package var waiting: [(layer: String, purge: WaitingPurge)] {
        layers.compactMap { id, layer in layer.waiting.first.map { (id, $0) } }.sorted { $0.0 < $1.0 }
    }

    /// Redis has given a purge its id that waited for one. Nothing where that would be a lie.
    mutating func numbered(_ layer: String, _ purge: WaitingPurge, _ id: StreamID, now: Int) {
        guard FleetHorizon.isSane(id, now: now) else { return }
        purged(layer, purge, id, now: now)
        layers[layer]?.waiting.removeAll { $0.name == purge.name }
    }

    /// A message that a peer has sent.
    mutating func received(_ message: FleetMessage, now: Int) -> [Action] {
        guard var layer = layers[message.layer], !hear(message.name) else { return [] }
        let id = message.id.flatMap { FleetHorizon.isSane($0, now: now) ? $0 : nil }
        if id == nil, case .purge(_, let area, let isSoft) = message.content {
            // Shared tiles may be of before it, until Redis has numbered it: by this node, since the other may not be able to.
            let purge = WaitingPurge(name: message.nameWithoutLayer, area: area, isSoft: isSoft)
            return purgedAlone(message.layer, purge)
                ? [.advance(message.layer)] : [.purge(message.layer, area, isSoft: isSoft)]
        }
        defer { layers[message.layer] = layer }
        switch message.content {
        case .clear(let generation):
            // Its number says nothing to a layer that waits for one of its own.
            if let id, !layer.isUnnumbered, FleetHorizon.isSane(generation, now: now) {
                return Self.clear(&layer, message.layer, generation: generation, id)
            }
            return [.advance(message.layer)]
        case .purge(_, let area, let isSoft):
            // Where the number of a purge belongs among those of others is said by the stream alone.
            guard let id, !layer.purges.contains(id) else { return [] }
            layer.purges.add(id, area, isSoft: isSoft)
            return [.purge(message.layer, area, isSoft: isSoft)]
        }
    }
}
