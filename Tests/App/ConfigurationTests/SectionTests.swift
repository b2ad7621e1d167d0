import Configuration
import Testing

struct SectionTests {
    static let server: [(String, String?)] = [
        ("host: 0.0.0.0", nil), ("host: \"::1\"", nil), ("host: localhost", nil),
        (
            "host: example.org",
            "host: expected an IPv4 address, an IPv6 address or localhost, found the text \"example.org\""
        ),
        ("host: \"[::1]\"", "host: write the IPv6 address without brackets"),
        ("host: 127.1", "host: expected an IPv4 address, an IPv6 address or localhost, found the number 127.1"),
        ("port: 0", nil), ("port: 65535", nil), ("port: 65536", "port: 65536 is above 65535"),
        ("port: -1", "port: -1 is below 0"),
        ("port: 8080.0", "port: expected off or a whole number, found the number 8080.0"),
        ("reactors: 256", nil), ("reactors: 257", "reactors: 257 is above 256"),
        ("accessLog: true", "accessLog: unknown key (write log: { access: all } instead)"),
        ("watch: true", nil), ("watch: 1", "watch: expected true or false, found the number 1"),
        ("drainDelay: 0s", nil), ("drainDelay: 1h", nil), ("drainDelay: 3601s", "drainDelay: 3601s is above 1h"),
        ("drainDelay: -1s", "drainDelay: -1s is below 0s"),
        ("publicURL: ~", nil), ("publicURL: https://a.example:8443/x/", nil), ("publicURL: \"HTTP://[::1]:80\"", nil),
        ("publicURL: https://a/?b", "publicURL: the URL must not have a query"),
        ("publicURL: \"https://a/#b\"", "publicURL: the URL must not have a fragment"),
        ("publicURL: https://u:p@a/", "publicURL: the URL must not have a user"),
        (
            "publicURL: ftp://a",
            "publicURL: expected a URL such as https://tiles.example.org, found the text \"ftp://a\""
        ),
        ("publicURL: /maps", "publicURL: expected a URL such as https://tiles.example.org, found the text \"/maps\""),
        (
            "publicURL: http://",
            "publicURL: expected a URL such as https://tiles.example.org, found the text \"http://\""
        ),
        (
            "publicURL: http://a:0",
            "publicURL: expected a URL such as https://tiles.example.org, found the text \"http://a:0\""
        ),
        (
            "publicURL: http://a b",
            "publicURL: expected a URL such as https://tiles.example.org, found the text \"http://a b\""
        ),
        ("trustedProxies: []", nil), ("trustedProxies: [10.0.0.0/8, \"::1\", \"fd00::/8\", 192.0.2.1]", nil),
        (
            "trustedProxies: [10.0.0.0/33]",
            "trustedProxies[0]: expected an IP address or a block such as 10.0.0.0/8, found the text \"10.0.0.0/33\""
        ),
        (
            "trustedProxies: [\"::1\", 10.0.0.1/8]",
            "trustedProxies[1]: expected an IP address or a block such as 10.0.0.0/8, found the text \"10.0.0.1/8\""
        ),
        ("trustedProxies: 10.0.0.0/8", "trustedProxies: expected a list, found a single value"),
        ("hots: x", "hots: unknown key (did you mean host?)"), ("tls: x", "tls: unknown key"),
    ]

    @Test(arguments: server)
    func judgesEveryServerKey(key: String, complaint: String?) {
        let found = problems("\(anyLayer)server: { \(key) }\n")
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint { #expect(found.first?.hasSuffix(": server.\(complaint)") == true, "\(found)") }
    }

    /// A key with its minimum, a value below the minimum, its maximum and a value above the maximum.
    static let limits: [(key: String, least: String, below: String, most: String, above: String)] = [
        ("requestLine", "256", "255", "64KiB", "65537"), ("headerLine", "256", "255", "65536B", "65KiB"),
        ("head", "1KiB", "1023", "65535", "65536"), ("headerCount", "8", "7", "1000", "1001"),
        ("headTimeout", "1ms", "0s", "1h", "3601s"), ("idleTimeout", "1ms", "0ms", "60m", "61m"),
        ("requestsPerConnection", "1", "0", "1000000000", "1000000001"),
        ("bodyDrain", "0", "-1", "1024KiB", "2MiB"), ("writeStall", "1ms", "0s", "3600s", "3600001ms"),
        ("responseTimeout", "1ms", "0h", "1h", "1d"), ("connections", "1", "0", "1000000", "1000001"),
        ("drain", "0s", "-1ms", "1h", "3601s"),
    ]

    @Test(arguments: limits)
    func judgesEveryLimit(key: String, least: String, below: String, most: String, above: String) {
        for (value, complaint) in [
            (least, ""), (most, ""), (below, "\(below) is below "), (above, "\(above) is above "),
        ] {
            let found = problems("\(anyLayer)server: { limits: { \(key): \(value) } }\n")
            let expected = "t.yaml:3:\(21 + key.utf8.count + 2): server.limits.\(key): \(complaint)"
            #expect(complaint.isEmpty ? found.isEmpty : found.first?.hasPrefix(expected) == true, "\(value): \(found)")
        }
    }

    @Test func bindsEverySection() throws {
        let found = try parsed(
            """
            server:
              host: "::1"
              port: 9
              publicURL: HTTPS://Example.org/maps//
              trustedProxies: [10.0.0.0/8]
              reactors: 3
              watch: true
              drainDelay: 6s
              limits:
                requestLine: 1KiB
                headerLine: 2KiB
                head: 3KiB
                headerCount: 11
                headTimeout: 1s
                idleTimeout: 2s
                requestsPerConnection: 12
                bodyDrain: 13
                writeStall: 3s
                responseTimeout: 4s
                connections: 14
                drain: 5s
            admin: { token: "1234567890123456", hosts: [Tiles.example.org, tile_server, "7."] }
            cache: { memory: 1GiB, directory: /srv/x }
            """ + "\n" + anyLayer)
        var limits = ServerLimits()
        (limits.requestLine, limits.headerLine, limits.head, limits.headerCount) = (1_024, 2_048, 3_072, 11)
        (limits.headTimeout, limits.idleTimeout, limits.requestsPerConnection) = (.seconds(1), .seconds(2), 12)
        (limits.bodyDrain, limits.writeStall, limits.responseTimeout) = (13, .seconds(3), .seconds(4))
        (limits.connections, limits.drain) = (14, .seconds(5))
        var server = ServerSettings()
        (server.host, server.port, server.publicURL) = ("::1", 9, "HTTPS://Example.org/maps")
        server.trustedProxies = [try #require(AddressBlock("10.0.0.0/8"))]
        (server.reactors, server.limits) = (3, limits)
        (server.watch, server.drainDelay) = (true, .seconds(6))
        #expect(found.server == server)
        #expect(found.admin.token == "1234567890123456")
        #expect(found.admin.hosts == ["tiles.example.org", "tile_server", "7"])
        #expect(found.cache.memory == 1 << 30)
        #expect(found.cache.directory == "/srv/x")
    }

    @Test func readsLimitsOfClients() throws {
        let found = try parsed(
            """
            limits:
              requests: { rate: 50, burst: 200 }
              misses: { rate: 0.5 }
              pixels: { rate: 0 }
              exempt: [192.0.2.0/24, "2001:db8::/32"]
            """ + "\n" + anyLayer)
        var limits = ClientLimitSettings()
        limits.requests = ClientRate(rate: 50, burst: 200)
        limits.misses = ClientRate(rate: 0.5, burst: ClientLimitSettings().misses.burst)
        limits.pixels = ClientRate(rate: 0, burst: ClientLimitSettings().pixels.burst)
        limits.exempt = [try #require(AddressBlock("192.0.2.0/24")), try #require(AddressBlock("2001:db8::/32"))]
        #expect(found.limits == limits)
        #expect(try parsed(anyLayer).limits == ClientLimitSettings())
    }

    @Test(arguments: [
        ("requests: { rate: -1 }", "limits.requests.rate: -1 is below 0"),
        ("pixels: { rate: 1000000001 }", "limits.pixels.rate: 1000000001 is above 1000000000"),
        ("misses: { burst: 0 }", "limits.misses.burst: 0 is below 1"),
        ("requests: { burst: 1000000001 }", "limits.requests.burst: 1000000001 is above 1000000000"),
        ("requests: 50", "limits.requests: expected"), ("exempt: [a]", "limits.exempt[0]: expected"),
    ])
    func refusesInvalidClientLimits(text: String, problem: String) {
        let found = problems("limits: { \(text) }\n" + anyLayer)
        #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }

    @Test func readsLogSettings() throws {
        let found = try parsed(
            "log: { format: logfmt, level: warning, access: errors, sample: 0.01 }\n" + anyLayer)
        var log = LogSettings()
        (log.format, log.level, log.access, log.sample) = (.logfmt, .warning, .errors, 0.01)
        #expect(found.log == log)
        #expect(try parsed("log: { format: null, access: null }\n" + anyLayer).log == LogSettings())
    }

    @Test(arguments: [
        ("format: xml", "log.format: expected json, logfmt or text"), ("level: trace", "log.level: expected"),
        ("access: true", "log.access: expected"), ("sample: 1.1", "log.sample: 1.1 is above 1"),
        ("sample: -0.1", "log.sample: -0.1 is below 0"), ("sample: 1%", "log.sample: expected"),
    ])
    func refusesInvalidLogSettings(text: String, problem: String) {
        let found = problems("log: { \(text) }\n" + anyLayer)
        #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }

    static let sizes: [(String, Int?)] = [
        ("0", 0), ("1", 1), ("8KiB", 8_192), ("256MiB", 268_435_456), ("1TiB", 1 << 40), ("1023GiB", 1_023 << 30),
        ("2TiB", nil), ("9223372036854775807TiB", nil), ("99999999999999999999", nil), ("-1", nil), ("1.5GiB", nil),
        ("256MB", nil), ("256 MiB", nil), ("MiB", nil), ("1e6", nil), ("\"1KiB\"", nil),
        ("-9223372036854775808KiB", nil),
    ]

    @Test(arguments: sizes)
    func readsSizes(text: String, bytes: Int?) {
        let found = try? parsed("\(anyLayer)cache: { memory: \(text) }\n").cache.memory
        #expect(found == bytes)
    }

    @Test func refusesATimeThatOverflows() {
        let found = problems("layers: { a: { generator: solid, ttl: 9223372036854775807d } }")
        #expect(found == ["t.yaml:1:39: layers.a.ttl: 9223372036854775807d is above 3650d"])
    }

    @Test func showsNoSecretsInMessages() {
        let found =
            problems("\(anyLayer)admin: { token: 987654 }\n") + problems("\(anyLayer)admin: { token: \"hush hush\" }\n")
        #expect(
            found == [
                "t.yaml:3:17: admin.token: expected a text in quotes, found a number",
                "t.yaml:3:17: admin.token: a token must be visible ASCII without spaces",
            ])
    }

    @Test(arguments: ["x", "0123456789abcde"]) func refusesAShortToken(token: String) {
        let expected = "the token is shorter than 16 characters (openssl rand -hex 16 makes one)"
        #expect(
            problems("\(anyLayer)admin: { token: \"\(token)\" }\n") == ["t.yaml:3:17: admin.token: \(expected)"])
        #expect(
            problems(anyLayer, environment: ["TILESERVER_ADMIN_TOKEN": token])
                == ["environment variable TILESERVER_ADMIN_TOKEN: \(expected)"])
        #expect(problems(anyLayer, environment: ["TILESERVER_ADMIN_TOKEN": "\(token)0123456789abcdef"]).isEmpty)
    }

    @Test(arguments: [
        "", ".", "a..b", "a b", "http://a", "a:8080", "a/b", "*.a", String(repeating: "a", count: 64), "[::1]",
        "münchen",
    ])
    func refusesInvalidHostNames(text: String) {
        let found = problems("\(anyLayer)admin: { hosts: [\"\(text)\"] }\n")
        #expect(found.count == 1 && found[0].contains("admin.hosts[0]: expected a host name"), "\(found)")
    }
}
