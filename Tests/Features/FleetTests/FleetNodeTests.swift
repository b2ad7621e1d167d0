import Foundation
import MapGeometry
import RedisClient
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// Tests for a fleet node on a Redis in memory, with the test's clock.
@Suite struct FleetNodeTests {
    let redis = VirtualRedis()
    let time = TestTime()
    static let area = TileArea.box(TileBox(zooms: 3...3))

    private func merged(_ nodes: TestNode...) async {
        for _ in 0..<3 { for node in nodes { await node.node.round() } }
    }

    @Test func clearReachesAllNodesAndReportsReach() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        // Node b runs no round during the clear, so the clear times out.
        time.pass(0)
        let reach = await withTaskGroup { group in
            group.addTask { await a.clear() }
            for _ in 0..<40 {
                time.pass(0.05)
                try? await Task.sleep(for: .milliseconds(5))
            }
            return await group.next()
        }
        #expect(reach == FleetReach(nodes: 2, reached: 1))
        #expect(a.node.report().unreached == 1)
        await merged(b, a)
        #expect(a.generation == b.generation && (a.generation ?? 0) >= 1_700_000_000)
        time.pass(2)
        await merged(a)
        #expect(a.node.report().unreached == 0)
        #expect(a.peers.sentCount > 0, "who has not got it by the stream is told over HTTP")
    }

    /// Redis reports that node b has read the message. The message has no effect on a node that does not serve the
    /// layer, so the node does not count as reached.
    @Test func clearCountsNodeWithoutLayerAsUnreached() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        for (layer, reached) in [("osm", 1), ("sea", 2)] {
            a.server.with { $0.lacking = [layer: ["b", "gone"]] }
            let ticket = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: true)
            await merged(b, a, b)
            #expect(await a.node.end(ticket) == FleetReach(nodes: 2, reached: reached))
        }
    }

    @Test func purgeRunsOnceOnEveryNode() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        time.pass(0)
        let ticket = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: true)
        await merged(b, a, b)
        #expect(await a.node.end(ticket) == FleetReach(nodes: 2, reached: 2))
        #expect(b.server.with(\.purges) == ["osm \(Self.area.fleetText) soft"])
        #expect(a.server.with(\.purges) == [], "its own it has done itself")
        #expect(a.node.stamp(of: "osm") == b.node.stamp(of: "osm"))
    }

    @Test func removesWholeLayerAfterMissedPurge() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        let ticket = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: false)
        await merged(a)
        redis.with { $0.model.stream = [] }
        await merged(b)
        #expect(b.server.with(\.purges) == ["osm all"])
        #expect(b.server.with(\.events).contains(.missed(layer: "osm")))
        _ = ticket
    }

    @Test func clearGoesToPeersWithoutRedisAndIsNumberedLater() async throws {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        await merged(a, b)
        let (stamp, before) = (a.node.stamp(of: "osm"), a.generation)
        #expect(stamp != nil && before == 100)
        redis.with { $0.isDown = true }
        a.peers.connect("b", b.node)
        let reach = await a.clear()
        #expect(reach == FleetReach(nodes: 2, reached: 2))
        #expect(a.generation == 101 && b.generation == 101)
        #expect(a.node.stamp(of: "osm") == nil && b.node.stamp(of: "osm") == nil, "shared with nobody")
        // A second message with the same name has no effect.
        await b.node.receive([
            FleetMessage(layer: "osm", content: .clear(generation: 101), node: "a", name: "x-1.osm")
        ])
        await b.node.receive([
            FleetMessage(layer: "osm", content: .clear(generation: 101), node: "a", name: "x-1.osm")
        ])
        #expect(b.generation == 102)
        redis.with { $0.isDown = false }
        await merged(a, b)
        #expect(a.generation == b.generation && (a.generation ?? 0) >= 1_700_000_000)
        #expect(a.node.stamp(of: "osm") != nil && a.node.report().unnumbered == 0)
    }

    @Test func repeatsClearThatNoPeerReceived() async {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        redis.with { $0.isDown = true }
        let reach = await withTaskGroup { group in
            group.addTask { await a.clear() }
            for _ in 0..<40 {
                time.pass(0.05)
                try? await Task.sleep(for: .milliseconds(5))
            }
            return await group.next()
        }
        #expect(reach == FleetReach(nodes: 2, reached: 1) && b.generation == 100)
        a.peers.connect("b", b.node)
        for _ in 0..<200 where b.generation == 100 {
            time.pass(0.5)
            await a.node.round()
            try? await Task.sleep(for: .milliseconds(2))
        }
        #expect(b.generation == 101)
    }

    @Test func skipsClearOfMapThatHasReachedGeneration() async {
        let a = TestNode("a", redis, time: time, generations: ["osm": 100, "map": 100])
        let b = TestNode("b", redis, time: time, generations: ["osm": 100, "map": 100])
        await merged(a, b)
        let ticket = await a.node.beginClear(of: ["osm"])
        await a.server.raise(["osm": ticket.generations["osm"] ?? 0], isClear: true)
        // Both nodes clear the map together with its layer.
        _ = await a.server.advance(["map"])
        b.server.with { $0.clearsWith = ["osm": "map"] }
        await merged(a, b, a)
        #expect(b.generation == a.generation && b.server.with(\.generations["map"]) == 101)
        #expect(a.server.with(\.generations["map"]) == 101)
    }

    @Test func rejectsFalseNumber() async {
        let a = TestNode("a", redis, time: time)
        await merged(a)
        redis.with { $0.lies = true }
        _ = await a.clear()
        #expect(a.generation == 101 && a.node.stamp(of: "osm") == nil)
    }

    @Test func doubtsTilesAfterLeaseUntilRedisAnswers() async {
        let a = TestNode("a", redis, time: time)
        await merged(a)
        redis.with { $0.isDown = true }
        time.pass(29)
        await a.node.round()
        #expect(a.server.with(\.doubt) == nil)
        time.pass(2)
        await a.node.round()
        #expect(a.server.with(\.doubt) == 30 && a.node.report().isInLease)
        redis.with { $0.isDown = false }
        await a.node.round()
        #expect(a.server.with(\.doubt) == nil && !a.node.report().isInLease)
        let events = a.server.with(\.events)
        #expect(events.count == 2 && events[0] == .lease(isOver: false, seconds: 31))
    }

    /// docs/spec/threats.md T49: the state file comes from a wall clock that was a day ahead. Its time must not make
    /// the tiles on disk count as fresh.
    @Test func doubtsTilesIfLastMergeIsInTheFuture() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/fleet-\(UUID()).state"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("fleet 1 1700086400\n".utf8).write(to: URL(fileURLWithPath: file))
        redis.with { $0.isDown = true }
        let a = TestNode("a", redis, time: time, file: file, hasDisk: true)
        await a.node.round()
        #expect(a.server.with(\.doubt) == 30 && a.node.report().isInLease)
    }

    @Test func dividesUpstreamLimitsAmongNodesWithoutRedis() async {
        let nodes = ["a", "b", "c"].map { TestNode($0, redis, time: time) }
        for _ in 0..<2 { for node in nodes { await merged(node) } }
        #expect(nodes[0].server.with(\.servers) == 1)
        redis.with { $0.isDown = true }
        await nodes[0].node.round()
        #expect(nodes[0].server.with(\.servers) == 3)
        redis.with { $0.isDown = false }
        await nodes[0].node.round()
        #expect(nodes[0].server.with(\.servers) == 1)
    }

    @Test func keepsUnnumberedPurgeAcrossRestart() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/fleet-\(UUID()).state"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let b = TestNode("b", redis, time: time)
        do {
            let a = TestNode("a", redis, time: time, file: file)
            await merged(a, b)
            redis.with { $0.isDown = true }
            time.pass(0)
            let ticket = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: false)
            _ = await a.node.end(ticket)
        }
        redis.with { $0.isDown = false }
        let again = TestNode("a", redis, time: time, file: file)
        await merged(again, b)
        #expect(b.server.with(\.purges) == ["osm \(Self.area.fleetText)"])
    }

    @Test func forgetsNodeThatLeaves() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        #expect(a.node.report().others.map(\.name) == ["b"])
        await b.node.close()
        await merged(a)
        #expect(a.node.report().others.isEmpty)
    }

    @Test func provisionalGenerationClearsNoOtherNode() async {
        let a = TestNode("a", redis, time: time)
        await merged(a)
        let b = TestNode("b", redis, time: time, generations: ["osm": 500])
        b.server.with { $0.isProvisional = true }
        await merged(b, a)
        #expect(a.generation == 100 && b.generation == 500)
        b.server.with { $0.isProvisional = false }
        _ = await a.clear()
        await merged(b, a)
        #expect(a.generation == b.generation && (a.generation ?? 0) > 500)
    }
}

@Suite struct FleetFileTests {
    @Test func decodesEncodedFile() throws {
        var state = FleetState()
        state.add("osm", generation: 7)
        state.add("roads", generation: 9)
        state.clearedAlone("roads", generation: 10)
        _ = state.purgedAlone("osm", FleetState.WaitingPurge(name: "a-1", area: .everything, isSoft: true))
        let file = FleetFile(state: state, merged: 1_700_000_000)
        let read = try #require(FleetFile(text: file.text))
        #expect(read.text == file.text && read.merged == 1_700_000_000)
        #expect(read.state.unnumbered == ["roads"] && read.state.waiting.map(\.layer) == ["osm"])
    }

    @Test(arguments: [
        "", "fleet 1 0", "fleet 2 0\n", "fleet 1 x\n", "fleet 1 0\nlayer osm 1 0-0\n", "fleet 1 0\nposition\n",
        "fleet 1 0\npurge osm a 1 box 0-0 0,0,0,0\n", "fleet 1 0\nother\n",
    ]) func rejectsInvalidText(text: String) {
        #expect(FleetFile(text: text) == nil)
    }

    @Test func rejectsMissingFile() {
        #expect(FleetFile.read("/dev/null") == nil)
        #expect(FleetFile.read("/nowhere/fleet.state") == nil)
    }
}
