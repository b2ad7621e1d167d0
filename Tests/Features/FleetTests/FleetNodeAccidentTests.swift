import Foundation
import MapGeometry
import RedisClient
import Synchronization
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// Tests for a node whose Redis refuses commands or loses data, for restarts in the middle of work, and for
/// simultaneous clears.
@Suite struct FleetNodeAccidentTests {
    let redis = VirtualRedis()
    let time = TestTime()
    static let area = TileArea.box(TileBox(zooms: 3...3))

    private func merged(_ nodes: TestNode...) async {
        for _ in 0..<3 { for node in nodes { await node.node.round() } }
    }

    private func withFile(_ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.path + "/fleet-\(UUID()).state"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await body(file)
    }

    // MARK: Redis answers but is unusable

    @Test(arguments: [
        "READONLY You can't write against a read only replica.", "NOPERM this user has no permissions",
        "CROSSSLOT Keys in request don't hash to the same slot", "WRONGTYPE Operation against a key",
    ]) func reportsRefusingRedisOnceAndTreatsItAsDown(error: String) async {
        let nodes = ["a", "b", "c"].map { TestNode($0, redis, time: time) }
        for _ in 0..<2 { for node in nodes { await merged(node) } }
        let a = nodes[0]
        #expect(a.node.report().isRedisUp)
        redis.with { $0.refusal = error }
        await merged(a)
        #expect(a.server.with(\.events) == [.refused(why: error)])
        #expect(!a.node.report().isRedisUp && a.server.with(\.servers) == 3)
        redis.with { $0.refusal = nil }
        await merged(a)
        #expect(a.server.with(\.events) == [.refused(why: error), .refused(why: nil)])
        #expect(a.node.report().isRedisUp && a.server.with(\.servers) == 1)
    }

    /// If two machines have the same node name, each reports it. A process that replaces an earlier process reports
    /// nothing.
    @Test func reportsSecondNodeWithSameNameOnce() async {
        let (old, new) = (TestNode("a", redis, time: time), TestNode("a", redis, time: time))
        await merged(old)
        for _ in 0..<4 {
            time.pass(1)
            await merged(new)
        }
        #expect(new.server.with(\.events).isEmpty)
        for _ in 0..<5 {
            time.pass(1)
            await merged(old)
            await merged(new)
        }
        #expect(new.server.with(\.events) == [.sameName(isOver: false)])
        #expect(old.server.with(\.events) == [.sameName(isOver: false)])
        for _ in 0..<5 {
            time.pass(1)
            await merged(new)
        }
        #expect(new.server.with(\.events) == [.sameName(isOver: false)], "it may only be quicker")
        time.pass(1)
        await merged(new)
        #expect(new.server.with(\.events) == [.sameName(isOver: false), .sameName(isOver: true)])
    }

    @Test func countsKnownNodesAfterRedisIsEmptied() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        _ = await a.purge(Self.area)
        await merged(a, b)
        redis.with { $0.model = ModelRedis(time: $0.model.time) }
        await a.node.round()
        async let cleared = a.clear()
        time.pass(2)
        #expect(await cleared == FleetReach(nodes: 2, reached: 1))
        time.pass(10)
        await a.node.round()
        #expect(a.node.report().others.isEmpty)
    }

    @Test func rejectsNumbersFromWrongClock() async {
        let a = TestNode("a", redis, time: time)
        await merged(a)
        redis.with { $0.isDown = true }
        _ = await a.clear()
        redis.with { ($0.isDown, $0.lies) = (false, true) }
        await merged(a)
        guard case .refused(let why?) = a.server.with(\.events).last else { return #expect(Bool(false)) }
        #expect(why.contains("clock") && !a.node.report().isRedisUp)
        redis.with { $0.lies = false }
        await merged(a)
        #expect(a.node.report().isRedisUp && a.node.report().unnumbered == 0)
    }

    // MARK: After a restart

    @Test func repeatsClearThatDiskMayLack() async throws {
        try await withFile { file in
            let a = TestNode("a", redis, time: time, file: file)
            await merged(a)
            _ = await a.clear()
            await merged(a)
            redis.with { $0.isDown = true }
            let again = TestNode("a", redis, time: time, file: file)
            await merged(again)
            #expect(again.generation == a.generation && (a.generation ?? 0) > 100)
        }
    }

    @Test func savesPositionAfterPurgeIsDone() async throws {
        try await withFile { file in
            let a = TestNode("a", redis, time: time)
            let b = TestNode("b", redis, time: time, file: file)
            await merged(a, b)
            let before = try #require(FleetFile.read(file)).state.position
            let meanwhile = Mutex<StreamID?>(nil)
            b.server.with { state in
                state.whilePurging = {
                    await b.node.save()
                    let position = FleetFile.read(file)?.state.position
                    meanwhile.withLock { $0 = position }
                }
            }
            _ = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: false)
            await merged(b)
            #expect(b.server.with(\.purges).count == 1)
            #expect(meanwhile.withLock { $0 } == before && before != nil)
            let after = FleetFile.read(file)?.state.position
            #expect(after == b.node.read { $0.position } && after != before)
            b.server.with { $0.whilePurging = nil }
        }
    }

    @Test func reportsMissedPurgesOnlyIfDiskHasTiles() async {
        let a = TestNode("a", redis, time: time)
        await merged(a)
        _ = await a.purge(Self.area)
        await merged(a)
        for hasDisk in [false, true] {
            let b = TestNode("b", redis, time: time, hasDisk: hasDisk)
            await merged(b)
            #expect(b.server.with(\.purges) == ["osm all"])
            #expect(b.server.with(\.events).contains(.missed(layer: "osm")) == hasDisk)
        }
    }

    // MARK: Messages of peers

    private func purge(_ name: String, _ id: StreamID? = nil) -> FleetMessage {
        FleetMessage(
            layer: "osm", content: .purge(previous: .zero, Self.area, isSoft: false), node: "a", name: name, id: id)
    }

    /// Tiles in the shared tier may be older than the purge, and the peer may never be able to number it.
    @Test func numbersPurgeOfPeerWithoutRedis() async {
        let (b, c) = (TestNode("b", redis, time: time), TestNode("c", redis, time: time))
        await merged(b, c)
        await b.node.receive([purge("f-1.osm")])
        #expect(b.server.with(\.purges) == ["osm \(Self.area.fleetText)"])
        #expect(b.node.stamp(of: "osm") == nil, "it shares nothing until then")
        await merged(b, c)
        #expect(b.node.stamp(of: "osm") != nil && c.server.with(\.purges) == ["osm \(Self.area.fleetText)"])
        await b.node.receive([purge("f-1.osm")])
        #expect(b.server.with(\.purges) == ["osm \(Self.area.fleetText)"], "once")
    }

    /// The stream delivers the purge first, and the purge is still in progress. The answer to the peer waits until
    /// the purge is done.
    @Test func answersPeerOncePurgeIsInForce() async throws {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        let (isPurging, mayEnd) = (Gate(), Gate())
        let isAnswered = Mutex(false)
        b.server.with { state in
            state.whilePurging = {
                isPurging.open()
                await mayEnd.pass()
            }
        }
        _ = await a.node.beginPurge(of: ["osm"], [Self.area], isSoft: false)
        let round = Task { await b.node.round() }
        await isPurging.pass()
        let id = try #require(b.node.read { $0.layers["osm"]?.number.purge })
        let batch = Task {
            await b.node.receive([purge("f-2.osm", id)])
            isAnswered.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(!isAnswered.withLock { $0 })
        mayEnd.open()
        await batch.value
        _ = await round.value
        #expect(b.server.with(\.purges) == ["osm \(Self.area.fleetText)"])
        b.server.with { $0.whilePurging = nil }
    }

    /// A peer is away for a long time. Every outstanding message gets its turn to be repeated.
    @Test func repeatsEveryOutstandingMessage() async throws {
        let a = TestNode("a", redis, time: time, peers: 2)
        await merged(a)
        redis.with { $0.isDown = true }
        for number in 1...80 {
            let messages = [purge("f-\(number).osm")]
            a.node.note(.made(FleetState.Outstanding(number: number, messages: messages, began: 0, lastTry: 0)))
        }
        for _ in 0..<3 {
            time.pass(2)
            await a.node.round()
            await expectEventually { !a.node.read { $0.sending > 0 } }
        }
        #expect(a.peers.sentNames.count == 80)
    }

    // MARK: Outstanding messages

    @Test func completesPurgeThatALaterClearCovers() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        redis.with { $0.isDown = true }
        time.pass(0)
        async let purged = a.purge(Self.area)
        async let cleared = a.clear()
        time.pass(2)
        _ = await (purged, cleared)
        #expect(a.node.report().unreached == 2)
        redis.with { $0.isDown = false }
        await merged(a, b, a)
        time.pass(2)
        await merged(a)
        #expect(a.node.report().unreached == 0)
    }

    @Test func forgetsOutstandingMessagesOfRemovedLayer() async {
        let a = TestNode("a", redis, time: time, generations: ["osm": 100, "roads": 100], peers: 1)
        redis.with { $0.isDown = true }
        async let cleared = a.clear()
        time.pass(2)
        _ = await cleared
        #expect(a.node.report().unreached == 1)
        a.server.with { $0.generations["osm"] = nil }
        await merged(a)
        #expect(a.node.report().unreached == 0)
    }

    // MARK: Simultaneous clears

    @Test func appliesClearOfOtherNodeDuringOwnClear() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b)
        let ticket = await a.node.beginClear(of: ["osm"])
        async let other = b.clear()
        time.pass(2)
        _ = await other
        await a.node.round()
        #expect(a.generation == b.generation, "others take it for done")
        // The service raises the generation to its ticket's generation, but never lowers it.
        await a.server.raise(["osm": ticket.generations["osm"] ?? 0], isClear: true)
        async let end = a.node.end(ticket, generations: ["osm": a.generation ?? 0])
        time.pass(2)
        _ = await end
        await merged(a, b)
        #expect(a.generation == b.generation)
    }

    @Test func numbersClearSeparatelyIfMadeDuringNumbering() {
        let (id, now) = (StreamID(milliseconds: 1_700_000_000_000, sequence: 0), 1_700_000_000)
        let purge = FleetState.WaitingPurge(name: "a-1", area: Self.area, isSoft: false)
        var state = FleetState()
        state.add("osm", generation: 100)
        state.clearedAlone("osm", generation: 101)
        let asked = state.aloneCounts["osm"]
        _ = state.purgedAlone("osm", purge)
        #expect(state.cleared("osm", generation: 200, id, now: now, asked: asked) == 200)
        #expect(state.unnumbered == ["osm"], "others have not got the purge")
        let next = StreamID(milliseconds: id.milliseconds, sequence: 1)
        #expect(state.cleared("osm", generation: 201, next, now: now, asked: state.aloneCounts["osm"]) == 201)
        #expect(state.unnumbered.isEmpty && state.layers["osm"]?.isShared == true)
        // Does the same for a layer that has its number.
        _ = state.purgedAlone("osm", purge)
        let last = StreamID(milliseconds: id.milliseconds, sequence: 2)
        #expect(state.cleared("osm", generation: 202, last, now: now, asked: asked) == 202)
        #expect(state.waiting.map(\.purge) == [purge])
    }

    @Test func clearsLayerWithGenerationFromWrongClock() {
        let (id, now) = (StreamID(milliseconds: 1_700_000_000_000, sequence: 0), 1_700_000_000)
        var state = FleetState()
        state.add("osm", generation: 4_000_000_000)
        state.clearedAlone("osm", generation: 4_000_000_001)
        #expect(state.cleared("osm", generation: 1_700_000_000, id, now: now, asked: 1) == 4_000_000_002)
        #expect(state.unnumbered.isEmpty)
    }
}
