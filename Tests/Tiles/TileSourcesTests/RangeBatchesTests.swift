import HTTPClient
import Testing

@testable import TileSources

@Suite struct RangeBatchesTests {
    private func range(_ first: Int, _ count: Int) throws -> ByteRange {
        try #require(ByteRange(first: first, count: count))
    }

    private func taken(_ ranges: [(Int, Int)]) throws -> [ByteRange] {
        var batches = RangeBatches<Int>()
        for (id, range) in ranges.enumerated() { _ = batches.add(try self.range(range.0, range.1), for: id) }
        return batches.take().map(\.range)
    }

    @Test func joinsNeighbours() throws {
        #expect(try taken([(100, 50), (0, 100), (150, 10)]) == [range(0, 160)])
    }

    @Test func joinsAcrossASmallGap() throws {
        let gap = RangeBatches<Int>.widestGap
        #expect(try taken([(0, 10), (10 + gap, 10)]) == [range(0, 20 + gap)])
        #expect(try taken([(0, 10), (11 + gap, 10)]) == [range(0, 10), range(11 + gap, 10)])
    }

    @Test func limitsTheLengthOfAJoinedRange() throws {
        let longest = RangeBatches<Int>.longest
        #expect(try taken([(0, 10), (10, longest - 10)]) == [range(0, longest)])
        #expect(try taken([(0, 10), (10, longest - 9)]) == [range(0, 10), range(10, longest - 9)])
        // A single tile may be longer.
        #expect(try taken([(0, 2 * longest), (5, 10)]) == [range(0, 2 * longest)])
    }

    @Test func schedulesOnceForAllWaitingRanges() throws {
        var batches = RangeBatches<Int>()
        #expect(batches.add(try range(0, 10), for: 1))
        #expect(!batches.add(try range(10, 10), for: 2))
        #expect(batches.take().count == 1)
        #expect(batches.add(try range(900_000, 10), for: 3))
    }

    @Test func fetchesARangeInFlightOnce() throws {
        var batches = RangeBatches<Int>()
        _ = batches.add(try range(0, 100), for: 1)
        let number = try #require(batches.take().first?.number)
        #expect(!batches.add(try range(10, 20), for: 2))
        #expect(batches.take().isEmpty)
        #expect(batches.end(number).map(\.id) == [1, 2])
        #expect(batches.end(number).isEmpty)
        #expect(batches.add(try range(10, 20), for: 4))
    }
}
