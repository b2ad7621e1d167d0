import Tiles
import Testing

@testable import TileCache

/// Tests for the lifetimes that clients are told. A lifetime for clients is not longer than the upstream's lifetime,
/// unless the operator has configured a longer one.
@Suite struct FreshnessClientTests {
    /// The default policy of a layer.
    private static let usual = FreshnessPolicy(
        timeToLive: 86_400, shortest: 300, longest: 30 * 86_400, noTileTimeToLive: 3_600
    ).withStaleDefaults

    private static func policy(_ change: (inout FreshnessPolicy) -> Void) -> FreshnessPolicy {
        var policy = usual
        change(&policy)
        return policy
    }

    private static let written = policy { $0.imposesShortest = true }

    private static func terms(_ life: Int?, must: Bool = false, clients: Int? = nil, age: Int = 0) -> SourceTerms {
        var terms = SourceTerms.lasting(life, age: age, mustRevalidate: must)
        terms.clientLifetime = clients
        return terms
    }

    struct Row: Sendable {
        let policy: FreshnessPolicy
        let terms: SourceTerms
        /// Seconds for which the cache itself uses the tile.
        let own: Int
        /// Seconds since the tile's creation that clients are told. Nil if the upstream sets no limit.
        let told: Int?
        var must = false
    }

    static let rows: [Row] = [
        // The default minimum lifetime protects the upstream. Clients get the lifetime that the upstream gave.
        Row(policy: usual, terms: terms(2), own: 300, told: 2),
        Row(policy: usual, terms: terms(2, age: 100), own: 300, told: 2),
        Row(policy: usual, terms: terms(1_000), own: 1_000, told: 1_000),
        Row(policy: usual, terms: terms(0), own: 0, told: 0),
        Row(policy: usual, terms: terms(nil), own: 86_400, told: nil),
        // If the upstream forbids stale tiles, the default minimum does not apply.
        Row(policy: usual, terms: terms(1, must: true), own: 1, told: 1, must: true),
        Row(policy: usual, terms: terms(60, must: true, age: 59), own: 1, told: 60, must: true),
        Row(policy: usual, terms: terms(0, must: true), own: 0, told: 0, must: true),
        Row(policy: usual, terms: terms(nil, must: true), own: 86_400, told: nil, must: true),
        // A minimum lifetime that the operator has configured applies to clients too.
        Row(policy: written, terms: terms(2), own: 300, told: 300),
        Row(policy: written, terms: terms(2, age: 100), own: 300, told: 400),
        Row(policy: written, terms: terms(2, must: true), own: 300, told: 300, must: true),
        Row(policy: written, terms: terms(0), own: 0, told: 0),
        Row(policy: written, terms: terms(1_000), own: 1_000, told: 1_000),
        // The upstream's `s-maxage` is meant for this cache, and its `max-age` for clients.
        Row(policy: usual, terms: terms(3_600, must: true, clients: 60), own: 3_600, told: 60, must: true),
        Row(policy: usual, terms: terms(60, must: true, clients: 3_600), own: 60, told: 3_600, must: true),
        Row(policy: written, terms: terms(3_600, must: true, clients: 0), own: 3_600, told: 0, must: true),
        // The longest lifetime that a header can express.
        Row(policy: written, terms: terms(1 << 31, age: .max), own: 300, told: 1 << 31 + 300),
        // Only the operator's settings count.
        Row(policy: policy { $0.overridesSource = true }, terms: terms(2, must: true), own: 86_400, told: nil),
    ]

    @Test(arguments: rows) func clientsGetAtMostLifetimeOfSource(row: Row) throws {
        let freshness = try #require(row.policy.freshness(of: row.terms, isTile: true, jitter: 0))
        #expect(freshness.lifetime == row.own)
        #expect(freshness.clients.lifetime.map { Int($0) } == row.told)
        #expect(freshness.clients.rules.contains(.mustRevalidate) == row.must)
    }

    /// The cache keeps "no tile" for the time that the operator sets for it. Clients get at most the lifetime that
    /// the upstream gave.
    @Test(arguments: [
        (SourceTerms.Lifetime.unsaid, UInt32?.none), (.seconds(10), 10), (.seconds(9_999), 9_999),
    ])
    func clientsGetAtMostLifetimeOfSourceForNoTile(said: SourceTerms.Lifetime, told: UInt32?) throws {
        var terms = SourceTerms()
        terms.lifetime = said
        let freshness = try #require(Self.usual.freshness(of: terms, isTile: false, jitter: 0))
        #expect(freshness.lifetime == 3_600 && freshness.clients.lifetime == told)
        let written = try #require(
            Self.policy { $0.imposesNoTile = true }.freshness(of: terms, isTile: false, jitter: 0))
        #expect(written.lifetime == 3_600 && written.clients == ClientTerms())
    }

    /// The default times for stale tiles apply to this cache only. If the upstream gives a lifetime, clients are not
    /// told the default times.
    @Test func hidesDefaultStaleTimesFromClients() throws {
        func rules(_ terms: SourceTerms, _ policy: FreshnessPolicy = Self.usual) throws -> ClientTerms.Rules {
            try #require(policy.freshness(of: terms, isTile: true, jitter: 0)).clients.rules
        }
        #expect(try rules(.lasting(nil)) == [])
        #expect(try rules(.lasting(60)) == [.withoutStaleWhileRevalidate, .withoutStaleIfError])
        #expect(try rules(.lasting(60, whileRevalidating: 5)) == [.withoutStaleIfError])
        #expect(try rules(.lasting(60, ifError: 5)) == [.withoutStaleWhileRevalidate])
        let spoken = Self.policy { ($0.staleWhileRevalidate, $0.staleIfError) = (7, 8) }
        #expect(try rules(.lasting(60), spoken) == [])
    }

    /// The setting `source`: stale tiles are served for the times that the upstream gives, and not at all if the
    /// upstream gives none.
    @Test func servesStaleTilesOnlyAsSourceAllows() throws {
        let policy = Self.policy { ($0.defaultStaleWhileRevalidate, $0.defaultStaleIfError) = (0, 0) }
        func stale(_ terms: SourceTerms) throws -> StaleTimes {
            try #require(policy.freshness(of: terms, isTile: true, jitter: 0)).stale
        }
        #expect(try stale(.lasting(60)) == .none)
        #expect(try stale(.lasting(nil)) == .none)
        #expect(
            try stale(.lasting(60, whileRevalidating: 5, ifError: 6)) == StaleTimes(whileRevalidating: 5, ifError: 6))
        #expect(try stale(.lasting(60, whileRevalidating: 5, ifError: 6, mustRevalidate: true)) == .none)
    }

    /// RFC 9111 4.3.4: fields that the 304 does not contain keep their values.
    @Test func bare304KeepsTermsOfClients() async throws {
        let layer = RevalidatingLayer { question, _ in
            guard question.validators == nil else { return .notModified(.lasting(nil, etag: "\"a\"")) }
            var terms = SourceTerms.lasting(60, etag: "\"a\"", mustRevalidate: true)
            terms.clientLifetime = 20
            return .tile("t", terms)
        }
        let bench = FreshnessBench(layer, freshness: Self.usual)
        for count in 1...3 {
            _ = await bench.load()
            #expect(
                bench.held?.life.clients
                    == ClientTerms(
                        lifetime: 20, rules: [.mustRevalidate, .withoutStaleWhileRevalidate, .withoutStaleIfError]))
            #expect(layer.callCount == count && bench.held?.isServableOnError(bench.clock.now) == true)
            bench.clock.advance(60)
            #expect(bench.held?.isServableOnError(bench.clock.now) == false)
        }
    }
}
