/// Changes the state after clears and purges of this node, and after messages that peers sent over HTTP.
extension FleetState {
    /// The numbers that Redis gave to clears.
    package struct Numbers: Sendable {
        package var rows: [FleetRequest.Row] = []
        /// The values of `aloneCounts`, read before Redis was asked.
        package var counts: [String: Int] = [:]
        /// False if Redis gave no valid answer, so that `rows` may lack requested layers.
        package var isWhole = true
    }

    /// Applies the numbers that Redis gave to clears of this node. Returns the actions for the server.
    ///
    /// A message that has no id yet gets the id of its layer's clear. Another node with this clear does not need the
    /// message, because the clear has removed all older tiles.
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

    /// Returns the rows for a request that asks for numbers.
    package func rows(of layers: [String]) -> [FleetRequest.Row] {
        layers.compactMap { id in self.layers[id].map { FleetRequest.Row(layer: id, number: $0.number) } }
    }

    /// Number of clears and purges without a number of each layer, since the layer was added. The caller reads the
    /// counts before it asks Redis, and passes them to `cleared`.
    package var aloneCounts: [String: Int] { layers.compactMapValues { $0.aloneCount == 0 ? nil : $0.aloneCount } }

    /// Applies the number that Redis gave to a clear of `layer` by this node. Returns the new generation of the layer,
    /// or its present one if this clear or a later one is in force already. Returns nil if the generation is not
    /// greater, if the number is more than ten years ahead, or if the layer is unknown.
    ///
    /// `asked` is the layer's value in `aloneCounts` at the time when Redis was asked. If the value has changed since,
    /// the layer was cleared or purged again, and this change still needs a number. Nil means that the value has not
    /// changed.
    mutating func cleared(
        _ layer: String, generation: UInt32, _ id: StreamID, now: Int, asked: Int? = nil
    ) -> UInt32? {
        guard var known = layers[layer], FleetHorizon.isSane(generation, now: now),
            FleetHorizon.isSane(id, now: now)
        else { return nil }
        // This clear or a later one is in force already.
        if !known.isUnnumbered, id <= known.number.clear { return known.number.generation }
        var generation = generation
        // A wrong clock has given this node a generation that is too high. The generation only grows, so this node
        // counts on from there. It does not find the fleet's tiles then, and the fleet does not find the tiles of this
        // node.
        if !FleetHorizon.isSane(known.number.generation, now: now) { generation = known.number.generation &+ 1 }
        guard generation > known.number.generation else { return nil }
        known.number.generation = generation
        known.number.clear = max(known.number.clear, id)
        known.purges.forget(upTo: id)
        known.isProvisional = false
        if asked ?? known.aloneCount == known.aloneCount {
            // The clear has removed all tiles that the waiting purges would remove.
            known.isUnnumbered = false
            known.waiting = []
        }
        known.sent = known.sent.filter { $0.key > id }
        layers[layer] = known
        return generation
    }

    /// Records that this node has cleared the layer without a number.
    mutating func clearedAlone(_ layer: String, generation: UInt32) {
        guard layers[layer] != nil else { return }
        observe(layer, generation: generation)
        layers[layer]?.aloneCount += 1
        layers[layer]?.isUnnumbered = true
        layers[layer]?.isProvisional = false
        layers[layer]?.waiting = []
        layers[layer]?.sent = [:]
    }

    /// Layers whose clear waits for a number.
    package var unnumbered: [String] { layers.filter(\.value.isUnnumbered).map(\.key).sorted() }

    /// Records the id that Redis gave to this node's purge. The message itself comes back with the stream, in the right
    /// order.
    mutating func purged(_ layer: String, _ purge: WaitingPurge, _ id: StreamID, now: Int) {
        guard FleetHorizon.isSane(id, now: now) else { return }
        layers[layer]?.purges.add(id, purge.area, isSoft: purge.isSoft)
        // The stream may have delivered the message already.
        if let last = layers[layer]?.number.purge, id > last { layers[layer]?.sent[id] = purge }
    }

    /// Records a purge without an id, from a client or from a peer. Returns true if too many purges wait, and the layer
    /// must be cleared.
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

    /// Records the id that Redis gave to a waiting purge. Ignores an id that is more than ten years ahead.
    mutating func numbered(_ layer: String, _ purge: WaitingPurge, _ id: StreamID, now: Int) {
        guard FleetHorizon.isSane(id, now: now) else { return }
        purged(layer, purge, id, now: now)
        layers[layer]?.waiting.removeAll { $0.name == purge.name }
    }

    /// Applies a message that another node sent over HTTP. Returns the actions for the server, or none if the message
    /// or its effect is known, or its layer is not.
    mutating func received(_ message: FleetMessage, now: Int) -> [Action] {
        guard var layer = layers[message.layer], !hear(message.name) else { return [] }
        let id = message.id.flatMap { FleetHorizon.isSane($0, now: now) ? $0 : nil }
        if id == nil, case .purge(_, let area, let isSoft) = message.content {
            // Shared tiles may be older than the purge until Redis has numbered it. This node asks Redis for the
            // number, because the other node may not reach Redis.
            let purge = WaitingPurge(name: message.nameWithoutLayer, area: area, isSoft: isSoft)
            return purgedAlone(message.layer, purge)
                ? [.advance(message.layer)] : [.purge(message.layer, area, isSoft: isSoft)]
        }
        defer { layers[message.layer] = layer }
        switch message.content {
        case .clear(let generation):
            // A layer that waits for the number of its own clear does not take the number of another clear.
            if let id, !layer.isUnnumbered, FleetHorizon.isSane(generation, now: now) {
                return Self.clear(&layer, message.layer, generation: generation, id)
            }
            return [.advance(message.layer)]
        case .purge(_, let area, let isSoft):
            // Does not change `number.purge`: only the stream has the order of purges.
            guard let id, !layer.purges.contains(id) else { return [] }
            layer.purges.add(id, area, isSoft: isSoft)
            return [.purge(message.layer, area, isSoft: isSoft)]
        }
    }
}
