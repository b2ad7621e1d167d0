import Testing

@testable import TileCache

@Suite struct TileTimesTests {
    @Test func countsDurationInItsBucket() {
        for (index, bound) in Durations.bounds.enumerated() {
            var durations = Durations()
            durations.add(bound)
            #expect(durations.counts[index] == 1)
            durations.add(bound.nextUp)
            #expect(durations.counts[index + 1] == 1 && durations.count == 2)
        }
        #expect(Durations.bounds.first == 0.0005 && Durations.bounds.last == 10)
    }

    @Test func separatesStages() {
        let times = TileTimes()
        #expect(times.all.isEmpty)
        times.note(.source, nanoseconds: 3_000_000)
        times.note(.source, nanoseconds: 2_000_000)
        times.note(.total, nanoseconds: -1)
        #expect(times.all[.source]?.count == 2 && times.all[.source]?.sum == 0.005)
        #expect(times.all[.total]?.sum == 0 && times.all[.disk] == nil)
    }
}
