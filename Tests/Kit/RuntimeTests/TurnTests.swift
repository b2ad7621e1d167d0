import Foundation
import Glibc
import TestSupport
import Testing

@testable import Runtime

/// The order in which a reactor serves handlers that wait for a turn.
@Suite(.blocking) struct TurnTests {
    private final class Worker: ResumableHandler, @unchecked Sendable {
        // Invariant behind @unchecked: used on one reactor's queue only.
        var turns = 0
        var onTurn: () -> Void = {}

        func resume() {
            turns += 1
            onTurn()
        }
    }

    /// Each handler asks for a hundred turns. An event that is already pending comes before the second turn of any
    /// handler.
    @Test func handlersTakeTurnsWithEachOtherAndWithEvents() async throws {
        let reactor = try Reactor(label: "test")
        let (read, write) = try makePipe()
        let handler = Confined(Handler())
        let log = Confined<[Int]>([])
        let workers = (0..<3).map { _ in Worker() }
        await withCheckedContinuation { continuation in
            reactor.post {
                handler.value.onReady = { _ in log.value.append(-1) }
                _ = try? reactor.register(read, for: .readable, trigger: .edge, handler: handler.value)
                for (index, worker) in workers.enumerated() {
                    worker.onTurn = {
                        log.value.append(index)
                        if worker.turns < 100 { return reactor.postpone(worker) }
                        if workers.allSatisfy({ $0.turns == 100 }) { continuation.resume() }
                    }
                    reactor.postpone(worker)
                }
                _ = Glibc.write(write, "x", 1)
            }
        }
        let order = await on(reactor) { log.value }
        #expect(order.count == 301)
        #expect(order.prefix(4).contains(-1))
        #expect(order.filter { $0 >= 0 } == (0..<300).map { $0 % 3 })
        // No handler waits for a turn now, so the reactor is idle.
        usleep(20_000)
        #expect(await on(reactor) { log.value.count } == 301)
        await on(reactor) { for worker in workers { worker.onTurn = {} } }
        for descriptor in [read, write] { close(descriptor) }
    }

    /// Events that came in time are served first, even if the reactor was blocked beyond the deadline.
    @Test func servesPendingEventsBeforeADeadline() async throws {
        final class Late: DeadlineHandler, @unchecked Sendable {
            // Invariant behind @unchecked: used on one reactor's queue only.
            var deadline = MonotonicTime.now().adding(seconds: 0.3)
            var watchedTick = DeadlineWheel.notWatched
            func setWatchedTick(_ tick: Int) { watchedTick = tick }
            var onPassed: @Sendable () -> Void = {}
            func deadlinePassed() { onPassed() }
        }
        let reactor = try Reactor(label: "test")
        // 100 events are more than one batch.
        let pipes = try (0..<100).map { _ in try makePipe() }
        let handlers = Confined(pipes.map { _ in Handler() })
        let served = Confined(0)
        let late = Late()
        let before = await withCheckedContinuation { continuation in
            reactor.post {
                late.onPassed = { continuation.resume(returning: served.value) }
                reactor.deadlines.watch(late)
                for (pipe, handler) in zip(pipes, handlers.value) {
                    handler.onReady = { _ in served.value += 1 }
                    _ = try? reactor.register(pipe.read, for: .readable, trigger: .edge, handler: handler)
                    _ = Glibc.write(pipe.write, "x", 1)
                }
                usleep(700_000)
            }
        }
        #expect(before == 100)
        for pipe in pipes {
            close(pipe.read)
            close(pipe.write)
        }
    }
}
