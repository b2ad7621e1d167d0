import Testing

@testable import TileCache

@Suite struct SpreadTests {
    @Test func spreadsEvenlyFromAnyStart() {
        for _ in 0..<100 {
            let spread = Spread()
            var tenths = [Int](repeating: 0, count: 10)
            for _ in 0..<1_000 { tenths[Int(spread.next() * 10)] += 1 }
            #expect(tenths.allSatisfy { (90...110).contains($0) }, "\(tenths)")
        }
    }
}
