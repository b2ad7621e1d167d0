import RedisClient
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
        state.withLock { state in for layer in layers { state.busy[layer, default: 0] += 1 } }
        let name = newName()
        for part in FleetRequest.parts(of: layers) {
            let numbers = await numbers(of: part, name: name)
            let generations = state.withLock { $0.cleared(numbers, now: clock.wall()) }
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

    /// Numbers that Redis gives clears.
    struct Numbers {
        var rows: [FleetRequest.Row] = []
        /// How often each layer was cleared without a number before Redis was asked.
        var counts: [String: Int] = [:]
        /// Whether it has all of them: else Redis does not answer.
        var isWhole = true
    }

    /// A number for the clear of each layer: by one message where all nodes know it.
    func numbers(of layers: [String], name: String) async -> Numbers {
        var numbers = Numbers()
        if layers.count > 1, state.withLock({ $0.isOfOneForm }) {
            let rows = state.withLock { state in
                numbers.counts = state.fleet.aloneCounts
                return state.fleet.rows(of: layers)
            }
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
            let (rows, counts) = state.withLock { ($0.fleet.rows(of: part), $0.fleet.aloneCounts) }
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
            let shared = state.withLock { state in layers.filter { state.fleet.layers[$0]?.isShared == true } }
            var ids: [String: StreamID] = [:]
            for start in stride(from: 0, to: shared.count, by: FleetRequest.mostRows) {
                let part = Array(shared[start..<min(start + FleetRequest.mostRows, shared.count)])
                let rows = state.withLock { $0.fleet.rows(of: part) }
                guard let reply = await ask(.purge(name: purge.name, area, isSoft: isSoft, rows)),
                    let found = FleetRequest.ids(in: reply)
                else { break }
                for (layer, _, id) in found where FleetHorizon.isSane(id, now: clock.wall()) {
                    ids[layer] = id
                    state.withLock { $0.fleet.purged(layer, purge, id, now: clock.wall()) }
                }
            }
            for layer in layers {
                // Behind the clear that makes room for it, where too many wait: then it says nothing more.
                if ids[layer] == nil, state.withLock({ $0.fleet.purgedAlone(layer, purge) }) {
                    await perform([.advance(layer)])
                }
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
            state.withLock { state in
                for layer in ticket.layers {
                    state.busy[layer] = state.busy[layer].flatMap { $0 > 1 ? $0 - 1 : nil }
                    guard ticket.generations[layer] == nil, let generation = generations[layer] else { continue }
                    state.fleet.clearedAlone(layer, generation: generation)
                }
            }
            for layer in ticket.layers where ticket.generations[layer] == nil {
                guard let generation = generations[layer] else { continue }
                messages.append(
                    FleetMessage(
                        layer: layer, content: .clear(generation: generation), node: options.node,
                        name: "\(newName()).\(layer)"))
            }
        }
        await save()
        wake()
        let now = clock.monotonic()
        let number = state.withLock { state in
            state.lastNumber += 1
            if state.outstanding.count >= Self.mostOutstanding { state.outstanding.removeFirst() }
            state.outstanding.append(
                Outstanding(number: state.lastNumber, messages: messages, began: ticket.began, lastTry: now))
            return state.lastNumber
        }
        return await waitForOthers(number, of: ticket.layers, until: ticket.began + Self.longestWait)
    }

    /// A peer has sent them.
    package func receive(_ messages: [FleetMessage]) async {
        adopt()
        let actions = state.withLock { state in
            messages.filter { !$0.name.hasPrefix("\(instance)-") }
                .flatMap { state.fleet.received($0, now: clock.wall()) }
        }
        await perform(actions)
        await save()
        wake()
    }
}
