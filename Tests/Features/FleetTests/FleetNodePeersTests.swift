import RedisClient
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// Tests for the nodes that a clear counts, waits for and sends messages to.
@Suite struct FleetNodePeersTests {
    let time = TestTime(step: 0)
    let redis: VirtualRedis

    init() { redis = VirtualRedis(following: time) }

    private func merged(_ nodes: TestNode...) async {
        for _ in 0..<3 { for node in nodes { await node.node.round() } }
    }

    /// Runs a round of `node` and waits until the node has asked peers for their names `count` times in total.
    private func met(_ node: TestNode, _ count: Int) async {
        await node.node.round()
        await expectEventually("\(node.peers.meetings)") { node.peers.meetings.count == count }
        // The second round uses the peers' answers.
        await node.node.round()
    }

    private func count(_ node: TestNode) -> Int { node.node.read { $0.count(time.now) } }

    /// Clears a layer on `node`. Returns the reach and the number of waits for other nodes. During each wait,
    /// `others` run a round. If Redis is down, each wait lasts until the call to the peers ends.
    private func clear(_ node: TestNode, _ others: TestNode...) async -> (reach: FleetReach, waits: Int) {
        let (waits, calls) = (node.waits.count, node.peers.endedCount)
        node.waits.set {
            for other in others + [node] { await other.node.round() }
            guard self.redis.with(\.isDown) else { return }
            await expectEventually { node.peers.endedCount > calls }
        }
        let reach = await node.clear()
        node.waits.set(meanwhile: nil)
        return (reach, node.waits.count - waits)
    }

    /// Clears a layer on `node` while a peer hangs.
    private func tell(_ node: TestNode) async -> FleetReach {
        node.waits.set { await expectEventually { node.peers.sentCount == 1 } }
        defer { node.waits.set(meanwhile: nil) }
        return await node.clear()
    }

    private func names(_ node: TestNode) -> [String] { node.node.report().others.map(\.name) }

    // MARK: Number of nodes

    @Test func countsItselfOnceItKnowsItsURL() async {
        let a = TestNode("a", redis, time: time, peers: 3)
        let b = TestNode("b", redis, time: time)
        a.peers.put(.itself, at: 0)
        a.peers.connect("b", b.node, at: 1)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b", nil] }
        await merged(b, a)
        // The third node was never reached.
        #expect(await clear(a, b).reach == FleetReach(nodes: 3, reached: 2))
        #expect(names(a) == ["b"])
    }

    /// Nodes of an older version do not tell their name to peers. Redis knows their names.
    @Test func countsUnnamedPeerAndNamedNodeOnce() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let (b, c) = (TestNode("b", redis, time: time), TestNode("c", redis, time: time))
        await merged(a, b)
        #expect(count(a) == 3)
        await merged(c, a)
        #expect(count(a) == 3)
    }

    @Test func countsNodeOnceAfterItsNameChanges() async {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        a.peers.connect("b", b.node)
        await merged(b)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b"] }
        // The node was killed, so Redis keeps its old name.
        let other = TestNode("b2", redis, time: time)
        a.peers.connect("b2", other.node)
        time.pass(4)
        await merged(other)
        await met(a, 2)
        await expectEventually { a.peers.peers.map(\.name) == ["b2"] }
        await merged(other, a)
        #expect(names(a) == ["b2"])
        #expect(await clear(a, other).reach == FleetReach(nodes: 2, reached: 2))
        // A node that uses the old name again is a third node.
        time.pass(1)
        await merged(b, a)
        #expect(count(a) == 3 && names(a) == ["b", "b2"])
    }

    @Test func countsKilledNodeButNotDepartedNode() async {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        a.peers.connect("b", b.node)
        await merged(b)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b"] }
        a.peers.put(.nobody, at: 0)
        await merged(b, a)
        time.pass(400)
        await merged(a)
        #expect(count(a) == 2 && names(a).isEmpty, "killed")
        await merged(b, a)
        #expect(names(a) == ["b"])
        await b.node.close()
        await merged(a)
        time.pass(2)
        #expect(count(a) == 1 && names(a).isEmpty, "left")
        #expect(await a.clear() == FleetReach(nodes: 1, reached: 1))
        time.pass(1)
        let again = TestNode("b", redis, time: time)
        await merged(again, a)
        #expect(count(a) == 2)
    }

    /// A node cannot distinguish FLUSHALL from nodes that have left. The node adds entries to the stream itself, so
    /// it cannot see that the stream was emptied.
    @Test func keepsPeersAfterRedisIsEmptied() async {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        a.peers.connect("b", b.node)
        await merged(b)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b"] }
        time.pass(1)
        await merged(b, a)
        redis.with { $0.model = ModelRedis(time: $0.model.time) }
        let start = time.now
        a.waits.set {
            await a.node.round()
            guard self.time.now - start > 0.3 else { return }
            await expectEventually { a.peers.endedCount > 0 }
        }
        #expect(await a.clear() == FleetReach(nodes: 2, reached: 2), "told over HTTP")
        a.waits.set(meanwhile: nil)
        time.pass(1)
        await merged(b, a)
        time.pass(5)
        #expect(count(a) == 2)
    }

    @Test func asksUnnamedPeerWithGrowingPauses() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let b = TestNode("b", redis, time: time)
        a.peers.connect("b", b.node, at: 1)
        var expected = 0
        for second in 0..<100 {
            await merged(b)
            expected += [0, 1, 3, 7, 15, 31, 61, 91].contains(second) ? 1 : 0
            await met(a, expected)
            time.pass(1)
        }
        #expect(a.peers.meetings.first == ["0", "1"])
        #expect(a.peers.meetings.dropFirst().allSatisfy { $0 == ["0"] }, "the other is known")
    }

    // MARK: Waiting for nodes

    @Test func skipsWaitForNodeThatIsKnownToBeDown() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let (b, c) = (TestNode("b", redis, time: time), TestNode("c", redis, time: time))
        a.peers.connect("b", b.node, at: 0)
        a.peers.connect("c", c.node, at: 1)
        await merged(b, c)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b", "c"] }
        a.peers.put(.nobody, at: 1)
        time.pass(1)
        // The first clear finds out that the node is down. It still waits, because the stream could reach the node
        // first.
        let first = await clear(a, b)
        #expect(first.reach == FleetReach(nodes: 3, reached: 2) && first.waits > 7)
        await expectEventually { a.peers.peers.last?.failed != nil }
        for _ in 0..<3 {
            let next = await clear(a, b)
            #expect(next.reach == FleetReach(nodes: 3, reached: 2) && next.waits == 1, "until the other has it")
        }
        #expect(a.node.report().unreached == 4, "they are repeated")
        // The node is up again.
        time.pass(1)
        await merged(c, a)
        #expect(await clear(a, b, c).reach == FleetReach(nodes: 3, reached: 3))
    }

    @Test func skipsWaitForNodeThatIsDownWithoutRedis() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let b = TestNode("b", redis, time: time)
        a.peers.connect("b", b.node, at: 0)
        redis.with { $0.isDown = true }
        for _ in 0..<4 {
            let cleared = await clear(a)
            #expect(cleared.reach == FleetReach(nodes: 3, reached: 2) && cleared.waits == 1)
        }
        // The node is up again, so the clear reaches the node and waits for it.
        let c = TestNode("c", redis, time: time)
        a.peers.connect("c", c.node, at: 1)
        #expect(await clear(a).reach == FleetReach(nodes: 3, reached: 3))
    }

    /// Calls between the two nodes fail, for example because of different secrets.
    @Test func waitsForNodeThatOnlyRedisReaches() async {
        let a = TestNode("a", redis, time: time, peers: 1)
        let b = TestNode("b", redis, time: time)
        await merged(a, b)
        await expectEventually { a.peers.peers.first?.failed != nil }
        time.pass(1)
        await merged(b, a)
        #expect(await clear(a, b).reach == FleetReach(nodes: 2, reached: 2))
    }

    /// Neither Redis nor a peer call can tell whether such a node gets the clear.
    @Test func skipsWaitForSilentNodeWithoutURL() async {
        let (a, b) = (TestNode("a", redis, time: time), TestNode("b", redis, time: time))
        await merged(a, b, a)
        time.pass(4)
        await merged(a)
        let cleared = await clear(a)
        #expect(cleared.reach == FleetReach(nodes: 2, reached: 1) && cleared.waits == 0)
    }

    // MARK: Repeated messages

    @Test func repeatsMessagesWhileAPeerHangs() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let c = TestNode("c", redis, time: time)
        redis.with { $0.isDown = true }
        let gate = Gate()
        a.peers.put(.hanging(gate), at: 0)
        #expect(await tell(a) == FleetReach(nodes: 3, reached: 1))
        // The node repeats the message while node c does not listen. The hanging peer holds up that repetition.
        time.pass(2)
        await a.node.round()
        await expectEventually { a.peers.sentCount == 2 }
        a.peers.connect("c", c.node, at: 1)
        time.pass(2)
        await a.node.round()
        await expectEventually { c.generation == 101 }
        gate.open()
    }

    /// Sends a message over HTTP only to nodes that did not get it from the stream.
    @Test func repeatsMessageOnlyToNodesThatLackIt() async {
        let a = TestNode("a", redis, time: time, peers: 2)
        let (b, c) = (TestNode("b", redis, time: time), TestNode("c", redis, time: time))
        a.peers.connect("b", b.node, at: 0)
        a.peers.connect("c", c.node, at: 1)
        await merged(b, c)
        await met(a, 1)
        await expectEventually { a.peers.peers.map(\.name) == ["b", "c"] }
        a.peers.put(.nobody, at: 1)
        #expect(await clear(a, b).reach.reached == 2)
        time.pass(2)
        let before = a.peers.called
        await a.node.round()
        await expectEventually { a.peers.called.count > before.count }
        #expect(a.peers.called.dropFirst(before.count).allSatisfy { $0 == "1" })
    }
}
