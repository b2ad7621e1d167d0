import Runtime
import Synchronization
import TestSupport
import Testing

@testable import MapService

@Suite struct ConcurrencyLimitTests {
    private func place(_ entry: ConcurrencyLimit.Entry) throws -> ConcurrencyLimit.Place {
        try #require(entry.place)
    }

    @Test func freesTheQueueSlotOfACancelledTask() async throws {
        let limit = ConcurrencyLimit(width: 1, depth: 1)
        let first = try place(await limit.enter(maxWait: 600))
        for _ in 0..<3 {
            let waiting = Task { await limit.enter(maxWait: 600) }
            waiting.cancel()
            #expect(await waiting.value.place == nil)
        }
        // The queue has a free slot again.
        async let next = limit.enter(maxWait: 600)
        limit.leave(first)
        limit.leave(try place(await next))
        #expect(await limit.enter(maxWait: 600).place != nil)
    }

    @Test func refusesACancelledTask() async {
        let limit = ConcurrencyLimit(width: 1, depth: 5)
        #expect(await limit.enter(maxWait: 600).place != nil)
        let waiting = Task {
            while !Task.isCancelled { await Task.yield() }
            return await limit.enter(maxWait: 600)
        }
        waiting.cancel()
        #expect(await waiting.value.place == nil)
    }

    /// A clock that a test sets. It is a class because the limit and the test share it.
    private final class Clock: Sendable {
        let time = Mutex(MonotonicTime(nanoseconds: 1_000_000_000_000))

        func pass(_ seconds: Double) { time.withLock { $0 = $0.adding(seconds: seconds) } }
    }

    @Test func refusesAtOnceIfTheWaitIsTooLong() async throws {
        let clock = Clock()
        let limit = ConcurrencyLimit(width: 1, depth: 32) { clock.time.withLock { $0 } }
        let first = try place(await limit.enter(maxWait: 5))
        clock.pass(3)
        limit.leave(first)
        let second = try place(await limit.enter(maxWait: 5))
        #expect(limit.refusal(maxWait: 5) == nil)
        let waiting = Task { await limit.enter(maxWait: 600) }
        await expectEventually { limit.refusal(maxWait: 5) != nil }
        // The new task would wait for two others, of three seconds each.
        guard case .refused(let seconds) = await limit.enter(maxWait: 5) else { throw Failure() }
        #expect(seconds == 6)
        limit.leave(second)
        limit.leave(try place(await waiting.value))
        #expect(limit.refusal(maxWait: 5) == nil)
    }

    /// A long task occupies a place. Its duration does not count in the estimated wait of other tasks.
    @Test func ignoresLongTasksInTheWaitEstimate() async throws {
        let clock = Clock()
        let limit = ConcurrencyLimit(width: 2, depth: 32) { clock.time.withLock { $0 } }
        let long = try place(await limit.enter(maxWait: 5, isLong: true))
        clock.pass(100)
        limit.leave(long)
        for _ in 0..<2 { _ = try place(await limit.enter(maxWait: 5)) }
        #expect(limit.refusal(maxWait: 5) == nil)
    }

    @Test func refusesTasksBeyondItsDepth() async throws {
        let limit = ConcurrencyLimit(width: 1, depth: 0)
        _ = try place(await limit.enter(maxWait: 600))
        guard case .refused(1) = await limit.enter(maxWait: 600) else { throw Failure() }
    }

    /// Starts a task in which `client` waits in the queue of `limit`. The task appends the name of `client` to `order`
    /// when `limit` admits it, and then leaves. A refused task appends "-".
    private func wait(_ client: String, in limit: ConcurrencyLimit, _ order: Order) -> Task<Void, Never> {
        WorkClient.$current.withValue(Array(client.utf8)) {
            Task {
                guard let place = await limit.enter(maxWait: 600).place else {
                    return order.names.withLock { $0.append("-") }
                }
                order.names.withLock { $0.append(client) }
                limit.leave(place)
            }
        }
    }

    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test func admitsClientsInTurn() async throws {
        let limit = ConcurrencyLimit(width: 1, depth: 32)
        let first = try place(await limit.enter(maxWait: 600))
        let order = Order()
        var waiting: [Task<Void, Never>] = []
        for client in ["crowd", "crowd", "crowd", "other", "other"] {
            waiting.append(wait(client, in: limit, order))
            await expectEventually { limit.waitingCount >= waiting.count }
        }
        limit.leave(first)
        for task in waiting { await task.value }
        #expect(order.names.withLock { $0 } == ["crowd", "other", "crowd", "other", "crowd"])
    }

    @Test func reservesQueueSlotsForOtherClients() async throws {
        let limit = ConcurrencyLimit(width: 1, depth: 8)
        let first = try place(await limit.enter(maxWait: 600))
        let order = Order()
        // A task is refused if more tasks of its client wait than queue slots are free. With 5 waiting tasks, 3 of the
        // 8 slots are free.
        var waiting = (0..<5).map { _ in wait("crowd", in: limit, order) }
        await expectEventually { limit.waitingCount >= 5 }
        #expect(WorkClient.$current.withValue(Array("crowd".utf8)) { limit.refusal(maxWait: 600) } != nil)
        #expect(WorkClient.$current.withValue(Array("other".utf8)) { limit.refusal(maxWait: 600) } == nil)
        for count in 6...7 {
            waiting.append(wait("other", in: limit, order))
            await expectEventually { limit.waitingCount >= count }
        }
        limit.leave(first)
        for task in waiting { await task.value }
        #expect(order.names.withLock { $0.count { $0 == "other" } } == 2)
    }

    @Test func estimatesTheWaitOfEachClientSeparately() async throws {
        let clock = Clock()
        let limit = ConcurrencyLimit(width: 1, depth: 32) { clock.time.withLock { $0 } }
        let first = try place(await limit.enter(maxWait: 600))
        clock.pass(1)
        limit.leave(first)
        let second = try place(await limit.enter(maxWait: 600))
        let order = Order()
        let crowd = (0..<10).map { _ in wait("crowd", in: limit, order) }
        await expectEventually { limit.waitingCount >= 10 }
        // A further task of `crowd` would wait eleven seconds, and a task of `other` two seconds.
        #expect(WorkClient.$current.withValue(Array("crowd".utf8)) { limit.refusal(maxWait: 5) } == 11)
        #expect(WorkClient.$current.withValue(Array("other".utf8)) { limit.refusal(maxWait: 5) } == nil)
        limit.leave(second)
        for task in crowd { await task.value }
    }

    private struct Failure: Error {}
}

extension ConcurrencyLimit.Entry {
    fileprivate var place: ConcurrencyLimit.Place? { if case .inside(let place) = self { place } else { nil } }
}
