import Dispatch
import Foundation
import Glibc
import TestSupport
import Synchronization
import Testing

@testable import Runtime

@Suite(.blocking) struct ReactorTests {
    @Test func runsWorkOfEachThreadInOrder() async throws {
        let reactor = try Reactor(label: "test")
        let seen = Confined<[Int: [Int]]>([:])
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<2_000 { reactor.post { seen.value[thread, default: []].append(number) } }
                }
            }
        }
        let result = await on(reactor) { seen.value }
        #expect(result.count == 8)
        #expect(result.values.allSatisfy { $0 == Array(0..<2_000) })
    }

    @Test func runsWorkThatIsPostedOnItsQueue() async throws {
        let reactor = try Reactor(label: "test")
        let isCurrent = await withCheckedContinuation { continuation in
            reactor.post { reactor.post { reactor.post { continuation.resume(returning: reactor.isCurrent) } } }
        }
        #expect(isCurrent)
        #expect(!reactor.isCurrent)
    }

    @Test func keepsATaskOnItsQueue() async throws {
        let reactor = try Reactor(label: "test")
        let task = Task(executorPreference: reactor) {
            var places = [reactor.isCurrent]
            for _ in 0..<50 {
                await Task.yield()
                places.append(reactor.isCurrent)
            }
            try await Task.sleep(for: .milliseconds(5))
            return places + [reactor.isCurrent]
        }
        #expect(try await task.value == Array(repeating: true, count: 52))
    }

    @Test func callsTheHandlerWhenADescriptorIsReady() async throws {
        let reactor = try Reactor(label: "test")
        let (read, write) = try makePipe()
        defer { close(write) }
        let handler = Confined(Handler())
        let registration = try await on(reactor) {
            Result { try reactor.register(read, for: .readable, trigger: .edge, handler: handler.value) }
        }
        .get()
        usleep(20_000)
        #expect(await on(reactor) { handler.value.calls.count } == 0)
        for expected in 1...3 {
            #expect(Glibc.write(write, "x", 1) == 1)
            #expect(await eventually { await on(reactor) { handler.value.calls.count } == expected })
        }
        usleep(20_000)
        #expect(await on(reactor) { handler.value.calls.count } == 3)
        await on(reactor) {
            reactor.unregister(registration)
            close(read)
        }
    }

    @Test func doesNotCallAnUnregisteredHandler() async throws {
        let reactor = try Reactor(label: "test")
        let (read, write) = try makePipe()
        let handler = Confined(Handler())
        await on(reactor) {
            guard
                let registration = try? reactor.register(read, for: .readable, trigger: .level, handler: handler.value)
            else { return }
            reactor.unregister(registration)
            // A second call does no harm, even if another handler has the slot by then.
            reactor.unregister(registration)
        }
        #expect(Glibc.write(write, "x", 1) == 1)
        usleep(20_000)
        #expect(await on(reactor) { handler.value.calls.isEmpty })
        close(read)
        close(write)
    }

    /// The first two pipes are ready in the same batch of events. The handler that runs first unregisters both and
    /// registers the third pipe, which takes a freed slot. The third handler must not get the stale event of that slot.
    @Test func dropsStaleEventsOfABatch() async throws {
        let reactor = try Reactor(label: "test")
        let (first, second, third) = (try makePipe(), try makePipe(), try makePipe())
        let handlers = Confined((0..<3).map { _ in Handler() })
        await on(reactor) {
            // Everything happens within one turn of the queue, so both events are pending when epoll is asked.
            guard
                let one = try? reactor.register(
                    first.read, for: .readable, trigger: .level, handler: handlers.value[0]),
                let two = try? reactor.register(
                    second.read, for: .readable, trigger: .level, handler: handlers.value[1])
            else { return }
            let places = [one, two]
            // A handler that captures `handlers` would be a reference cycle.
            let last = handlers.value[2]
            for index in 0..<2 {
                handlers.value[index].onReady = { _ in
                    for place in places { reactor.unregister(place) }
                    // The test registers the read end: the write end of an idle pipe would be ready at once.
                    _ = try? reactor.register(third.read, for: .readable, trigger: .level, handler: last)
                }
            }
            _ = Glibc.write(first.write, "x", 1)
            _ = Glibc.write(second.write, "x", 1)
        }
        #expect(await eventually { await on(reactor) { handlers.value.contains { !$0.calls.isEmpty } } })
        // Leaves time for calls that must not come.
        usleep(50_000)
        let calls = await on(reactor) { handlers.value.map(\.calls.count) }
        #expect(calls[0] + calls[1] == 1)
        #expect(calls[2] == 0)
        for descriptor in [first.read, first.write, second.read, second.write, third.read, third.write] {
            close(descriptor)
        }
    }

    @Test func expiresDeadlinesWithoutOtherEvents() async throws {
        final class Late: DeadlineHandler, @unchecked Sendable {
            // Invariant behind @unchecked: used on one reactor's queue only.
            var deadline = MonotonicTime.now().adding(seconds: 0.4)
            var watchedTick = DeadlineWheel.notWatched
            func setWatchedTick(_ tick: Int) { watchedTick = tick }
            var onPassed: @Sendable () -> Void = {}
            func deadlinePassed() { onPassed() }
        }
        let reactor = try Reactor(label: "test")
        let late = Late()
        let start = MonotonicTime.now()
        await withCheckedContinuation { continuation in
            reactor.post {
                late.onPassed = { continuation.resume() }
                reactor.deadlines.watch(late)
            }
        }
        let seconds = MonotonicTime.now().seconds(since: start)
        #expect(seconds >= 0.39)
    }

    @Test func refusesAnInvalidDescriptor() async throws {
        let reactor = try Reactor(label: "test")
        let handler = Confined(Handler())
        let result = await on(reactor) {
            Result { try reactor.register(-1, for: .readable, trigger: .level, handler: handler.value) }
        }
        #expect(throws: ReactorError.self) { try result.get() }
    }

    @Test func timeSaturates() {
        #expect(MonotonicTime.zero.adding(seconds: 1e300) == .distantFuture)
        #expect(MonotonicTime.distantFuture.adding(seconds: 1) == .distantFuture)
        #expect(MonotonicTime.zero.adding(seconds: -5) == .zero)
        #expect(MonotonicTime(nanoseconds: 5).seconds(since: MonotonicTime(nanoseconds: 1_000_000_005)) == -1)
    }
}
