import MapGeometry
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// Tests of a fleet with thousands of layers: the rows that a node sends each second, and a clear of all layers.
@Suite struct FleetManyLayersTests {
    let redis: VirtualRedis
    let time: TestTime
    static let names = (0..<1_200).map { "many-\($0)" }
    static let generations = Dictionary(uniqueKeysWithValues: names.map { ($0, UInt32(100)) })

    init() {
        let time = TestTime()
        (self.time, redis) = (time, VirtualRedis(following: time))
    }

    private func node(_ name: String) -> TestNode { TestNode(name, redis, time: time, generations: Self.generations) }

    private func merged(_ nodes: TestNode...) async {
        for _ in 0..<3 { for node in nodes { await node.node.round() } }
    }

    /// Runs a round and returns the number of rows that its merges send.
    private func rows(of node: TestNode) async -> Int {
        redis.with { $0.asked = [] }
        await node.node.round()
        return redis.with { $0.asked.reduce(0, +) }
    }

    @Test func comparesFewRowsEachSecond() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        time.pass(1)
        #expect(await rows(of: a) == Fleet.FleetNode.leastChecked)
        #expect(await rows(of: a) == 0)
    }

    @Test func comparesAllRowsWithinHalfAMinute() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        // A program outside the fleet changes this row.
        redis.with { $0.model.rows["many-7"]?.clear = StreamID(milliseconds: 1_700_000_000_000, sequence: 9) }
        for _ in 0..<Fleet.FleetNode.checkTime {
            time.pass(1)
            await a.node.round()
        }
        #expect(a.server.with(\.purges) == ["many-7 all"])
    }

    @Test func clearOfOneLayerSendsNoRowsOfOtherLayers() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        let ticket = await a.node.beginClear(of: ["many-7"])
        #expect(await rows(of: b) <= Fleet.FleetNode.leastChecked)
        #expect(b.server.with(\.generations["many-7"]) == ticket.generations["many-7"])
    }

    @Test func clearOfAllLayersIsOneMessage() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        let before = redis.with { $0.model.stream.count }
        let ticket = await a.node.beginClear(of: Self.names)
        #expect(redis.with { $0.model.stream.count } == before + 1)
        #expect(ticket.generations.count == Self.names.count && Set(ticket.generations.values).count == 1)
        #expect(await rows(of: b) <= Fleet.FleetNode.leastChecked)
        #expect(b.server.with(\.generations) == ticket.generations && b.server.with(\.raises) == [Self.names.count])
        await a.server.raise(ticket.generations, isClear: true)
        // Only this round tells node a that node b has the clear.
        await a.node.round()
        #expect(await a.node.end(ticket, generations: ticket.generations) == FleetReach(nodes: 2, reached: 2))
        #expect(await rows(of: a) <= Fleet.FleetNode.leastChecked)
    }

    @Test func removesRowsOfUnservedLayers() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        let all = Set(Self.names)
        #expect(redis.with { Set($0.model.rows.keys) } == all)
        for node in [a, b] { _ = node.server.with { $0.generations.removeValue(forKey: "many-7") } }
        let days = ModelRedis.unservedDays
        for day in 1...days + 1 {
            #expect(redis.with { Set($0.model.rows.keys) } == all, "on day \(day)")
            await pass(days: 1, a, b)
        }
        #expect(redis.with { Set($0.model.rows.keys) } == all.subtracting(["many-7"]))
        #expect(a.server.with { $0.raises.isEmpty && $0.purges.isEmpty }, "other layers stay as they are")
    }

    /// The row is gone, but the clear in it still applies to the returning node.
    @Test func returningNodeAppliesClearsOfRemovedRow() async {
        let (a, b, gone) = (node("a"), node("b"), node("gone"))
        await merged(a, b, gone)
        let ticket = await a.node.beginClear(of: ["many-7"])
        await a.server.raise(ticket.generations, isClear: true)
        for node in [a, b] { _ = node.server.with { $0.generations.removeValue(forKey: "many-7") } }
        await pass(days: ModelRedis.unservedDays + 2, a, b)
        #expect(redis.with { $0.model.rows["many-7"] } == nil)
        await merged(gone)
        #expect(gone.server.with(\.generations["many-7"]) == ticket.generations["many-7"])
        #expect(gone.server.with { $0.generations.filter { $0.value != 100 }.count } == 1)
    }

    /// Redis may stand still for days, or its clock may jump. Days on which no node reports its layers do not count.
    @Test func ignoresDaysWithoutNodes() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        _ = a.server.with { $0.generations.removeValue(forKey: "many-7") }
        time.pass(365 * 86_400)
        await merged(a, b)
        #expect(redis.with { $0.model.rows["many-7"] } != nil)
    }

    private func pass(days: Int, _ nodes: TestNode...) async {
        for _ in 0..<days {
            time.pass(86_400)
            for node in nodes { await node.node.round() }
        }
    }

    /// The old node's program is older than `FleetNotice`. It reads messages about one layer only, and changes rows
    /// without a message.
    @Test func sendsAllRowsWhileOldNodeIsPresent() async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        redis.with {
            $0.model.nodes["old"] = ModelRedis.Node(seen: $0.model.time, position: .zero, about: "1", isOld: true)
        }
        #expect(await rows(of: a) >= Self.names.count)
        time.pass(1)
        #expect(await rows(of: a) >= Self.names.count)
        let before = redis.with { $0.model.stream.count }
        let ticket = await a.node.beginClear(of: Self.names)
        #expect(ticket.generations.count == Self.names.count)
        #expect(redis.with { $0.model.stream.count } == before + Self.names.count)
        await merged(b)
        #expect(b.server.with(\.generations) == ticket.generations)
        redis.with { $0.model.nodes["old"] = nil }
        #expect(await rows(of: b) >= Self.names.count, "once more, since it may have changed some at the end")
        time.pass(1)
        #expect(await rows(of: b) == Fleet.FleetNode.leastChecked)
    }

    @Test(arguments: ["rows", "stream", "both", "junk"]) func comparesAllRowsOnceAfterPossibleLoss(
        lost: String
    ) async {
        let (a, b) = (node("a"), node("b"))
        await merged(a, b)
        redis.with { state in
            if lost == "rows" || lost == "both" { state.model.loseRows() }
            if lost == "stream" || lost == "both" { state.model.stream = [] }
            let id = StreamID(milliseconds: state.model.time, sequence: 7)
            if lost == "junk" { state.model.stream.append(FleetMerge.Entry(id: id, .unknown)) }
        }
        for node in [a, b] { #expect(await rows(of: node) >= Self.names.count) }
        await merged(a, b)
        time.pass(1)
        for node in [a, b] { #expect(await rows(of: node) == Fleet.FleetNode.leastChecked) }
        #expect(redis.with { $0.model.rows.count } == Self.names.count)
    }

    @Test func splitsLayerNamesByMessageSize() {
        let long = (0..<3_000).map { "\($0)" + String(repeating: "a", count: 60) }
        for names in [[], ["a"], (0..<12_000).map { "\($0)" }, long] {
            let parts = FleetRequest.parts(of: names)
            #expect(parts.flatMap(\.self) == names)
            #expect(parts.allSatisfy { $0.count <= FleetRequest.mostCleared })
            #expect(parts.allSatisfy { $0.joined(separator: " ").utf8.count <= FleetMessage.longestValue })
        }
    }
}

/// Tests for the position that a node reports, and for the validity of other nodes' tiles.
@Suite struct FleetRoundTests {
    static let id = StreamID(milliseconds: 1_700_000_000_000, sequence: 1)

    private func answer(_ rows: [FleetRequest.Row], _ step: FleetMerge.Step, hasMore: Bool = false) -> FleetMerge {
        FleetMerge(last: Self.id, hasMore: hasMore, rows: rows, nodes: [], entries: [], step: step)
    }

    /// Messages were lost. The node may report the last message as applied only after it has the rows too.
    @Test func reportsPositionOnceRowsAreKnown() {
        var state = FleetState()
        state.add("osm", generation: 100)
        var round = FleetRound(&state, isLate: false, checked: 0)
        _ = state.merged(answer([], .lost), asked: round.rows, sent: [], now: 1_700_000_000, node: "n")
        round.advance(&state, hasMore: false, busy: [])
        #expect(state.position == Self.id && round.applied == nil && !round.isOver && round.rows.count == 1)
        #expect(state.stamp(of: "osm") == nil, "Redis may have a clear of which the node does not know")
        let clear = FleetRequest.Row(layer: "osm", number: FleetNumber(generation: 200, clear: Self.id))
        let actions = state.merged(answer([clear], .inStep), asked: round.rows, sent: [], now: 1_700_000_000, node: "n")
        #expect(actions == [.raise("osm", to: 200, isClear: true)])
        round.advance(&state, hasMore: false, busy: [])
        #expect(round.applied == Self.id && !round.isOver && state.stamp(of: "osm") == Self.id)
        _ = state.merged(answer([], .inStep), asked: [], sent: [], now: 1_700_000_000, node: "n")
        round.advance(&state, hasMore: false, busy: [])
        #expect(round.isOver)
    }

    /// If more messages follow, the rows of an answer are newer than its messages.
    @Test func requestsRowsAgainAfterLastMessage() {
        var state = FleetState()
        state.add("osm", generation: 100)
        var round = FleetRound(&state, isLate: false, checked: 1)
        #expect(round.rows.count == 1)
        _ = state.merged(answer([], .inStep, hasMore: true), asked: round.rows, sent: [], now: 1_700_000_000, node: "n")
        round.advance(&state, hasMore: true, busy: [])
        #expect(round.rows.isEmpty)
        _ = state.merged(answer([], .inStep), asked: [], sent: [], now: 1_700_000_000, node: "n")
        round.advance(&state, hasMore: false, busy: [])
        #expect(round.rows.map(\.layer) == ["osm"])
    }

    @Test func sendsRejectedRowOnce() {
        var state = FleetState()
        for name in (0..<700).map({ "many-\($0)" }) { state.add(name, generation: .max) }
        var round = FleetRound(&state, isLate: false, checked: 0)
        var told: [String: Int] = [:]
        for _ in 0..<10 where !round.isOver {
            for row in round.rows { told[row.layer, default: 0] += 1 }
            let rows = round.rows.map { FleetRequest.Row(layer: $0.layer, number: FleetNumber(generation: 7)) }
            _ = state.merged(answer(rows, .inStep), asked: round.rows, sent: [], now: 1_700_000_000, node: "n")
            round.advance(&state, hasMore: false, busy: [])
        }
        #expect(round.isOver && told.count == 700 && told.values.allSatisfy { $0 == 1 })
    }
}

@Suite struct FleetNoticeTests {
    @Test(arguments: [
        FleetNotice.clears(["a", "b-1_x"], generation: 4_294_967_295, node: "n"), .rows(nil), .rows(["a"]),
    ]) func decodesEncodedNotice(notice: FleetNotice) {
        let fields = notice.fields(name: "x-1", node: "n")
        #expect(FleetNotice(fields: fields) == notice)
        #expect(FleetMessage(fields: fields) == nil, "a node of before ignores it")
        for index in fields.indices {
            var others = fields
            others.remove(at: index)
            #expect(FleetNotice(fields: others) == nil)
        }
        #expect(FleetNotice(fields: fields + [("more", "1")]) == nil)
    }

    @Test(arguments: ["", " ", "a  b", "a b ", "a,b", "*", String(repeating: "a ", count: 10_001) + "a"])
    func rejectsInvalidLayerList(layers: String) {
        #expect(
            FleetNotice(
                fields: [
                    ("kind", "clears"), ("node", "n"), ("name", "x"), ("generation", "7"), ("layers", layers),
                ]) == nil)
    }
}
