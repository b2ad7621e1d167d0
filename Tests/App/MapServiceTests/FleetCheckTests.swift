import Bytes
import Configuration
import Fleet
import Foundation
import HTTPClient
import Runtime
import TestRedis
import TestUpstream
import Testing

@testable import MapService

/// Tests of the findings of `doctor` about Redis and the other nodes of a fleet.
@Suite(.blocking) struct FleetCheckTests {
    private static let time = 1_800_000_000
    private static let secret = "a-secret-of-a-test-0123"

    private func settings(_ port: UInt16 = 6_379, _ change: (inout FleetSettings) -> Void = { _ in }) -> FleetSettings {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1", port: port))
        settings.timeout = .seconds(10)
        change(&settings)
        return settings
    }

    private func check(_ settings: FleetSettings) async throws -> [Finding] {
        await RedisCheck(settings, reactor: try Reactor(label: "test.doctor")).findings()
    }

    // MARK: Layers

    @Test func warnsOfNodesWithDifferentLayers() {
        #expect(RedisCheck.finding(onLayers: [:]) == nil)
        #expect(RedisCheck.finding(onLayers: ["a": ["x", "y"], "b": ["x", "y"]]) == nil)
        let finding = RedisCheck.finding(onLayers: ["a": ["x", "y"], "b": ["x"], "c": ["y", "z"]])
        #expect(
            finding?.text
                == "nodes serve different layers: a does not serve z; b does not serve y, z; c does not serve x")
    }

    @Test func readsTheLayersOfRunningNodesFromRedis() async throws {
        let server = try RedisServer(["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"])
        let now = Int(Date.now.timeIntervalSince1970) * 1_000
        for (node, seen, layers) in [("a", now, "layer:x -\\nlayer:y -"), ("b", now, "layer:x -"), ("c", 9_000, "")] {
            _ = server.ask("HSET tileserver:facts \(node) \"\(seen) 0 abc\"")
            _ = server.ask("SET tileserver:facts:\(node) \"secret -\\nsettings -\\n\(layers)\"")
        }
        let texts = try await check(settings(server.port)).map(\.text)
        #expect(texts.contains("nodes serve different layers: b does not serve y"), "\(texts)")
    }

    // MARK: Redis

    @Test func findsNoProblemWithAGoodRedis() async throws {
        let server = try RedisServer([
            "--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru", "--requirepass", "pw",
        ])
        let findings = try await check(settings(server.port) { $0.redis.password = "pw" })
        #expect(findings.map(\.level) == [.ok, .ok, .ok], "\(findings)")
        #expect(findings[1].text == "Redis has 64 MiB for tiles, evicted by allkeys-lru")
    }

    @Test func leavesNoKeysInRedis() async throws {
        let server = try RedisServer()
        _ = try await check(settings(server.port))
        #expect(server.ask("DBSIZE") == ":0\r\n")
    }

    @Test(arguments: [nil, "wrong"])
    func reportsAWrongPassword(password: String?) async throws {
        let server = try RedisServer(["--requirepass", "right"])
        let findings = try await check(settings(server.port) { $0.redis.password = password })
        #expect(findings.map(\.level) == [.fault] && findings[0].advice?.contains("password") == true, "\(findings)")
    }

    @Test func reportsAnUnreachableRedis() async throws {
        let findings = try await check(settings(UInt16(refusingPort())))
        #expect(findings.map(\.level) == [.fault] && findings[0].text.contains("refused"), "\(findings)")
    }

    @Test func reportsMissingRedisPermissions() async throws {
        let server = try RedisServer()
        #expect(server.ask("ACL SETUSER fleet on >pw ~other:* +@all") == "+OK\r\n")
        let findings = try await check(settings(server.port) { ($0.redis.user, $0.redis.password) = ("fleet", "pw") })
        #expect(findings.map(\.level) == [.fault] && findings[0].text.contains("refuses"), "\(findings)")
        #expect(findings[0].advice?.contains("~tileserver:*") == true)
    }

    @Test func acceptsTheRedisUserOfTheDocumentation() async throws {
        let server = try RedisServer(["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"])
        #expect(server.ask("ACL SETUSER fleet on >pw ~tileserver:* +@all -@admin -@dangerous +info") == "+OK\r\n")
        let findings = try await check(settings(server.port) { ($0.redis.user, $0.redis.password) = ("fleet", "pw") })
        #expect(findings.allSatisfy { $0.level == .ok }, "\(findings)")
    }

    @Test func warnsIfRedisRefusesINFO() async throws {
        let server = try RedisServer()
        #expect(server.ask("ACL SETUSER fleet on >pw ~tileserver:* +@all -@admin -@dangerous") == "+OK\r\n")
        let findings = try await check(settings(server.port) { ($0.redis.user, $0.redis.password) = ("fleet", "pw") })
        #expect(findings.first?.level == .warning && findings.first?.advice?.contains("+info") == true, "\(findings)")
    }

    @Test(arguments: [
        ("redis_version:6.2.7", Finding.Level.fault), ("redis_version:7.0.15", .ok), ("redis_version:10.1.0", .ok),
        ("redis_version:7.2.4\r\nvalkey_version:8.0.1", .ok), ("redis_version:", .fault), ("", .fault),
        ("redis_version:7.0.15\r\ncluster_enabled:1", .fault), ("redis_version:7.0.15\r\nrole:slave", .fault),
    ])
    func judgesRedisVersionAndRole(info: String, level: Finding.Level) {
        let verdict = RedisVerdict(RedisInfo("# Server\r\n\(info)\r\n"), seconds: 0, settings())
        #expect((verdict.fault?.level ?? .ok) == level)
    }

    @Test(arguments: [
        ("maxmemory:0", Finding.Level.warning), ("maxmemory:1000\nmaxmemory_policy:noeviction", .warning),
        ("maxmemory:1000\nmaxmemory_policy:volatile-lru", .ok), ("maxmemory:99999999999999999999", .warning),
        ("", .warning),
    ])
    func judgesMemoryLimitAndEvictionPolicy(info: String, level: Finding.Level) {
        let info = RedisInfo("redis_version:7.0.15\n\(info)")
        #expect(RedisVerdict(info, seconds: 0, settings()).findings.map(\.level) == [.ok, level])
        // Without tiles in Redis, its memory limit is not checked.
        #expect(RedisVerdict(info, seconds: 0, settings { $0.tiles = nil }).findings.map(\.level) == [.ok])
    }

    @Test(arguments: [(0.049, Finding.Level.ok), (0.051, .warning)])
    func comparesResponseTimeWithTheTimeout(seconds: Double, level: Finding.Level) {
        let settings = settings { ($0.timeout, $0.tiles) = (.milliseconds(100), nil) }
        #expect(
            RedisVerdict(RedisInfo("redis_version:7.0.15"), seconds: seconds, settings).findings.map(\.level) == [level]
        )
    }

    @Test func comparesTheVersionsOfNodes() async throws {
        let server = try RedisServer(["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"])
        let time = try #require(server.ask("TIME")?.split(separator: "\r\n").dropFirst(2).first)
        server.ask(
            "HSET tileserver:nodes a \"\(time)000 0-0 \(MapService.version)\(FleetScript.form)\" gone \"1 0-0 0.0.1\"")
        #expect(try await check(settings(server.port)).last == .ok("fleet", "nodes: a (\(MapService.version))"))
        server.ask("HSET tileserver:nodes b \"\(time)000 0-0 0.0.1\"")
        let finding = try #require(try await check(settings(server.port)).last)
        #expect(finding.level == .warning && finding.text.contains("b (0.0.1)"))
    }

    // MARK: Peers

    private func check(_ peers: [String], secret: String = secret) async throws -> [Finding] {
        let settings = settings { ($0.peers, $0.secret) = (peers, secret) }
        let client = HTTPClient(reactors: [try Reactor(label: "test.doctor")])
        return try await PeerCheck(settings, client: client) { Self.time }.findings()
    }

    private func peer(
        status: Int = 200, body: String = #"{"instance":"1","node":"b"}"#, version: String = MapService.version,
        ahead seconds: Int = 0
    ) -> LyingUpstream {
        let date = "Date: \(HTTPDate.format(Self.time + seconds))"
        return LyingUpstream { exchange in
            let isVersion = exchange.request.path == "/version"
            return exchange.respond(
                isVersion ? 200 : status, headers: [date],
                body: Array((isVersion ? #"{"name":"tileserver","version":"\#(version)"}"# : body).utf8))
        }
    }

    @Test func asksEachPeerWhetherItAcceptsMessages() async throws {
        let (first, second) = (peer(), peer(version: "0.0.1"))
        let findings = try await check([first.url(""), second.url("")])
        #expect(findings.map(\.level) == [.ok, .warning], "\(findings)")
        #expect(findings[0].text.contains("is b, version") && findings[1].text.contains("0.0.1"))
        let message = try #require(first.requests.first { $0.path == "/fleet/messages" })
        #expect(message.line.hasPrefix("POST "))
        #expect(String(decoding: message.content, as: UTF8.self).contains(#""messages":[]"#))
    }

    @Test(arguments: [(403, "fleet.secret"), (404, "no fleet"), (500, "500")])
    func explainsWhyAPeerRefusesMessages(status: Int, words: String) async throws {
        let peer = peer(status: status, body: "{}")
        let findings = try await check([peer.url("")])
        #expect(findings.map(\.level) == [.fault] && findings[0].text.contains(words), "\(findings)")
    }

    /// The clock difference explains why the peer refuses the message, so the finding does not blame the secret.
    @Test(arguments: [(31, "ahead of"), (-31, "behind")])
    func reportsAClockDifference(seconds: Int, side: String) async throws {
        let peer = peer(status: 403, body: "{}", ahead: seconds)
        let findings = try await check([peer.url("")])
        #expect(findings.map(\.level) == [.fault] && findings[0].text.contains("31 s \(side)"), "\(findings)")
    }

    @Test func warnsAboutAnUnreachablePeer() async throws {
        let findings = try await check(["http://127.0.0.1:\(refusingPort())"])
        #expect(findings.map(\.level) == [.warning] && findings[0].text.contains("does not answer"), "\(findings)")
    }

    @Test(arguments: [("", Finding.Level.ok), (secret, .warning)])
    func warnsIfASecretHasNoPeers(secret: String, level: Finding.Level) async throws {
        #expect(try await check([], secret: secret).map(\.level) == [level])
    }
}
