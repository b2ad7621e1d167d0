import Tiles
import Testing

@testable import TileCache

/// What clients may be told of a tile's life: no more than its source says, unless the operator has written it down.
@Suite struct FreshnessClientTests {
    /// A layer's defaults.
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
        /// Seconds that the cache itself uses it for.
        let own: Int
        /// Seconds from its birth that clients are told; nil: no limit of the source's.
        let told: Int?
        var must = false
    }

    static let rows: [Row] = [
        // The default of the least life spares the source; clients get what it said.
        Row(policy: usual, terms: terms(2), own: 300, told: 2),
        Row(policy: usual, terms: terms(2, age: 100), own: 300, told: 2),
        Row(policy: usual, terms: terms(1_000), own: 1_000, told: 1_000),
        Row(policy: usual, terms: terms(0), own: 0, told: 0),
        Row(policy: usual, terms: terms(nil), own: 86_400, told: nil),
        // A source that forbids the use of stale tiles is obeyed here too.
        Row(policy: usual, terms: terms(1, must: true), own: 1, told: 1, must: true),
        Row(policy: usual, terms: terms(60, must: true, age: 59), own: 1, told: 60, must: true),
        Row(policy: usual, terms: terms(0, must: true), own: 0, told: 0, must: true),
        Row(policy: usual, terms: terms(nil, must: true), own: 86_400, told: nil, must: true),
        // A least life that was written down holds for all.
        Row(policy: written, terms: terms(2), own: 300, told: 300),
        Row(policy: written, terms: terms(2, age: 100), own: 300, told: 400),
        Row(policy: written, terms: terms(2, must: true), own: 300, told: 300, must: true),
        Row(policy: written, terms: terms(0), own: 0, told: 0),
        Row(policy: written, terms: terms(1_000), own: 1_000, told: 1_000),
        // `s-maxage` is for this cache, `max-age` for the client's.
        Row(policy: usual, terms: terms(3_600, must: true, clients: 60), own: 3_600, told: 60, must: true),
        Row(policy: usual, terms: terms(60, must: true, clients: 3_600), own: 60, told: 3_600, must: true),
        Row(policy: written, terms: terms(3_600, must: true, clients: 0), own: 3_600, told: 0, must: true),
        // The greatest life that a header can say.
        Row(policy: written, terms: terms(1 << 31, age: .max), own: 300, told: 1 << 31 + 300),
        // The operator's word alone.
        Row(policy: policy { $0.overridesSource = true }, terms: terms(2, must: true), own: 86_400, told: nil),
    ]

    @Test(arguments: rows) func clientsGetNoMoreThanTheSourceSays(row: Row) throws {
        let freshness = try #require(row.policy.freshness(of: row.terms, isTile: true, jitter: 0))
        #expect(freshness.lifetime == row.own)
        #expect(freshness.clients.lifetime.map { Int($0) } == row.told)
        #expect(freshness.clients.rules.contains(.mustRevalidate) == row.must)
    }

    /// "No tile" is kept for its own time, which clients get only where the source does not say less.
    @Test(arguments: [
        (SourceTerms.Lifetime.unsaid, UInt32?.none), (.seconds(10), 10), (.seconds(9_999), 9_999),
    ])
    func noTileIsNoExcuse(said: SourceTerms.Lifetime, told: UInt32?) throws {
        var terms = SourceTerms()
        terms.lifetime = said
        let freshness = try #require(Self.usual.freshness(of: terms, isTile: false, jitter: 0))
        #expect(freshness.lifetime == 3_600 && freshness.clients.lifetime == told)
        let written = try #require(
            Self.policy { $0.imposesNoTile = true }.freshness(of: terms, isTile: false, jitter: 0))
        #expect(written.lifetime == 3_600 && written.clients == ClientTerms())
    }

    /// How long stale tiles are used here where nobody says so is told to no client of a source that says something else.
    @Test func theDefaultsOfStaleTilesAreOurOwnAffair() throws {
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

    /// `source`: what the source says, and nothing where it says nothing.
    @Test func theSourceAloneMayDecideOnStaleTiles() throws {
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

    /// RFC 9111 4.3.4: what the 304 does not mention stays as it was.
    @Test func a304WithoutAWordChangesNothingForClients() async throws {
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
