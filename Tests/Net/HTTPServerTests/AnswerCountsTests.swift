import Testing

@testable import HTTPServer

@Suite struct AnswerCountsTests {
    private func totals(_ counts: AnswerCounts...) -> AnswerTotals { AnswerTotals(workers: counts) }

    @Test func sumsAnswersOfAllWorkers() {
        let (first, second) = (AnswerCounts(), AnswerCounts())
        let tag = ResponseTag(route: 3, result: 2, slot: 70)
        for _ in 0..<5 { first.add(tag, .ok) }
        second.add(tag, .ok)
        second.add(tag, .notFound)
        let all = totals(first, second)
        #expect(all.answers(route: 3, .ok) == 6 && all.answers(route: 3, .notFound) == 1)
        #expect(all.results(2, slot: 70) == 7)
        #expect(all.answers(route: 0, .ok) == 0 && all.answers(route: 4, .ok) == 0)
        #expect(all.results(2, slot: 71) == 0 && all.results(1, slot: 70) == 0 && all.results(3, slot: 70) == 0)
    }

    @Test func countsEachSlotAndStatusSeparately() {
        let counts = AnswerCounts()
        let slots: [UInt16] = [0, 1, 63, 64, 65, 16_000, .max - 1, .max]
        for (index, slot) in slots.enumerated() {
            for result in 1..<UInt8(ResponseTag.results) {
                for _ in 0...index { counts.add(ResponseTag(route: 15, result: result, slot: slot), .ok) }
            }
        }
        for (index, slot) in slots.enumerated() {
            for result in 1..<UInt8(ResponseTag.results) {
                #expect(totals(counts).results(result, slot: slot) == index + 1)
            }
        }
        let status = AnswerCounts()
        for code in Status.allCases { status.add(ResponseTag(route: 15), code) }
        for code in Status.allCases { #expect(totals(status).answers(route: 15, code) == 1) }
    }

    @Test func doesNotCountInvalidTagsInOtherSlots() {
        let counts = AnswerCounts()
        counts.add(ResponseTag(route: 16, result: 16, slot: 5), .ok)
        counts.add(ResponseTag(route: .max, result: .max, slot: 5), .ok)
        #expect(totals(counts).answers(route: 0, .ok) == 2)
        for result in 1..<UInt8(ResponseTag.results) {
            #expect(totals(counts).results(result, slot: 5) == 0 && totals(counts).results(result, slot: 6) == 0)
        }
    }

    @Test func countsAnswersWithoutAResultInNoSlot() {
        let counts = AnswerCounts()
        counts.add(ResponseTag(route: 1), .ok)
        #expect(totals(counts).results(0, slot: ResponseTag.noSlot) == 0)
        #expect(totals(counts).answers(route: 1, .ok) == 1)
    }
}
