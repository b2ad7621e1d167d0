import Testing

@testable import TileArchives

@Suite struct ExportPaceTests {
    @Test func saysCountsRateAndTime() {
        var pace = ExportPace(total: 1_048_576, start: 100)
        pace.record(done: 7_725, failed: 3, at: 103)
        pace.record(done: 12_345, failed: 3, at: 105)
        // 12,345 tiles in 5 s are 2,469 per second, and 1,036,231 tiles are left.
        #expect(
            pace.sentence == "12,345 of 1,048,576 tiles (1%), 2,469 tiles/s, 7 min 0 s left, 3 failed")
    }

    @Test func usesTheLastHalfMinute() {
        var pace = ExportPace(total: 100_000, start: 0)
        for second in 1...100 { pace.record(done: second * 100, failed: 0, at: Double(second)) }
        #expect(pace.rate == 100)
        for second in 1...60 { pace.record(done: 10_000 + second, failed: 0, at: 100 + Double(second)) }
        #expect(pace.rate == 1)
        #expect(pace.secondsLeft == 89_940)
        #expect(pace.sentence == "10,060 of 100,000 tiles (10%), 1.0 tiles/s, 1 d 0 h left")
    }

    @Test func seesAStandstill() {
        var pace = ExportPace(total: 100, start: 0)
        pace.record(done: 50, failed: 0, at: 1)
        for second in 2...60 { pace.record(done: 50, failed: 0, at: Double(second)) }
        #expect(pace.rate == 0)
        #expect(pace.secondsLeft == nil)
        #expect(pace.sentence == "50 of 100 tiles (50%), 0.0 tiles/s")
    }

    @Test func leavesOutUnknownParts() {
        var pace = ExportPace(total: 10, start: 5)
        #expect(pace.sentence == "0 of 10 tiles (0%)")
        // A clock that goes back, and counts that go back.
        pace.record(done: 3, failed: 0, at: 1)
        pace.record(done: 2, failed: 0, at: 5)
        #expect(pace.done == 3)
        #expect(pace.rate == nil)
        #expect(ExportPace(total: 0, start: 0).sentence == "0 of 0 tiles (100%)")
        #expect(ExportPace(total: -5, start: 0).sentence == "0 of 0 tiles (100%)")
    }

    @Test func saysHundredPercentOnlyAtTheEnd() {
        var pace = ExportPace(total: 1_000_000, start: 0)
        pace.record(done: 999_999, failed: 0, at: 10)
        #expect(pace.sentence == "999,999 of 1,000,000 tiles (99%), 100,000 tiles/s, 1 s left")
        pace.record(done: 1_000_000, failed: 12_000, at: 10)
        #expect(pace.sentence == "1,000,000 of 1,000,000 tiles (100%), 100,000 tiles/s, 12,000 failed")
    }

    @Test func keepsFewSamplesOfManyReports() {
        var pace = ExportPace(total: 1_000_000, start: 0)
        for report in 1...100_000 { pace.record(done: report, failed: 0, at: Double(report) / 100) }
        #expect(pace.rate.map { abs($0 - 100) < 1 } == true)
        let mirror = Mirror(reflecting: pace).children.first { $0.label == "samples" }
        #expect(mirror.map { Mirror(reflecting: $0.value).children.count <= 34 } == true)
    }

    @Test(
        arguments: [
            (0.0, "0 s"), (0.2, "1 s"), (59.0, "59 s"), (59.5, "1 min 0 s"), (448, "7 min 28 s"), (3_600, "1 h 0 min"),
            (86_399, "23 h 59 min"), (90_000, "1 d 1 h"), (1e300, "11,574,074 d 1 h"), (-3, "0 s"),
        ] as [(Double, String)])
    func writesTwoUnitsOfADuration(_ seconds: Double, _ text: String) {
        #expect(ExportPace.duration(seconds) == text)
    }

    @Test func groupsDigits() {
        #expect([0, 999, 1_000, -1_234_567].map(ExportPace.grouped) == ["0", "999", "1,000", "-1,234,567"])
        #expect(ExportPace.grouped(.min) == "-9,223,372,036,854,775,808")
    }
}
