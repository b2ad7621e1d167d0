import Configuration
import Testing

/// Tests of the keys that set how long tiles are fresh (`ttl`, its bounds) and how long stale tiles are served.
struct FreshnessKeyTests {
    /// Keys with the expected complaint, or nil if the keys are valid.
    static let keys: [(String, String?)] = [
        ("minTTL: 0s", nil), ("minTTL: 30d", nil), ("minTTL: -1s", "minTTL: -1s is below 0s"),
        ("maxTTL: 3650d", nil), ("maxTTL: 3651d", "maxTTL: 3651d is above 3650d"),
        ("maxTTL: 60", "maxTTL: expected a time such as 60s, 5m, 24h or 30d, found the number 60"),
        ("overrideTTL: true", nil),
        ("overrideTTL: 1h", "overrideTTL: expected true or false, found the text \"1h\""),
        ("staleWhileRevalidate: 0s", nil), ("staleWhileRevalidate: ~", nil),
        ("staleWhileRevalidate: 3651d", "staleWhileRevalidate: 3651d is above 3650d"),
        ("staleWhileRevalidate: source", nil), ("staleIfError: source", nil),
        (
            "staleIfError: sources",
            "staleIfError: expected source or a time such as 60s, 5m, 24h or 30d, found the text \"sources\""
        ),
        ("staleIfError: 7d", nil), ("staleIfError: -1d", "staleIfError: -1d is below 0s"),
        ("bulk: allow", nil), ("bulk: refuse", nil),
        ("bulk: no", "bulk: expected allow or refuse, found the text \"no\""),
        ("offline: true", nil), ("offline: \"true\"", "offline: expected true or false, found the text \"true\""),
        // The bound that is not written has its default, so the complaint names the written bound.
        ("minTTL: 31d", "minTTL: minTTL 31d is above maxTTL 30d"),
        ("maxTTL: 60s", "maxTTL: minTTL 5m is above maxTTL 1m"),
        ("minTTL: 2h, maxTTL: 1h", "minTTL: minTTL 2h is above maxTTL 1h"), ("minTTL: 1h, maxTTL: 1h", nil),
        // A written `ttl` lowers or raises a bound that has its default. The `ttl` is refused only if a written bound
        // excludes it.
        ("ttl: 0s", nil), ("ttl: 3650d", nil), ("ttl: 60s, maxTTL: 60s", nil),
        ("ttl: 60s, minTTL: 61s", "ttl: ttl 1m is below minTTL 61s"),
        ("ttl: 61m, maxTTL: 1h", "ttl: ttl 61m is above maxTTL 1h"),
        ("ttl: 250ms, minTTL: 250ms, maxTTL: 250ms", nil),
        // A `ttl` that is not a time is not compared with the bounds.
        ("ttl: x, minTTL: 2h, maxTTL: 1h", "ttl: expected a time such as 60s, 5m, 24h or 30d, found the text \"x\""),
    ]

    @Test(arguments: keys)
    func judgesEveryKey(key: String, complaint: String?) {
        let found = problems("layers: { a: { url: u, \(key) } }")
        #expect(found.count == (complaint == nil ? 0 : 1), "\(found)")
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    @Test func complainsAtTheWrittenKey() {
        let text = "layers:\n  a:\n    url: u\n    ttl: 2h\n    maxTTL: 1h\n  b:\n    url: u\n    maxTTL: 1m\n"
        #expect(
            problems(text) == [
                "t.yaml:4:10: layers.a.ttl: ttl 2h is above maxTTL 1h",
                "t.yaml:8:13: layers.b.maxTTL: minTTL 5m is above maxTTL 1m",
            ])
    }

    @Test func bindsEveryKey() throws {
        let found = try #require(
            try layer(
                """
                url: u, ttl: 2m, minTTL: 1m, maxTTL: 3m, overrideTTL: true, staleWhileRevalidate: 4m, staleIfError: 5m,
                offline: true
                """))
        var expected = LayerSettings(id: "a", source: .url(URLSource(template: "u")))
        (expected.ttl, expected.minTTL, expected.maxTTL) = (.seconds(120), .seconds(60), .seconds(180))
        (expected.staleWhileRevalidate, expected.staleIfError) = (.seconds(240), .seconds(300))
        (expected.overrideTTL, expected.offline) = (true, true)
        #expect(found == expected)
    }

    @Test func letsTheSourceDecideOnStaleTiles() throws {
        let found = try #require(try layer("url: u, staleWhileRevalidate: source, staleIfError: source"))
        #expect((found.staleWhileRevalidate, found.staleIfError) == (.source, .source))
        #expect(try layer("url: u")?.staleIfError == nil)
    }

    /// Keys with the resulting `ttl`, `minTTL` and `maxTTL` in seconds.
    static let lives: [(String, Int, Int, Int)] = [
        ("", 86_400, 300, 2_592_000),
        ("ttl: 60s", 60, 60, 2_592_000), ("ttl: 0s", 0, 0, 2_592_000), ("ttl: 300s", 300, 300, 2_592_000),
        ("ttl: 60d", 5_184_000, 300, 5_184_000),
        ("ttl: 60s, maxTTL: 120s", 60, 60, 120), ("ttl: 60d, minTTL: 45d", 5_184_000, 3_888_000, 5_184_000),
        ("maxTTL: 1h", 3_600, 300, 3_600), ("minTTL: 2d", 172_800, 172_800, 2_592_000),
        ("minTTL: 0s", 86_400, 0, 2_592_000),
    ]

    @Test(arguments: lives)
    func letsWrittenTimesMoveDefaultBounds(keys: String, ttl: Int, least: Int, most: Int) throws {
        let found = try #require(try layer("url: u, \(keys)"))
        #expect(found.ttl == .seconds(ttl))
        #expect(found.minTTL == .seconds(least))
        #expect(found.maxTTL == .seconds(most))
    }

    @Test func countsPropertiesSetInCodeAsWritten() {
        var settings = LayerSettings(id: "a", source: .embedded)
        settings.ttl = .seconds(1)
        #expect(settings.minTTL == .seconds(1))
        settings.minTTL = .seconds(0)
        #expect(settings.minTTL == .zero && settings.explicit.minTTL == .zero && settings.explicit.maxTTL == nil)
    }
}
