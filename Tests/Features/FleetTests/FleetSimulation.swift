import Keys
import MapGeometry
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// A simulated fleet: some nodes and a Redis in virtual time, with a random schedule. Each tile of a node has the
/// step at which its upstream was asked, and each clear has the step at which it was made. So the simulation can
/// check every served tile against the clears.
struct FleetSimulation {
    static let layers = ["coast", "roads"]
    static let tiles: [TileCoordinate] = (0..<4).compactMap { TileCoordinate(z: 1, x: $0 & 1, y: $0 >> 1) }
    static let boxes: [TileArea] =
        tiles.map { .box(TileBox($0)) } + [.box(TileBox(zooms: 0...1)), .box(TileBox(zooms: 2...3))]
    /// In milliseconds.
    static let period = 1_000
    static let lease = 8_000

    struct Place: Hashable {
        let layer: String
        let tile: TileCoordinate
    }

    struct Fill {
        let place: Place
        let generation: UInt32
        let stamp: StreamID?
        let asked: Int
        let ends: Int
        var isDetached = false
    }

    /// A clear or a purge that a client requested.
    struct Clear {
        let layer: String
        let area: TileArea
        let step: Int
        let node: Int
        /// The step at which Redis numbered the clear. Nil if Redis does not know the clear.
        var numbered: Int?
        var name: String
        var id: StreamID?
    }

    /// A clear in progress at a node: Redis has answered, and the layer is not cleared yet.
    struct Pending {
        let layer: String
        let row: FleetRequest.Row
        let until: Int
        let name: String
    }

    struct Node {
        let options: Fleet.FleetNode.Options
        var state = FleetState()
        var file: FleetState?
        /// The generations of the loader. The disk keeps them too.
        var generations: [String: UInt32] = [:]
        var memory: [Place: Int] = [:]
        var disk: [Place: Int] = [:]
        var fills: [Fill] = []
        var pending: [Pending] = []
        var hasRedis = true
        var hasPeers = true
        var isUp = true
        var nextMerge: Int
        var lastMerge: Int?
        /// The step of the last merge.
        var mergeStep = -1
        /// Seconds by which the node's clock is wrong.
        var skew: Int
        /// True if the node's program is older than `FleetNotice`.
        var isOld = false

        /// Does the same as `FleetNode.note`.
        mutating func note(_ input: FleetState.Input) {
            let effects = state.step(input, of: options)
            #expect(effects.isEmpty)
        }

        /// Does the same as `FleetNode.step`. Returns the resulting actions and the next merge.
        mutating func step(_ input: FleetState.Input) -> (actions: [FleetState.Action], merge: FleetRequest?) {
            let effects = state.step(input, of: options)
            let merges = effects.compactMap { if case .merge(let request) = $0 { request } else { nil } }
            return (effects.actions, merges.first)
        }
    }

    struct Mail {
        let to: Int
        let at: Int
        let message: FleetMessage
    }

    struct Value {
        let stamp: StreamID
        let asked: Int
    }

    var random: SeededRandom
    var redis = ModelRedis(time: 1_700_000_000_000)
    var values: [Place: Value] = [:]
    var dump: (ModelRedis, [Place: Value])?
    var nodes: [Node] = []
    var clears: [Clear] = []
    var mail: [Mail] = []
    var step = 0
    var time = 0
    var lastAccident = -1
    var names = 0
    /// Violations of the protocol's promises.
    var faults: [String] = []
    var counts: [String: Int] = [:]
    /// True if all nodes ask Redis between two losses of data in Redis.
    var isSpaced = true
    /// True if nodes also compare rows that no message reports as different.
    let isChecked: Bool
    /// True if some nodes have a program older than `FleetNotice`. A restart may upgrade or downgrade a node.
    let isMixed: Bool
    /// True if the simulation records `notes`, which help to debug a seed.
    var isTraced = false
    var notes: [String] = []

    mutating func note(_ text: (borrowing FleetSimulation) -> String) {
        if isTraced { notes.append("\(time) \(step): \(text(self))") }
    }

    init(seed: UInt64, isMixed: Bool = false) {
        random = SeededRandom(seed: seed)
        self.isMixed = isMixed
        isChecked = seed % 4 == 0
        for number in 0..<Int.random(in: 2...5, using: &random) {
            var settings = FleetSettings(redis: RedisURL(host: ""))
            settings.node = "n\(number)"
            var node = Node(
                options: Fleet.FleetNode.Options(settings, version: "", file: nil, hasDisk: true),
                nextMerge: Int.random(in: 0..<Self.period, using: &random), skew: Int.random(in: -3...3, using: &random)
            )
            node.isOld = isMixed && Bool.random(using: &random)
            for layer in Self.layers {
                let generation = UInt32(1_700_000_000 + Int.random(in: -5...0, using: &random))
                node.generations[layer] = generation
            }
            node.note(.served(node.generations.mapValues { (generation: $0, isProvisional: false) }))
            nodes.append(node)
        }
    }

    func now(_ node: Int) -> Int { 1_700_000_000 + time / 1_000 + nodes[node].skew }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func anyNode() -> Int { Int.random(in: 0..<nodes.count, using: &random) }
    mutating func anyPlace() -> Place {
        Place(
            layer: Self.layers.randomElement(using: &random) ?? "",
            tile: Self.tiles.randomElement(using: &random) ?? Self.tiles[0])
    }
    mutating func anyDelay(_ longest: Int) -> Int { Int.random(in: 0...longest, using: &random) }

    // MARK: The schedule

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            advance(by: Int.random(in: 0...400, using: &random))
            happen()
        }
        settle()
        for node in nodes.indices {
            for layer in Self.layers {
                for tile in Self.tiles { check(node, Place(layer: layer, tile: tile), settled: true) }
            }
        }
        // A node keeps a provisional generation that is higher than the fleet's generation.
        for layer in Self.layers {
            let known = nodes.compactMap { $0.state.layers[layer] }
            let fleet = known.filter { !$0.isProvisional }
            if Set(fleet.map(\.number)).count > 1 || Set(known.map(\.number.clear)).count > 1 {
                faults.append("numbers differ: \(known.map(\.number.line))")
            }
        }
    }

    mutating func advance(by milliseconds: Int) {
        let end = time + milliseconds
        while time < end {
            time = min(time + 100, end)
            redis.time = 1_700_000_000_000 + UInt64(time)
            for node in nodes.indices where nodes[node].isUp {
                endFills(node)
                endPending(node)
                if nodes[node].nextMerge <= time {
                    nodes[node].nextMerge = time + Self.period
                    merge(node)
                }
            }
            deliver()
        }
    }

    mutating func happen() {
        step += 1
        let node = anyNode()
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: read(node, anyPlace())
        case 45..<54: clear(node, [Self.layers.randomElement(using: &random) ?? ""])
        case 54..<57: clear(node, Self.layers)
        case 57..<72: purge(node, Self.layers.randomElement(using: &random) ?? "")
        case 72..<77: nodes[node].hasRedis.toggle()
        case 77..<79: nodes[node].hasPeers.toggle()
        case 79..<82: restart(node)
        case 82..<84:
            nodes[node].isUp.toggle();
            if nodes[node].isUp { start(node, hasFile: true, hasDisk: true) } else { stop(node) }
        case 84..<87:
            accident("flush") {
                $0.redis = ModelRedis(time: $0.redis.time); $0.values = [:]
            }
        case 87..<89: accident("rows evicted") { $0.redis.loseRows() }
        case 89..<91:
            accident("stream evicted") {
                $0.redis.stream = []; $0.redis.lastID = .zero
            }
        case 91..<92: values[anyPlace()] = nil
        case 92..<94: dump = (redis, values)
        case 94..<97:
            guard let dump else { return }
            accident("restored") {
                ($0.redis, $0.values) = dump; $0.redis.time = 1_700_000_000_000 + UInt64($0.time)
            }
        case 97..<98: accident("trimmed") { $0.redis.stream.removeFirst(min($0.redis.stream.count, 3)) }
        case 98..<99:
            // Old nodes do not support the removal of rows.
            guard !isMixed, nodes[node].isUp, nodes[node].hasRedis else { return }
            let layer = Self.layers.randomElement(using: &random) ?? ""
            redis.remove(node: "n\(node)", now: now(node), layer)
            counts["removed", default: 0] += 1
            note { _ in "\(node) removes the row of \(layer)" }
        default: advance(by: Int.random(in: 0...2 * Self.lease, using: &random))
        }
    }

    /// Lets Redis lose data. With `isSpaced`, does this only if every node has merged since the last loss. The nodes
    /// together then still know everything that Redis loses.
    mutating func accident(_ name: String, _ body: (inout FleetSimulation) -> Void) {
        guard !isSpaced || nodes.allSatisfy({ $0.mergeStep > lastAccident }) else { return }
        counts[name, default: 0] += 1
        body(&self)
        note { "\(name): \($0.redis.rows.mapValues(\.line)), last \($0.redis.lastID)" }
        lastAccident = step
        // A message before the loss and a message after it must not have the same millisecond.
        advance(by: 1)
    }

    /// Starts and connects all nodes, and lets 20 periods of merges pass without clears.
    mutating func settle() {
        step += 1
        for node in nodes.indices {
            nodes[node].hasRedis = true
            nodes[node].hasPeers = true
            if !nodes[node].isUp {
                nodes[node].isUp = true
                start(node, hasFile: true, hasDisk: true)
            }
        }
        advance(by: 20 * Self.period)
        step += 1
    }

    // MARK: Tiles

    mutating func read(_ node: Int, _ place: Place) {
        guard nodes[node].isUp else { return }
        check(node, place, settled: false)
        guard held(node, place) == nil else { return }
        if nodes[node].hasRedis, let value = value(node, place) {
            begin(node, place, asked: value.asked, stamp: nil)
        } else {
            begin(node, place, asked: step, stamp: nodes[node].state.stamp(of: place.layer))
        }
    }

    /// Returns the tile in Redis, if the node would accept it.
    func value(_ node: Int, _ place: Place) -> Value? {
        guard let value = values[place],
            nodes[node].state.verdict(on: place.tile, of: place.layer, stamp: value.stamp) == .valid
        else { return nil }
        return value
    }

    func held(_ node: Int, _ place: Place) -> Int? {
        // After the end of its lease, a node revalidates each tile before it uses it.
        guard let merged = nodes[node].lastMerge, time - merged <= Self.lease else { return nil }
        return nodes[node].memory[place] ?? nodes[node].disk[place]
    }

    mutating func begin(_ node: Int, _ place: Place, asked: Int, stamp: StreamID?) {
        note { _ in "\(node) fetches \(place.layer) \(place.tile) of \(asked), stamp \(stamp?.description ?? "none")" }
        nodes[node].fills.append(
            Fill(
                place: place, generation: nodes[node].generations[place.layer] ?? 0, stamp: stamp, asked: asked,
                ends: time + anyDelay(3_000)))
    }

    mutating func endFills(_ node: Int) {
        let done = nodes[node].fills.filter { $0.ends <= time }
        guard !done.isEmpty else { return }
        nodes[node].fills.removeAll { $0.ends <= time }
        note { _ in "\(node) has \(done.map { "\($0.place.layer) \($0.place.tile) \($0.asked) \($0.isDetached)" })" }
        for fill in done where !fill.isDetached && nodes[node].generations[fill.place.layer] == fill.generation {
            nodes[node].memory[fill.place] = fill.asked
            nodes[node].disk[fill.place] = fill.asked
            if let stamp = fill.stamp, nodes[node].hasRedis {
                values[fill.place] = Value(stamp: stamp, asked: fill.asked)
                counts["stored", default: 0] += 1
            }
        }
    }

    /// Checks the tiles that the node would serve.
    mutating func check(_ node: Int, _ place: Place, settled: Bool) {
        let now = nodes[node]
        let served = [held(node, place), now.hasRedis ? value(node, place)?.asked : nil].compactMap(\.self)
        for clear in clears where clear.layer == place.layer && clear.area.contains(place.tile) {
            // Before the fleet has settled, the node must know a clear only if it has merged since the clear. Also,
            // no loss of data in Redis may have hidden the clear.
            let isBound =
                settled
                || clear.numbered.map { now.mergeStep > $0 && lastAccident < $0 && now.mergeStep > lastAccident }
                    ?? false
            for asked in served where isBound && asked < clear.step {
                faults.append(
                    "node \(node) serves \(place.layer) \(place.tile) of step \(asked), "
                        + "\(clear.area == .everything ? "cleared" : "purged") at \(clear.step) by \(clear.node), "
                        + "numbered \(clear.numbered ?? -1), accident \(lastAccident)")
            }
        }
        counts["judged", default: 0] += served.count
        judgeReach(node, place, served)
    }

    /// Checks the promise to clients that request a clear. A node whose position in Redis is past a clear must not
    /// serve older tiles.
    mutating func judgeReach(_ node: Int, _ place: Place, _ served: [Int]) {
        guard !nodes[node].isOld, nodes[node].pending.isEmpty, let told = redis.nodes["n\(node)"], !told.isOld else {
            return
        }
        for clear in clears where clear.layer == place.layer && clear.area.contains(place.tile) {
            guard let id = clear.id, told.position >= id, clear.numbered ?? 0 > lastAccident else { continue }
            for asked in served where asked < clear.step {
                faults.append(
                    "node \(node) says that it has \(id), and serves \(place.layer) \(place.tile) of step \(asked)")
            }
        }
    }

    // MARK: Clears

    mutating func clear(_ node: Int, _ layers: [String]) {
        guard nodes[node].isUp, !nodes[node].pending.contains(where: { layers.contains($0.layer) }) else { return }
        names += 1
        let made = layers.map { Clear(layer: $0, area: .everything, step: step, node: node, name: "m\(names).\($0)") }
        // The answer may be lost, but Redis keeps its changes.
        if nodes[node].hasRedis, let rows = numbers(node, layers), !chance(10) {
            for (var made, row) in zip(made, rows) {
                made.numbered = step
                made.id = row.number.clear
                note { _ in "\(node) clears \(row.layer): \(row.number.line)" }
                clears.append(made)
                nodes[node].pending.append(
                    Pending(layer: row.layer, row: row, until: time + anyDelay(200), name: made.name))
                nodes[node].note(.beganClear([row.layer]))
            }
            return
        }
        for made in made {
            clears.append(made)
            clearAlone(node, made.layer)
            send(
                from: node,
                FleetMessage(
                    layer: made.layer,
                    content: .clear(generation: nodes[node].generations[made.layer] ?? 0), node: "n\(node)",
                    name: made.name))
        }
    }

    /// Returns the numbers that Redis gives to clears of `layers`, in the same order.
    mutating func numbers(_ node: Int, _ layers: [String]) -> [FleetRequest.Row]? {
        let (rows, name) = (nodes[node].state.rows(of: layers), "m\(names)")
        var numbers: [FleetRequest.Row] = []
        if nodes[node].isOld {
            numbers = redis.oldClear(node: "n\(node)", name: name, now: now(node), rows)
        } else {
            if layers.count > 1, !nodes[node].state.isMixed {
                numbers = redis.clears(node: "n\(node)", name: name, now: now(node), rows)
                counts["together", default: 0] += numbers.count
            }
            if numbers.isEmpty { numbers = redis.clear(node: "n\(node)", name: name, now: now(node), rows) }
        }
        let found = layers.compactMap { layer in numbers.first { $0.layer == layer } }
        return found.count == layers.count ? found : nil
    }

    mutating func endPending(_ node: Int) {
        let done = nodes[node].pending.filter { $0.until <= time }
        guard !done.isEmpty else { return }
        nodes[node].pending.removeAll { $0.until <= time }
        for pending in done {
            let numbers = FleetState.Numbers(rows: [pending.row], counts: nodes[node].state.aloneCounts)
            let actions = nodes[node].step(.numbered(numbers, date: now(node))).actions
            perform(actions, node)
            if actions.isEmpty { clearAlone(node, pending.layer) }
            nodes[node].note(.endedClear([pending.layer], alone: [:]))
            nodes[node].file = nodes[node].state
            if chance(30) {
                let message = FleetMessage(
                    layer: pending.layer, content: .clear(generation: pending.row.number.generation),
                    node: "n\(node)", name: "h\(step)-\(names)",
                    id: pending.row.number.clear)
                send(from: node, message)
            }
        }
    }

    mutating func clearAlone(_ node: Int, _ layer: String) {
        note { _ in "\(node) clears \(layer) alone" }
        let generation = (nodes[node].generations[layer] ?? 0) + 1
        nodes[node].note(.clearedAlone([layer: generation]))
        drop(node, layer, generation)
        nodes[node].file = nodes[node].state
    }

    mutating func drop(_ node: Int, _ layer: String, _ generation: UInt32) {
        note { "\(node) drops \(layer): \($0.nodes[node].state.layers[layer]?.number.line ?? "")" }
        guard generation >= nodes[node].generations[layer] ?? 0 else {
            faults.append("node \(node) would fall from \(nodes[node].generations[layer] ?? 0) to \(generation)")
            return
        }
        nodes[node].generations[layer] = generation
        nodes[node].memory = nodes[node].memory.filter { $0.key.layer != layer }
        nodes[node].disk = nodes[node].disk.filter { $0.key.layer != layer }
    }

    mutating func purge(_ node: Int, _ layer: String) {
        guard nodes[node].isUp else { return }
        names += 1
        let area = Self.boxes.randomElement(using: &random) ?? .everything
        var made = Clear(layer: layer, area: area, step: step, node: node, name: "m\(names)")
        let purge = FleetState.WaitingPurge(name: made.name, area: area, isSoft: false)
        let row = nodes[node].state.rows(of: [layer])
        if nodes[node].hasRedis, nodes[node].state.layers[layer]?.isShared == true {
            let links = ids(node, purge, row)
            if !chance(10), let link = links.first {
                made.numbered = step
                made.id = link.id
                note { _ in "\(node) purges \(layer) after \(link.previous): \(link.id)" }
                nodes[node].note(.purged(layer, purge, link.id, date: now(node)))
                clears.append(made)
                remove(node, layer, area)
                nodes[node].file = nodes[node].state
                return
            }
        }
        clears.append(made)
        remove(node, layer, area)
        perform(nodes[node].step(.purgedAlone(layer, purge)).actions, node)
        nodes[node].file = nodes[node].state
        send(
            from: node,
            FleetMessage(
                layer: layer, content: .purge(previous: .zero, area, isSoft: false), node: "n\(node)", name: made.name))
    }

    mutating func ids(
        _ node: Int, _ purge: FleetState.WaitingPurge, _ rows: [FleetRequest.Row]
    ) -> [(layer: String, previous: StreamID, id: StreamID)] {
        nodes[node].isOld
            ? redis.oldPurge(node: "n\(node)", name: purge.name, now: now(node), purge, rows)
            : redis.purge(node: "n\(node)", name: purge.name, now: now(node), purge, rows)
    }

    mutating func remove(_ node: Int, _ layer: String, _ area: TileArea) {
        note {
            "\(node) removes of \(layer) \(area.fleetText.prefix(40)): "
                + "\($0.nodes[node].state.layers[layer]?.number.line ?? "")"
        }
        let isCovered = { (place: Place) in place.layer == layer && area.contains(place.tile) }
        nodes[node].memory = nodes[node].memory.filter { !isCovered($0.key) }
        nodes[node].disk = nodes[node].disk.filter { !isCovered($0.key) }
        for index in nodes[node].fills.indices where isCovered(nodes[node].fills[index].place) {
            nodes[node].fills[index].isDetached = true
        }
    }

    // MARK: Between nodes

    mutating func merge(_ node: Int) {
        guard nodes[node].hasRedis else { return }
        if chance(5) { return }
        guard number(node) else { return }
        guard nodes[node].isOld ? oldMerges(node) : merges(node) else { return }
        note {
            "\(node) merged to \($0.nodes[node].state.position?.description ?? ""): "
                + "\($0.nodes[node].state.layers.mapValues(\.number.line))"
        }
        guard nodes[node].pending.isEmpty else { return }
        nodes[node].note(.talked(isGood: true, now: seconds, date: now(node)))
        nodes[node].lastMerge = time
        nodes[node].mergeStep = step
        // The process may end before it writes its file.
        if !chance(10) { nodes[node].file = nodes[node].state }
    }

    /// The time of the monotonic clock, in seconds.
    var seconds: Double { Double(time) / 1_000 }

    /// Does the same as `FleetNode.talk`. Returns false if an answer is lost.
    mutating func merges(_ node: Int) -> Bool {
        var next = nodes[node].step(.beganRound(checked: isChecked && chance(10) ? 1 : 0, now: seconds)).merge
        while case .merge(let after, let applied, let about, let rows)? = next {
            let answer = redis.merge(
                node: "n\(node)", now: now(node), after: after, applied: applied, about: about, rows)
            counts["merges", default: 0] += 1
            counts["rows", default: 0] += rows.count
            // Redis keeps its changes.
            if chance(2) { return false }
            perform(nodes[node].step(.merged(answer, now: seconds, date: now(node))).actions, node)
            next = nodes[node].step(.inForce(hasMore: answer.hasMore)).merge
        }
        if nodes[node].state.round?.isOver != true { faults.append("node \(node) asks without end") }
        return true
    }

    /// Merges like an old node: sends all rows, and reads only messages about one layer.
    mutating func oldMerges(_ node: Int) -> Bool {
        var more = true
        while more {
            let (busy, sent) = (Set(nodes[node].pending.map(\.layer)), nodes[node].state.sent)
            nodes[node].state.forgetStored()
            let rows = nodes[node].state.due()
            let answer = redis.oldMerge(
                node: "n\(node)", now: now(node), after: nodes[node].state.position, about: "", rows)
            if chance(3) { return false }
            let actions = nodes[node].state.merged(
                answer, asked: rows, sent: sent, now: now(node), node: "n\(node)", busy: busy)
            perform(actions, node)
            more = answer.hasMore
        }
        return true
    }

    /// Numbers the clears and purges that were made without Redis. Returns false if an answer is lost.
    mutating func number(_ node: Int) -> Bool {
        let layers = nodes[node].state.unnumbered
        if !layers.isEmpty {
            names += 1
            let rows = numbers(node, layers) ?? []
            if chance(5) { return false }
            let numbers = FleetState.Numbers(rows: rows, counts: nodes[node].state.aloneCounts)
            let actions = nodes[node].step(.numbered(numbers, date: now(node))).actions
            perform(actions, node)
            for row in rows where actions.contains(where: { $0.layer == row.layer }) { noteNumbered(node, row) }
        }
        while let (layer, purge) = nodes[node].state.waiting.first {
            let links = ids(node, purge, nodes[node].state.rows(of: [layer]))
            if chance(5) { return false }
            guard let link = links.first else { return false }
            nodes[node].note(.purgedLater(layer, purge, link.id, date: now(node)))
            note { _ in "\(node) sends purge of \(layer) after \(link.previous): \(link.id)" }
            for index in clears.indices where clears[index].name == purge.name {
                clears[index].numbered = step
                clears[index].id = link.id
            }
        }
        return true
    }

    mutating func noteNumbered(_ node: Int, _ row: FleetRequest.Row) {
        for index in clears.indices
        where clears[index].node == node && clears[index].layer == row.layer && clears[index].numbered == nil {
            clears[index].numbered = step
            clears[index].id = row.number.clear
        }
    }

    mutating func perform(_ actions: [FleetState.Action], _ node: Int) {
        for action in actions {
            switch action {
            case .raise(let layer, let generation, _):
                counts["raised", default: 0] += 1
                drop(node, layer, generation)
            case .advance(let layer):
                counts["advanced", default: 0] += 1
                clearAlone(node, layer)
            case .purge(let layer, let area, _):
                counts["purged", default: 0] += 1
                remove(node, layer, area)
            case .removeAll(let layer, let reason):
                counts["removed: \(reason.rawValue)", default: 0] += 1
                remove(node, layer, .everything)
            }
        }
    }

    mutating func send(from node: Int, _ message: FleetMessage) {
        guard nodes[node].hasPeers else { return }
        for other in nodes.indices where other != node {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                mail.append(Mail(to: other, at: time + anyDelay(5_000), message: message))
            }
        }
    }

    mutating func deliver() {
        let due = mail.filter { $0.at <= time }
        guard !due.isEmpty else { return }
        mail.removeAll { $0.at <= time }
        for batch in due where nodes[batch.to].isUp && nodes[batch.to].hasPeers {
            perform(nodes[batch.to].step(.received([batch.message], date: now(batch.to))).actions, batch.to)
            nodes[batch.to].file = nodes[batch.to].state
        }
    }

    // MARK: Starts and stops of nodes

    mutating func stop(_ node: Int) {
        nodes[node].memory = [:]
        nodes[node].fills = []
        // Redis has numbered the clear, but its client got no response. So the clear need not be in force.
        let unanswered = Set(nodes[node].pending.map(\.name))
        clears.removeAll { unanswered.contains($0.name) }
        nodes[node].pending = []
        nodes[node].lastMerge = nil
        nodes[node].mergeStep = -1
    }

    mutating func restart(_ node: Int) {
        guard nodes[node].isUp else { return }
        stop(node)
        start(node, hasFile: chance(70), hasDisk: chance(70))
    }

    mutating func start(_ node: Int, hasFile: Bool, hasDisk: Bool) {
        if isMixed, chance(30) { nodes[node].isOld.toggle() }
        note { "\(node) starts, file \(hasFile), disk \(hasDisk), \($0.nodes[node].isOld ? "old" : "new")" }
        var state = hasFile ? nodes[node].file ?? FleetState() : FleetState()
        if !hasFile {
            nodes[node].file = nil
            // Redis was away or has lost these clears. Only this node knew them, and it forgets them with its file.
            let (rows, removed) = (redis.rows, redis.removed)
            clears.removeAll { clear in
                let row = rows[clear.layer] ?? removed
                let known = clear.area == .everything ? row.clear : max(row.clear, row.purge)
                return clear.node == node && clear.id.map { $0 > known } ?? true
            }
        }
        if !hasDisk { nodes[node].disk = [:] }
        // The file of a node does not contain these values.
        (state.busy, state.mergeTime) = ([:], -.infinity)
        nodes[node].state = state
        var served: [String: (generation: UInt32, isProvisional: Bool)] = [:]
        for layer in Self.layers {
            let fleets = nodes[node].hasRedis ? redis.rows[layer]?.generation : nil
            let known = hasDisk ? nodes[node].generations[layer] : fleets
            nodes[node].generations[layer] = known ?? UInt32(clamping: now(node))
            served[layer] = (nodes[node].generations[layer] ?? 0, isProvisional: known == nil)
        }
        nodes[node].note(.served(served))
        for layer in Self.layers {
            // The disk may lack a clear that the file contains.
            if let known = nodes[node].state.layers[layer]?.number.generation,
                known > nodes[node].generations[layer] ?? 0
            {
                drop(node, layer, known)
            }
        }
        nodes[node].nextMerge = time
    }
}
