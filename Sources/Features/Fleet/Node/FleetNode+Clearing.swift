import TileCache

/// Clears and purges that a client requests from this node. The node gets a number for each from Redis, and sends a
/// message to the other nodes.
extension FleetNode {
    /// A clear, or purges, in progress.
    package struct Ticket: Sendable {
        package let layers: [String]
        /// The fleet's new generation for each layer. A layer without an entry takes its own next generation.
        package fileprivate(set) var generations: [String: UInt32] = [:]
        fileprivate var messages: [FleetMessage] = []
        fileprivate let isClear: Bool
        fileprivate let began: Double
    }

    /// Starts a clear of `layers` by asking Redis for its numbers. The caller then clears the layers, and must call
    /// `end` to tell the other nodes. If Redis does not answer a request in time, some or all layers have no numbers.
    package func beginClear(of layers: [String]) async -> Ticket {
        adopt()
        var ticket = Ticket(layers: layers, isClear: true, began: clock.monotonic())
        note(.beganClear(layers))
        let name = newName()
        for part in FleetRequest.parts(of: layers) {
            let numbers = await numbers(of: part, name: name)
            // The caller clears the layers before `end`, so this function does not perform the actions.
            let actions = step(.numbered(numbers, date: clock.wall())).actions
            let generations = actions.generations(isClear: true)
            ticket.generations.merge(generations) { max($0, $1) }
            for row in numbers.rows {
                guard let generation = generations[row.layer] else { continue }
                ticket.messages.append(
                    FleetMessage(
                        layer: row.layer, content: .clear(generation: generation), node: options.node,
                        name: "\(name).\(row.layer)", id: row.number.clear))
            }
            guard numbers.isWhole else { break }
        }
        return ticket
    }

    /// Asks Redis for the number of a clear of each layer. Redis also puts the clear into its stream. If there are
    /// several layers and all nodes know `FleetNotice`, one entry of the stream names the layers (see
    /// `FleetRequest.clears`). Otherwise each layer gets its own entry.
    func numbers(of layers: [String], name: String) async -> FleetState.Numbers {
        var numbers = FleetState.Numbers()
        if layers.count > 1, read(\.isOfOneForm) {
            let rows: [FleetRequest.Row]
            (rows, numbers.counts) = read { ($0.rows(of: layers), $0.aloneCounts) }
            let reply = await ask(.clears(name: name, rows))
            guard let reply, let found = FleetRequest.numbers(in: reply, of: rows.map(\.layer)) else {
                numbers.isWhole = false
                return numbers
            }
            numbers.rows = found
            if !found.isEmpty { return numbers }
        }
        for start in stride(from: 0, to: layers.count, by: FleetRequest.mostRows) {
            let part = Array(layers[start..<min(start + FleetRequest.mostRows, layers.count)])
            let (rows, counts) = read { ($0.rows(of: part), $0.aloneCounts) }
            numbers.counts.merge(counts) { first, _ in first }
            guard let reply = await ask(.clear(name: name, rows)), let found = FleetRequest.numbers(in: reply) else {
                numbers.isWhole = false
                return numbers
            }
            numbers.rows += found
        }
        return numbers
    }

    /// Starts purges of the `areas` of each layer by asking Redis for their ids. The caller then purges the tiles, and
    /// must call `end` to tell the other nodes.
    package func beginPurge(of layers: [String], _ areas: [TileArea], isSoft: Bool) async -> Ticket {
        adopt()
        var ticket = Ticket(layers: layers, isClear: false, began: clock.monotonic())
        for area in areas {
            let purge = FleetState.WaitingPurge(name: newName(), area: area, isSoft: isSoft)
            let shared = read { state in layers.filter { state.layers[$0]?.isShared == true } }
            var ids: [String: StreamID] = [:]
            for start in stride(from: 0, to: shared.count, by: FleetRequest.mostRows) {
                let part = Array(shared[start..<min(start + FleetRequest.mostRows, shared.count)])
                let rows = read { $0.rows(of: part) }
                guard let reply = await ask(.purge(name: purge.name, area, isSoft: isSoft, rows)),
                    let found = FleetRequest.ids(in: reply)
                else { break }
                for (layer, _, id) in found where FleetHorizon.isSane(id, now: clock.wall()) {
                    ids[layer] = id
                    note(.purged(layer, purge, id, date: clock.wall()))
                }
            }
            for layer in layers {
                // If too many purges wait, this clears the whole layer first. The purge's message is not needed then,
                // but does no harm.
                if ids[layer] == nil { await perform(.purgedAlone(layer, purge)) }
                ticket.messages.append(
                    FleetMessage(
                        layer: layer, content: .purge(previous: .zero, area, isSoft: isSoft), node: options.node,
                        name: "\(purge.name).\(layer)", id: ids[layer]))
            }
        }
        return ticket
    }

    /// Tells the other nodes about a clear or purge that is complete on this node. After a clear, `generations` has the
    /// new generation of each layer. Saves the state file. Then waits until the other nodes have the messages, or about
    /// 0.9 s have passed since the start of the clear or purge.
    package func end(_ ticket: Ticket, generations: [String: UInt32] = [:]) async -> FleetReach {
        var messages = ticket.messages
        if ticket.isClear {
            let unnumbered = ticket.layers.filter { ticket.generations[$0] == nil }
            let alone = Dictionary(
                unnumbered.compactMap { layer in generations[layer].map { (layer, $0) } },
                uniquingKeysWith: { first, _ in first })
            note(.endedClear(ticket.layers, alone: alone))
            for layer in ticket.layers {
                guard let generation = alone[layer] else { continue }
                messages.append(
                    FleetMessage(
                        layer: layer, content: .clear(generation: generation), node: options.node,
                        name: "\(newName()).\(layer)"))
            }
        }
        await save()
        wake()
        let now = clock.monotonic()
        let number = newNumber()
        note(.made(FleetState.Outstanding(number: number, messages: messages, began: ticket.began, lastTry: now)))
        return await waitForOthers(number, of: ticket.layers, until: ticket.began + FleetState.longestWait)
    }

    /// Applies messages from a peer.
    package func receive(_ messages: [FleetMessage]) async {
        adopt()
        await perform(.received(messages, date: clock.wall()))
        await save()
        wake()
    }
}
