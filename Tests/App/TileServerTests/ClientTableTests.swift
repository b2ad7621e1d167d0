import Runtime
import TestSupport
import Testing

@testable import TileServer

/// Tests of the token buckets of clients (docs/spec/threats.md 2).
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

    @Test func admitsTheBurstOnly() {
        let (table, rates) = (table(), rates(2, 5))
        for use in LimitedUse.allCases {
            for _ in 0..<5 { #expect(table.take(1, for: use, of: client(1), rates, at: Self.start) == nil) }
            #expect(table.take(1, for: use, of: client(1), rates, at: Self.start) == 0.5)
        }
        // Another client has its own bucket.
        #expect(table.take(5, for: .requests, of: client(2), rates, at: Self.start) == nil)
        // One token is refilled in half a second.
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.499)) != nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.5)) == nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start.adding(seconds: 0.5)) == 0.5)
    }

    /// In any span of t seconds, a client gets at most burst + rate · t.
    @Test(arguments: 0..<40) func neverExceedsTheRate(seed: Int) {
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
                // The wait is at most the time that fills an empty bucket.
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

    @Test func admitsAfterTheReportedWait() {
        let (table, rates) = (table(), rates(3, 10))
        #expect(table.take(10, for: .misses, of: client(1), rates, at: Self.start) == nil)
        let wait = table.take(4, for: .misses, of: client(1), rates, at: Self.start)
        #expect(wait.map { abs($0 - 4.0 / 3) < 1e-9 } == true)
        let later = Self.start.adding(seconds: wait ?? 0)
        #expect(table.take(4, for: .misses, of: client(1), rates, at: later) == nil)
    }

    /// A picture may have more pixels than a bucket holds. It is drawn if the bucket is full, and the client then
    /// waits longer.
    @Test func admitsAnOversizedCostFromAFullBucket() {
        let (table, rates) = (table(), rates(10, 100))
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 20)) != nil)
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 29.9)) != nil)
        #expect(table.take(300, for: .pixels, of: client(1), rates, at: Self.start.adding(seconds: 30)) == nil)
    }

    @Test func appliesNewRatesAtOnce() {
        let table = table()
        for _ in 0..<5 { _ = table.take(1, for: .requests, of: client(1), rates(0.001, 5), at: Self.start) }
        #expect(table.take(1, for: .requests, of: client(1), rates(0.001, 5), at: Self.start) != nil)
        #expect(table.take(1, for: .requests, of: client(1), rates(0.001, 6), at: Self.start) == nil)
        #expect(
            table.take(1, for: .requests, of: client(1), rates(0.001, 4), at: Self.start).map { abs($0 - 3_000) < 1e-6 }
                == true)
    }

    @Test func returnsTokens() {
        let (table, rates) = (table(), rates(1, 2))
        _ = table.take(2, for: .misses, of: client(1), rates, at: Self.start)
        table.giveBack(1, for: .misses, of: client(1))
        // A bucket never holds more than its burst. Tokens of an unknown client are ignored.
        table.giveBack(50, for: .requests, of: client(1))
        table.giveBack(1, for: .misses, of: client(2))
        #expect(table.take(1, for: .misses, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .misses, of: client(1), rates, at: Self.start) != nil)
        #expect(table.take(3, for: .requests, of: client(1), rates, at: Self.start) == nil)
        #expect(table.take(1, for: .requests, of: client(1), rates, at: Self.start) != nil)
    }

    // MARK: How many clients

    @Test func evictsTheOldestClientBeyondItsCapacity() {
        let (table, rates) = (table(64), rates(0.001, 1))
        for number in 0..<64 {
            #expect(table.take(1, for: .requests, of: client(number), rates, at: Self.start) == nil)
        }
        #expect(table.count == 64)
        // A refused request counts as use, so client 0 is not the oldest any more.
        #expect(table.take(1, for: .requests, of: client(0), rates, at: Self.start) != nil)
        // The new client takes over the bucket of client 1, the oldest, which is empty.
        #expect(table.take(1, for: .requests, of: client(99), rates, at: Self.start) != nil)
        #expect(table.count == 64)
        #expect(table.take(1, for: .requests, of: client(0), rates, at: Self.start) != nil)
    }

    /// A client with many addresses that it uses in turn gets no more than all buckets of the table.
    @Test func neverRefillsABucketByEviction() {
        let (table, rates) = (table(128, parts: 4), rates(0.001, 3))
        var admitted = 0
        for _ in 0..<10 {
            for number in 0..<1_000
            where table.take(1, for: .requests, of: client(number), rates, at: Self.start) == nil { admitted += 1 }
        }
        #expect(admitted <= 128 * 3 && admitted > 3)
    }

    /// A client with a full bucket can be replaced. Otherwise the table would grow to its capacity by clients that
    /// never come near a limit.
    @Test func replacesAClientWithAFullBucket() {
        let (table, rates) = (table(), rates(1, 2))
        for number in 0..<1_000 {
            let now = Self.start.adding(seconds: 10 * Double(number))
            #expect(table.take(2, for: .requests, of: client(number), rates, at: now) == nil)
        }
        #expect(table.count == 1)
    }

    @Test func staysWithinTheMemoryBudget() {
        let budget = MemoryBudget(bytes: 1 << 20)
        var table: ClientTable? = ClientTable(capacity: 65_536, parts: 1, budget: budget)
        let rates = rates(0.001, 1)
        for number in 0..<10_000 { _ = table?.take(1, for: .requests, of: client(number), rates, at: Self.start) }
        let count = table?.count ?? 0
        // A quarter of the budget is reserved for this use.
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
