import Tiles
import Testing

@testable import TileCache

/// Tests for the lifetimes that result from an upstream's terms (RFC 9111 4.2, RFC 5861,
/// docs/reference/configuration.md, docs/spec/threats.md T35).
@Suite struct FreshnessPolicyTests {
    private static func policy(
        _ timeToLive: Int = 1_000, shortest: Int = 300, longest: Int = 10_000
    ) -> FreshnessPolicy {
        FreshnessPolicy(timeToLive: timeToLive, shortest: shortest, longest: longest, noTileTimeToLive: 77)
            .withStaleDefaults
    }

    struct Life: Sendable, CustomTestStringConvertible {
        let said: Int?
        var age = 0
        /// Remaining seconds of freshness.
        let left: Int
        var testDescription: String { "\(said.map(String.init) ?? "unsaid"), \(age) old" }
    }

    @Test(arguments: [
        Life(said: nil, left: 1_000),
        Life(said: 500, left: 500), Life(said: 300, left: 300), Life(said: 10_000, left: 10_000),
        // Lifetimes outside the bounds are clamped.
        Life(said: 299, left: 300), Life(said: 1, left: 300), Life(said: 10_001, left: 10_000),
        Life(said: 1 << 31, left: 10_000),
        // A lifetime of 0 means that the cache must revalidate before each use. The minimum does not apply.
        Life(said: 0, left: 0), Life(said: 0, age: 100, left: 0),
        // Time that the tile has spent in other caches is subtracted.
        Life(said: 1_000, age: 100, left: 900), Life(said: 1_000, age: 650, left: 350),
        // The operator's minimum applies to the remaining lifetime.
        Life(said: 1_000, age: 701, left: 300), Life(said: 1_000, age: 1_000, left: 300),
        Life(said: 1_000, age: 1 << 31, left: 300), Life(said: 1 << 31, age: 1 << 31, left: 300),
    ])
    func limitsLifetimeToBounds(life: Life) throws {
        let freshness = try #require(
            Self.policy().freshness(of: .lasting(life.said, age: life.age), isTile: true, jitter: 0))
        #expect(freshness.lifetime == life.left)
        if life.said != nil { #expect(freshness.age == life.age) }
    }

    /// A layer of foreign code may return any numbers. The policy saturates and does not trap.
    @Test(arguments: [Int.max, 1 << 31, 1, 0, -1, Int.min], [Int.max, 1 << 31, 1, 0, -1, Int.min])
    func saturatesExtremeValues(said: Int, age: Int) throws {
        for policy in [Self.policy(), Self.policy(shortest: 0, longest: .max)] {
            let terms = SourceTerms.lasting(said, age: age, whileRevalidating: said, ifError: said)
            let freshness = try #require(policy.freshness(of: terms, isTile: true, jitter: 0.999))
            #expect(freshness.lifetime >= 0 && freshness.lifetime <= policy.longest)
            #expect(freshness.age >= 0)
            if said <= 0 { #expect(freshness.lifetime == 0 && freshness.stale.ifError == 0) }
        }
    }

    @Test func overridingPolicyIgnoresTermsOfSource() throws {
        var policy = Self.policy()
        policy.overridesSource = true
        for terms in [
            .lasting(5), .lasting(0), .lasting(1 << 31, age: 5), .notStored, .lasting(nil),
            .lasting(60, whileRevalidating: 1, ifError: 2, mustRevalidate: true),
        ] as [SourceTerms] {
            let freshness = try #require(policy.freshness(of: terms, isTile: true, jitter: 0), "\(terms)")
            #expect(freshness.lifetime == 1_000)
            #expect(freshness.stale == StaleTimes(whileRevalidating: 60, ifError: 7 * 86_400))
        }
    }

    @Test func storesNoTileThatMustNotBeStored() {
        #expect(Self.policy().freshness(of: .notStored, isTile: true, jitter: 0) == nil)
    }

    /// Otherwise every request for a missing tile would go to the upstream (docs/spec/threats.md T33).
    @Test func ignoresTermsOfSourceForNoTile() {
        for terms in [SourceTerms.lasting(0), .lasting(9_999)] {
            #expect(Self.policy().freshness(of: terms, isTile: false, jitter: 0)?.lifetime == 77)
        }
    }

    /// "No tile" that must not be stored is not stored, unless the operator has set a lifetime for it.
    @Test func storesNoAbsenceThatMustNotBeStored() {
        var policy = Self.policy()
        #expect(policy.freshness(of: .notStored, isTile: false, jitter: 0) == nil)
        policy.imposesNoTile = true
        #expect(policy.freshness(of: .notStored, isTile: false, jitter: 0)?.lifetime == 77)
        (policy.imposesNoTile, policy.overridesSource) = (false, true)
        #expect(policy.freshness(of: .notStored, isTile: false, jitter: 0)?.lifetime == 77)
    }

    /// "No tile" has the operator's lifetime for missing tiles, whatever lifetime the upstream gives.
    @Test(arguments: [nil, 0, 5, 500, 1 << 31]) func noTileHasItsOwnLifetime(said: Int?) throws {
        let freshness = try #require(Self.policy().freshness(of: .lasting(said), isTile: false, jitter: 0))
        #expect(freshness.lifetime == 77)
    }

    struct Uses: Sendable {
        var operatorSays: (Int?, Int?) = (nil, nil)
        var sourceSays: (Int?, Int?) = (nil, nil)
        var forbids = false
        let expected: StaleTimes
    }

    /// The operator's setting comes first, then the upstream's terms, then the default. An upstream that forbids
    /// stale tiles is obeyed unless the operator has set a time.
    @Test(arguments: [
        Uses(expected: StaleTimes(whileRevalidating: 60, ifError: 604_800)),
        Uses(sourceSays: (5, 6), expected: StaleTimes(whileRevalidating: 5, ifError: 6)),
        Uses(sourceSays: (0, 0), expected: .none),
        Uses(sourceSays: (5, nil), expected: StaleTimes(whileRevalidating: 5, ifError: 604_800)),
        Uses(sourceSays: (nil, 6), expected: StaleTimes(whileRevalidating: 60, ifError: 6)),
        Uses(operatorSays: (7, 8), expected: StaleTimes(whileRevalidating: 7, ifError: 8)),
        Uses(operatorSays: (7, 8), sourceSays: (5, 6), expected: StaleTimes(whileRevalidating: 7, ifError: 8)),
        Uses(operatorSays: (0, 0), sourceSays: (5, 6), expected: .none),
        Uses(operatorSays: (nil, 8), sourceSays: (5, 6), expected: StaleTimes(whileRevalidating: 5, ifError: 8)),
        Uses(operatorSays: (7, nil), sourceSays: (5, 6), expected: StaleTimes(whileRevalidating: 7, ifError: 6)),
        Uses(forbids: true, expected: .none),
        Uses(sourceSays: (5, 6), forbids: true, expected: .none),
        Uses(operatorSays: (7, 8), forbids: true, expected: StaleTimes(whileRevalidating: 7, ifError: 8)),
        Uses(
            operatorSays: (7, nil), sourceSays: (5, 6), forbids: true,
            expected: StaleTimes(whileRevalidating: 7, ifError: 0)
        ),
        Uses(operatorSays: (nil, 8), forbids: true, expected: StaleTimes(whileRevalidating: 0, ifError: 8)),
    ])
    func choosesTimesForStaleTiles(uses: Uses) throws {
        var policy = Self.policy()
        (policy.staleWhileRevalidate, policy.staleIfError) = uses.operatorSays
        for said in [nil, 500] {
            let terms = SourceTerms.lasting(
                said, whileRevalidating: uses.sourceSays.0, ifError: uses.sourceSays.1, mustRevalidate: uses.forbids)
            let freshness = try #require(policy.freshness(of: terms, isTile: true, jitter: 0))
            #expect(freshness.stale == uses.expected, "\(uses), life \(said ?? -1)")
        }
    }

    /// A tile that needs revalidation before each use is not served during the revalidation, unless the operator or
    /// the upstream allows that.
    @Test func defaultRevalidationTimeNeedsLifetime() throws {
        func stale(_ policy: FreshnessPolicy, _ terms: SourceTerms) throws -> UInt32 {
            try #require(policy.freshness(of: terms, isTile: true, jitter: 0)).stale.whileRevalidating
        }
        #expect(try stale(Self.policy(), .lasting(0)) == 0)
        #expect(try stale(Self.policy(), .lasting(0, whileRevalidating: 9)) == 9)
        var spoken = Self.policy()
        spoken.staleWhileRevalidate = 4
        #expect(try stale(spoken, .lasting(0)) == 4)
    }

    /// Jitter never makes a lifetime longer. It shortens a lifetime by at most a tenth and at most an hour.
    @Test(arguments: [0, 1, 9, 10, 11, 100, 3_600, 36_000, 36_001, 86_400, 30 * 86_400, 1 << 31])
    func limitsJitter(life: Int) throws {
        for policy in [
            Self.policy(life, shortest: 0, longest: .max), Self.policy(5, shortest: 0, longest: .max),
        ] {
            for terms in [SourceTerms.lasting(life), .lasting(nil)] {
                let whole = try #require(policy.freshness(of: terms, isTile: true, jitter: 0)).lifetime
                var shortest = whole
                for jitter in [0.0, 0.25, 0.5, 0.75, 0.999_999] {
                    let left = try #require(policy.freshness(of: terms, isTile: true, jitter: jitter)).lifetime
                    #expect(left <= whole && left >= whole - min(whole / 10, 3_600))
                    #expect(left <= shortest, "more jitter takes more")
                    shortest = left
                }
                if whole >= 100 { #expect(shortest < whole, "jitter spreads") }
            }
        }
    }
}
