import Testing

@testable import Runtime

@Suite struct WorkCostTests {
    private func cost(_ pieces: [Double]) -> WorkCost {
        var cost = WorkCost(pieces[0])
        for seconds in pieces.dropFirst() { cost.note(seconds) }
        return cost
    }

    @Test func estimatesEqualPiecesExactly() {
        let cost = cost([Double](repeating: 0.003, count: 100))
        #expect(abs(cost.found - 0.003) < 1e-9 && abs(cost.seconds - 0.003) < 1e-9)
    }

    /// A few long pieces cause nearly all of the wait, even if the average piece is short.
    @Test func detectsOneLongPieceInFifty() {
        let cost = cost((0..<500).map { $0 % 50 == 0 ? 0.3 : 0.002 })
        #expect(cost.seconds < 0.02 && cost.found > 0.05)
    }

    @Test func learnsSeveralLongPiecesQuickly() {
        let short = [Double](repeating: 0.002, count: 100)
        #expect(cost(short + [0.3]).found < 0.005)
        #expect(cost(short + [0.3, 0.3, 0.3]).found > 0.02)
        #expect(cost(short + [0.3, 0.3, 0.3] + short + short).found < 0.005)
    }

    /// The first piece may include one-time setup costs.
    @Test func forgetsTheFirstPieceQuickly() {
        #expect(cost([0.1] + [Double](repeating: 0.001, count: 20)).found < 0.02)
    }

    /// An estimate of zero, from pieces too short for the clock, grows when pieces take longer.
    @Test func learnsAfterPiecesOfZeroDuration() {
        #expect(cost([Double](repeating: 0, count: 10) + [Double](repeating: 0.05, count: 30)).found > 0.02)
    }
}
