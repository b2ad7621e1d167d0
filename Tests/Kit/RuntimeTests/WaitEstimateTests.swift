import Testing

@testable import Runtime

/// Tests which requests are refused at once. The estimate uses the time that earlier requests took.
@Suite struct WaitEstimateTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func estimate(_ stays: [Double]) -> WaitEstimate {
        var estimate = WaitEstimate()
        for stay in stays { estimate.ended(after: stay, start) }
        return estimate
    }

    @Test func admitsRequestsWithoutHistory() {
        #expect(WaitEstimate().refusal(behind: 1_000_000, width: 1, within: 0, start) == nil)
    }

    /// 16 slots, each held for one second, free a slot every sixteenth of a second.
    @Test(arguments: [(0, nil as Int?), (63, nil), (64, 5), (159, 10), (100_000, 30)])
    func refusesRequestsThatWouldWaitTooLong(ahead: Int, seconds: Int?) {
        #expect(estimate([1]).refusal(behind: ahead, width: 16, within: 5, start) == seconds)
    }

    @Test func suggestsARetryAfterAtLeastASecond() {
        #expect(estimate([0.1]).refusal(behind: 3, width: 1, within: 0.4, start) == 1)
    }

    @Test func followsChangedDurations() {
        var estimate = estimate(Array(repeating: 0.1, count: 100))
        #expect(estimate.refusal(behind: 9, width: 1, within: 5, start) == nil)
        for _ in 0..<32 { estimate.ended(after: 2, start) }
        #expect(estimate.wait(behind: 0, width: 1, start) > 1.7)
        #expect(estimate.refusal(behind: 9, width: 1, within: 5, start) != nil)
        for _ in 0..<64 { estimate.ended(after: 0.1, start) }
        #expect(estimate.wait(behind: 0, width: 1, start) < 0.2)
    }

    /// No request has ended yet, but each request in a slot has held the slot since `start`.
    @Test func countsTheTimeSinceTheLastProgress() {
        var estimate = WaitEstimate()
        estimate.began(start)
        #expect(estimate.refusal(behind: 15, width: 16, within: 5, start.adding(seconds: 4)) == nil)
        #expect(estimate.refusal(behind: 15, width: 16, within: 5, start.adding(seconds: 4.1)) == 5)
        // A time before the start counts as no wait.
        #expect(estimate.wait(behind: 0, width: 1, .zero) == 0)
    }
}
