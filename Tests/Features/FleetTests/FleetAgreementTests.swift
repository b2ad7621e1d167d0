import Keys
import Foundation
import Runtime
import RedisClient
import Synchronization
import TestRedis
import TestSupport
import Testing

@testable import Fleet

/// Tests for the facts that nodes compare, and for the events about differences.
@Suite(.blocking) struct FleetAgreementTests {
    private static let secret = "a-secret-of-a-test-0123"
    private static let layers = [(id: "osm", identity: "http://a/?key=1"), (id: "sea", identity: "b")]

    private func facts(
        _ layers: [(id: String, identity: String)] = layers, settings: String = "", secret: String = secret
    ) -> FleetFacts {
        FleetFacts(layers: layers, settings: settings, secret: secret)
    }

    // MARK: Facts

    @Test func findsDifferencesBetweenFacts() {
        let other = [(id: "osm", identity: "http://a/?key=2"), (id: "hills", identity: "c")]
        #expect(facts().difference(from: facts()) == nil)
        #expect(facts().difference(from: facts(other)) == .layers(["hills", "osm", "sea"]))
        #expect(facts().difference(from: facts(settings: "x")) == .settings)
        #expect(facts().difference(from: facts(other, settings: "x")) == .layers(["hills", "osm", "sea"]))
        #expect(facts().difference(from: facts(other, secret: "another-secret-0123")) == .secret)
        #expect(facts().difference(from: facts(secret: "")) == .secret)
    }

    /// Without a secret, a reader of Redis could guess the keys of an upstream URL from a digest.
    @Test func hidesSourcesWithoutSecret() throws {
        #expect(facts(secret: "").text == "layer:osm -\nlayer:sea -\nsecret -\nsettings -")
        let (one, two) = (
            facts([(id: "osm", identity: "1")], secret: ""), facts([(id: "osm", identity: "2")], secret: "")
        )
        #expect(one.difference(from: two) == nil)
        #expect(one.difference(from: facts([], secret: "")) == .layers(["osm"]))
        // With a secret, the text has only digests, and equal sources of two layers have different digests.
        let text = facts([(id: "osm", identity: "1"), (id: "sea", identity: "1")]).text
        let words = text.split(whereSeparator: { $0 == " " || $0.isNewline })
        #expect(Set(words).count == words.count && words.count == 8)
    }

    @Test func parsesOwnText() throws {
        #expect(FleetFacts(text: Array(facts().text.utf8)) == facts())
        for text in ["", "secret", "secret a b", "secret 0123456789abcdef0", "layer:osm -", "\u{FF}"] {
            #expect(FleetFacts(text: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(FleetFacts(text: [0xFF, 0x20, 0x2D]) == nil)
    }

    // MARK: Nodes

    private final class Node: Sendable {
        let agreement: FleetAgreement
        private let redis: RedisClient
        private let time: Time

        final class Time: Sendable {
            let monotonic = Mutex(1_000.0)
            let offset = Mutex(0)
            let events = Mutex<[FleetAgreement.Event]>([])
        }

        init(_ name: String, _ server: RedisServer) async throws {
            let redis = RedisClient(
                RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.facts"),
                timeout: 5)
            let time = Time()
            agreement = FleetAgreement(
                redis: redis, prefix: "p", node: name,
                clock: Fleet.FleetNode.Clock(
                    monotonic: { time.monotonic.withLock { $0 } },
                    // Redis runs on this machine and has the same clock.
                    wall: { Int(Date.now.timeIntervalSince1970) + time.offset.withLock { $0 } })
            ) { event in time.events.withLock { $0.append(event) } }
            (self.redis, self.time) = (redis, time)
            try #require(await eventually { (try? await redis.send(RedisCommand("PING"))) != nil })
        }

        /// Returns the events since the last call.
        var events: [FleetAgreement.Event] {
            time.events.withLock { events in
                defer { events = [] }
                return events
            }
        }

        func advance(_ seconds: Double) { time.monotonic.withLock { $0 += seconds } }
        func setClock(ahead seconds: Int) { time.offset.withLock { $0 = seconds } }
        func close() { redis.close() }
    }

    @Test func reportsDifferenceOnceAfterAMinuteAndItsEndOnce() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        let other = facts([(id: "osm", identity: "other")])
        await b.agreement.look(other)
        await a.agreement.look(facts())
        a.advance(59)
        await a.agreement.look(facts())
        #expect(a.events.isEmpty && a.agreement.differences.isEmpty)
        a.advance(1)
        for _ in 0..<3 { await a.agreement.look(facts()) }
        let difference = FleetAgreement.Difference.facts(.layers(["osm", "sea"]))
        #expect(a.events == [FleetAgreement.Event(node: "b", difference: difference)])
        #expect(a.agreement.differences == ["b": difference])
        // The other node is upgraded too.
        await b.agreement.look(facts())
        await a.agreement.look(facts())
        #expect(a.events == [FleetAgreement.Event(node: "b", difference: nil)] && a.agreement.differences.isEmpty)
        a.close()
        b.close()
    }

    @Test func knowsNodesThatLackALayerAfterFirstLook() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        await b.agreement.look(facts([(id: "osm", identity: "other"), (id: "hills", identity: "c")]))
        await a.agreement.look(facts())
        #expect(a.agreement.nodes(lacking: ["sea"]) == ["b"] && a.agreement.nodes(lacking: ["osm", "sea"]) == ["b"])
        #expect(a.agreement.nodes(lacking: ["osm"]).isEmpty && a.agreement.nodes(lacking: ["hills"]).isEmpty)
        await b.agreement.look(facts())
        await a.agreement.look(facts())
        #expect(a.agreement.nodes(lacking: ["sea"]).isEmpty)
        a.close()
        b.close()
    }

    /// A fleet is upgraded one node after another.
    @Test func ignoresShortDifferences() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        for _ in 0..<3 {
            await b.agreement.look(facts([]))
            await a.agreement.look(facts())
            a.advance(50)
            await b.agreement.look(facts())
            await a.agreement.look(facts())
        }
        #expect(a.events.isEmpty)
        a.close()
        b.close()
    }

    @Test func reportsClockDifference() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        b.setClock(ahead: -600)
        await b.agreement.look(facts())
        await a.agreement.look(facts())
        a.advance(60)
        await a.agreement.look(facts())
        let event = try #require(a.events.first)
        guard event.node == "b", case .clock(let seconds)? = event.difference else {
            Issue.record("\(event)")
            return
        }
        // Both times are rounded to seconds.
        #expect((-602 ... -598).contains(seconds))
        a.close()
        b.close()
    }

    @Test func sendsFactsAgainAfterRedisLosesThem() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        await b.agreement.look(facts([]))
        server.ask("FLUSHALL")
        // Redis reports at the first look that the facts are gone. The second look sends them.
        for _ in 0..<2 { await b.agreement.look(facts([])) }
        await a.agreement.look(facts())
        a.advance(60)
        await a.agreement.look(facts())
        #expect(a.events.map(\.node) == ["b"])
        a.close()
        b.close()
    }

    @Test func forgetsAbsentNodeAndIgnoresInvalidFacts() async throws {
        let server = try RedisServer()
        let (a, b) = (try await Node("a", server), try await Node("b", server))
        await b.agreement.look(facts([]))
        await a.agreement.look(facts())
        a.advance(60)
        await a.agreement.look(facts())
        #expect(a.events.map(\.node) == ["b"])
        server.ask("HSET p:facts b \"1 0 ab\" c junk \"d e\" \"99999999999999 0 ab\"")
        await a.agreement.look(facts())
        #expect(a.events == [FleetAgreement.Event(node: "b", difference: nil)])
        #expect(server.ask("HKEYS p:facts") == "*1\r\n$1\r\na\r\n")
        a.close()
        b.close()
    }
}
