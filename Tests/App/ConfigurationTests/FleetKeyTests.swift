import Configuration
import Testing

struct FleetKeyTests {
    private func fleet(_ keys: String, environment: [String: String] = [:]) throws -> FleetSettings {
        let text = "\(anyLayer)fleet: { \(keys) }\n"
        return try #require(try Configuration.parse(text: text, file: "t.yaml", environment: environment).fleet)
    }

    private static let redis = "redis: \"redis://127.0.0.1\""
    private static let secret = "0123456789abcdef"

    @Test func isNilByDefault() throws {
        #expect(try Configuration.parse(text: anyLayer, file: "t.yaml").fleet == nil)
    }

    @Test func hasDefaultsForAllButRedis() throws {
        let fleet = try fleet(Self.redis)
        #expect(fleet == FleetSettings(redis: RedisURL(host: "127.0.0.1")))
        #expect(fleet.redis.port == 6_379 && fleet.prefix == "tileserver" && fleet.node == nil && fleet.peers.isEmpty)
        #expect(fleet.tiles?.minHits == 2 && fleet.lease == .seconds(30) && fleet.timeout == .milliseconds(100))
    }

    @Test func readsEveryKey() throws {
        let fleet = try fleet(
            """
            redis: "redis://tiles:p%40ss@[fd00::1]:7000/3", prefix: maps-2, node: a.example, secret: "\(Self.secret)", \
            peers: ["http://b.example:8080"], tiles: { ttl: 7d, minHits: 1 }, lease: 1m, timeout: 50ms
            """)
        #expect(fleet.redis == RedisURL(host: "fd00::1", port: 7_000, user: "tiles", password: "p@ss", database: 3))
        #expect(fleet.prefix == "maps-2" && fleet.node == "a.example" && fleet.secret == Self.secret)
        #expect(fleet.peers == ["http://b.example:8080"] && fleet.tiles?.minHits == 1)
        #expect(fleet.tiles?.ttl == .seconds(7 * 86_400) && fleet.lease == .seconds(60))
        #expect(fleet.timeout == .milliseconds(50))
    }

    @Test(arguments: ["tiles: off", "tiles: false", "tiles: \"off\""]) func turnsOffTiles(_ tiles: String) throws {
        #expect(try fleet("\(Self.redis), \(tiles)").tiles == nil)
    }

    static let mistakes: [(String, String)] = [
        ("", "fleet: redis is missing; write a URL such as redis://127.0.0.1:6379/0"),
        ("prefix: a", "fleet: redis is missing; write a URL such as redis://127.0.0.1:6379/0"),
        ("redis: 127.0.0.1", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a number"),
        ("redis: localhost", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://a:0\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://a:65536\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://a/x\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://a/10000\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://user@a\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        ("redis: \"redis://:%zz@a\"", "fleet.redis: expected a URL such as redis://127.0.0.1:6379/0, found a text"),
        (
            "redis: \"rediss://a\"",
            "fleet.redis: TLS to Redis is not supported: run stunnel for TLS, and write the redis:// URL of stunnel"
        ),
        (
            "redis: \"redis-sentinel://a,b/mymaster\"",
            "fleet.redis: Sentinel is not supported: run HAProxy to find the master (option redis-check), "
                + "and write the "
                + "redis:// URL of HAProxy"
        ),
        (
            "redis: \"unix:///run/redis.sock\"",
            "fleet.redis: a Unix socket is not supported: write an address such as redis://127.0.0.1:6379"
        ),
        ("\(redis), prefix: a b", "fleet.prefix: expected 1 to 64 letters, digits and ._-, found the text \"a b\""),
        ("\(redis), node: \"\"", "fleet.node: expected 1 to 64 letters, digits and ._-, found the text \"\""),
        (
            "\(redis), secret: \"0123456789abcde\"",
            "fleet.secret: the token is shorter than 16 characters (openssl rand -hex 16 makes one)"
        ),
        (
            "\(redis), peers: [\"http://a\"]",
            "fleet.peers: needs fleet.secret, which signs messages between nodes (openssl rand -hex 16 makes one)"
        ),
        (
            "\(redis), secret: \"\(secret)\", peers: [\"redis://a\"]",
            "fleet.peers[0]: expected a URL such as https://tiles.example.org, found the text \"redis://a\""
        ),
        ("\(redis), tiles: on", "fleet.tiles: expected keys and values, or off, found the text \"on\""),
        ("\(redis), tiles: { minHits: 0 }", "fleet.tiles.minHits: 0 is below 1"),
        ("\(redis), tiles: { minHits: 1001 }", "fleet.tiles.minHits: 1001 is above 1000"),
        ("\(redis), tiles: { ttl: 0s }", "fleet.tiles.ttl: 0s is below 1s"),
        ("\(redis), lease: 500ms", "fleet.lease: 500ms is below 1s"),
        ("\(redis), lease: 25h", "fleet.lease: 25h is above 1d"),
        ("\(redis), timeout: 9ms", "fleet.timeout: 9ms is below 10ms"),
        ("\(redis), timeout: 11s", "fleet.timeout: 11s is above 10s"),
    ]

    @Test(arguments: mistakes) func reportsMistakesWithAdvice(keys: String, complaint: String) {
        let found = problems("\(anyLayer)fleet: { \(keys) }\n")
        #expect(found.count == 1 && found.first?.hasSuffix(": \(complaint)") == true, "\(found)")
    }

    @Test func readsRedisAndSecretFromTheEnvironment() throws {
        let environment = [
            "TILESERVER_FLEET_REDIS": "redis://:x@redis.internal", "TILESERVER_FLEET_SECRET": Self.secret,
        ]
        let alone = try Configuration.parse(text: anyLayer, file: "t.yaml", environment: environment)
        #expect(alone.fleet?.redis.host == "redis.internal" && alone.fleet?.secret == Self.secret)
        let named = try fleet("peers: [\"http://b\"]", environment: environment)
        #expect(named.redis.password == "x" && named.peers == ["http://b"])
        // A secret without a Redis URL does not make a fleet.
        let secret = ["TILESERVER_FLEET_SECRET": Self.secret]
        #expect(try Configuration.parse(text: anyLayer, file: "t.yaml", environment: secret).fleet == nil)
    }

    @Test func hidesThePassword() throws {
        let fleet = try fleet("redis: \"redis://tiles:hidden-word@a:7000/1\"")
        #expect(fleet.redis.description == "redis://***@a:7000/1")
        for shown in ["\(fleet)", "\(fleet.redis)", String(reflecting: fleet)] { #expect(!shown.contains("hidden")) }
        var dumped = ""
        dump(fleet, to: &dumped)
        #expect(!dumped.contains("hidden"))
        #expect(
            problems("\(anyLayer)fleet: { redis: \"redis://u:hidden@a b\" }\n").allSatisfy { !$0.contains("hidden") })
    }

    @Test func listsFleetKeysAsChanged() throws {
        let (old, new) = (try fleet(Self.redis), try fleet("\(Self.redis), tiles: { minHits: 3 }, lease: 1m"))
        let configurations = [old, new].map { fleet in
            var configuration = Configuration()
            configuration.fleet = fleet
            return configuration
        }
        #expect(
            Configuration.changedKeys(configurations[0], configurations[1]) == ["fleet.tiles.minHits", "fleet.lease"])
        #expect(Configuration.changedKeys(Configuration(), configurations[1]) == ["fleet"])
    }
}
