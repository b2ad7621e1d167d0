import Testing

@testable import MapService

@Suite struct ConcurrencyLimitTests {
    @Test func whoLeavesGivesUpItsPlaceInTheQueue() async {
        let limit = ConcurrencyLimit(width: 1, depth: 1)
        #expect(await limit.enter(maxWait: 600))
        for _ in 0..<3 {
            let waiting = Task { await limit.enter(maxWait: 600) }
            waiting.cancel()
            #expect(await !waiting.value)
        }
        // The queue has its place again.
        async let next = limit.enter(maxWait: 600)
        limit.leave()
        #expect(await next)
        limit.leave()
        #expect(await limit.enter(maxWait: 600))
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let limit = ConcurrencyLimit(width: 1, depth: 5)
        #expect(await limit.enter(maxWait: 600))
        let waiting = Task {
            while !Task.isCancelled { await Task.yield() }
            return await limit.enter(maxWait: 600)
        }
        waiting.cancel()
        #expect(await !waiting.value)
    }
}
