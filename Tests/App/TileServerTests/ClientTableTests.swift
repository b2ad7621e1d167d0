import Runtime
import TestSupport
import Testing

@testable import TileServer

/// The buckets of clients (docs/spec/threats.md 2).
@Suite struct ClientTableTests {
    private static let start = MonotonicTime.zero.adding(seconds: 1_000)

    private func rates(_ rate: Double, _ burst: Double) -> LimitRates {
        var rates = LimitRates()
        for use in LimitedUse.allCases { (rates.rate[use.rawValue], rates.burst[use.rawValue]) = (rate, burst) }
        return rates
    }

    private func client(_ number: Int) -> ClientKey {
        ClientKey(ClientAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
    }

    private func table(_ capacity: Int = 64, parts: Int = 1, memory: Int = .max) -> ClientTable {
        ClientTable(capacity: capacity, parts: parts, budget: MemoryBudget(bytes: memory))
    }

    @Test func letsTheBurstInAndNoMore() {
        let (table, rates) = (table(), rates(2, 5))
        for use in LimitedUse.allCases {
            for _ in 0..<5 { #expect(table.take(1, for: use, of: client(1), rates, at: Self.start) == nil) }
            #expect(table.take(1, for: use, of: client(1), rates, at: Self.start) == 0.5)
        }
        // Another client has a bucket of his own.
        #expect(table.take(5, for: .requests, of: client(2), rates, at: Self.start) == nil)
        // One comes back in half a second, and no sooner.
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.499)) != nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.5)) == nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.5)) == 0.5)
    }

    /// In any span of t seconds a client gets no more than burst + rate · t.
    @Test(arguments: 0..<40) func neverLetsMoreInThanItsRate(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let (rate, burst) = (
            Double.random(in: 0.1...50, using: &random), Double(Int.random(in: 1...200, using: &random))
        )
        let (table, rates) = (table(), rates(rate, burst))
        var now = Self.start
        var admitted: [(time: MonotonicTime, cost: Double)] = []
        var refused = 0
        for _ in 0..<400 {
            now = now.adding(seconds: Double.random(in: 0...(2 * burst / rate / 20), using: &random))
            let cost = Double(Int.random(in: 1...max(Int(burst) / 4, 1), using: &random))
            if let wait = table.take(cost, for: .pixels, of: client(7), rates, at: now) {
                refused += 1
                // What it says is true: then there is enough.
                #expect(wait > 0 && wait <= burst / rate + 1e-6)
            } else {
                admitted.append((now, cost))
            }
        }
        #expect(refused > 0 && !admitted.isEmpty)
        for first in admitted.indices {
            var sum = 0.0
            for last in first..<admitted.count {
                sum += admitted[last].cost
                let most = burst + rate * admitted[last].time.seconds(since: admitted[first].time)
                guard sum > most * 1.001 + 0.001 else { continue }
                Issue.record("\(sum) of at most \(most)")
                return
            }
        }
    }

    @Test func waitsAsLongAsItSays() {
        let (table, rates) = (table(), rates(3, 10))
        #expect(table.take(10, for: .misses, of: client(1), rates, at: Self.start) == nil)
        let wait = table.take(4, for: .misses, of: client(1), rates, at: Self.start)
        #expect(wait.map { abs($0 - 4.0 / 3) < 1e-9 } == true)
        let later = Self.start.adding(seconds: wait ?? 0)
        #expect(table.take(4, for: .misses, of: client(1), rates, at: later) == nil)
    }

    /// A picture of more pixels than a bucket holds is drawn for who has a full one, who then waits for longer.
    @Test func letsWhatIsLargerThanTheBucketInOnce() {
        let (table, rates) = (table(), rates(10, 100))
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 20)) != nil)
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 29.9)) != nil)
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 30)) == nil)
    }

    @Test func otherRatesHoldAtOnce() {
        let table = table()
        for _ in 0..<5 { _ = table.take(1, for: .requests, of: client(1), rates(0.001, 5), at: Self.start) }
        #expect(table.take(1, for: .requests, of: client(1), rates(0.001, 5), at: Self.start) != nil)
        #expect(table.take(1, for: .requests, of: client(1), rates(0.001, 6), at: Self.start) == nil)
        #expect(
            table.take(1, for: .requests, of: client(1), rates(0.001, 4), at: Self.start).map { abs($0 - 3_000) < 1e-6 }
                == true)
    }

    @Test func givesBack() {
        let (table, rates) = (table(), rates(1, 2))
        _ = table.take(2, for: .misses, of: client(1), rates, at: Self.start)
        table.giveBack(1, for: .misses, of: client(1))
        // No more than it holds, and nothing for who is not known.
        table.giveBack(50, for: .requests, of: client(1))
        table.giveBack(1, for: .misses, of: client(2))
        #expect(table.take(1, for: .misses, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .misses, of: client(1), rates, at: Self.start) != nil)
        #expect(table.take(3, for: .requests, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start) != nil)
    }

    // MARK: How many clients

    @Test func knowsAsManyClientsAsItMayAndForgetsTheOldest() {
        let (table, rates) = (table(64), rates(0.001, 1))
        for number in 0..<64 {
            #expect(table.take(1, for: .requests, of: client(number), rates, at: Self.start) == nil)
        }
        #expect(table.count == 64)
        // Seen again, though refused: client 0 is not the oldest any more.
        #expect(table.take(1, for: .requests, of: client(0), rates, at: Self.start) != nil)
        // One more takes over what the oldest, client 1, has left, which is nothing.
        #expect(table.take(1, for: .requests, of: client(99), rates, at: Self.start) != nil)
        #expect(table.count == 64)
        #expect(table.take(1, for: .requests, of: client(0), rates, at: Self.start) != nil)
    }

    /// Who has many addresses gets no more than the table's buckets by going round and round.
    @Test func nobodyResetsHisBucketByBeingForgotten() {
        let (table, rates) = (table(128, parts: 4), rates(0.001, 3))
        var admitted = 0
        for _ in 0..<10 {
            for number in 0..<1_000
            where table.take(1, for: .requests, of: client(number), rates, at: Self.start) == nil { admitted += 1 }
        }
        #expect(admitted <= 128 * 3 && admitted > 3)
    }

    /// Without this the table would grow to its bound by visitors who never come near a limit.
    @Test func takesThePlaceOfAClientWhoMissesNothing() {
        let (table, rates) = (table(), rates(1, 2))
        for number in 0..<1_000 {
            let now = Self.start.adding(seconds: 10 * Double(number))
            #expect(table.take(2, for: .requests, of: client(number), rates, at: now) == nil)
        }
        #expect(table.count == 1)
    }

    @Test func isCountedInTheBudgetAndKeepsWithinIt() {
        let budget = MemoryBudget(bytes: 1 << 20)
        var table: ClientTable? = ClientTable(capacity: 65_536, parts: 1, budget: budget)
        let rates = rates(0.001, 1)
        for number in 0..<10_000 { _ = table?.take(1, for: .requests, of: client(number), rates, at: Self.start) }
        let count = table?.count ?? 0
        // A quarter of the budget is for this use.
        #expect(count > 500 && count * ClientTable.clientBytes <= budget.bytes / 4)
        #expect(budget.used(by: .requests) >= count * ClientTable.clientBytes)
        table = nil
        #expect(budget.used == 0)
    }

    @Test func limitsWithoutAnyMemory() {
        let (table, rates) = (table(memory: 0), rates(1, 1))
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start) != nil)
        #expect(table.take(1, for: .requests, of: client(2), rates, at: Self.start) != nil && table.count == 1)
    }
}
