import TileCache

/// What is cleared here.
extension FleetNode {
    /// A clear, or purges, that are being made.
    package struct Ticket: Sendable {
        package let layers: [String]
        /// By layer: what the fleet gives it; where there is none it takes its own next one.
        package fileprivate(set) var generations: [String: UInt32] = [:]
        fileprivate var messages: [FleetMessage] = []
        fileprivate let isClear: Bool
        fileprivate let began: Double
    }

    /// Takes numbers for a clear of `layers`, before it takes effect. Returns within the client's time-out; `end` must follow.
    package func beginClear(of layers: [String]) async -> Ticket {
        adopt()
        var ticket = Ticket(layers: layers, isClear: true, began: clock.monotonic())
        note(.beganClear(layers))
        let name = newName()
        for part in FleetRequest.parts(of: layers) {
            let numbers = await numbers(of: part, name: name)
            // This node clears the layers before `end`.
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

    /// A number for the clear of each layer: by one message where all nodes know it.
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

    /// Takes numbers for purges of `areas` of `layers`, before they take effect; else as `beginClear`.
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
                // Behind the clear that makes room for it, where too many wait: then it says nothing more.
                if ids[layer] == nil { await perform(.purgedAlone(layer, purge)) }
                ticket.messages.append(
                    FleetMessage(
                        layer: layer, content: .purge(previous: .zero, area, isSoft: isSoft), node: options.node,
                        name: "\(purge.name).\(layer)", id: ids[layer]))
            }
        }
        return ticket
    }

    /// It has taken effect here: of a clear with these generations. Waits, for 0.9 s since it began at most, until the others have it.
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

    /// A peer has sent them.
    package func receive(_ messages: [FleetMessage]) async {
        adopt()
        await perform(.received(messages, date: clock.wall()))
        await save()
        wake()
    }
}
