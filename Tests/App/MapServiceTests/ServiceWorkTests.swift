import Dispatch
import EventLog
import Logging
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import MapService

@Suite struct ServiceWorkTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        var log: EventLog {
            EventLog(
                logger: Logger(label: "test") { _ in LineLogHandler { line in self.lines.withLock { $0.append(line) } }
                })
        }
    }

    // docs/spec/threats.md T57
    @Test func logsShedWork() async throws {
        let lines = Lines()
        let work = ServiceWork(cores: 1, log: lines.log)
        let gate = DispatchSemaphore(value: 0)
        let queues = [("tiles", work.tiles), ("images", work.images), ("cameras", work.cameras)]
        for (name, queue) in queues {
            var count = 0
            while queue.submit({ gate.wait() }) { count += 1 }
            await #expect(throws: WorkQueue.NotDoneError.full) { try await queue.run(for: "sea") {} }
            for _ in 0..<count { gate.signal() }
            let line = try #require(lines.all.first { $0.contains("\"what\":\"\(name)\"") })
            #expect(line.contains("\"ev\":\"shed\"") && line.contains("\"why\":\"full\""))
            // Work on camera requests is not counted by layer.
            #expect(line.contains("\"layer\":\"sea\"") == (name != "cameras"))
        }
    }

    /// Slow tiles leave a thread for fast tiles, even on one core.
    @Test(arguments: [1, 2, 64]) func reservesThreadsForEachKindOfWork(cores: Int) async throws {
        let work = ServiceWork(cores: cores, log: Lines().log)
        let gate = DispatchSemaphore(value: 0)
        defer { for _ in 0..<200 { gate.signal() } }
        let begun = Mutex(0)
        for queue in [work.tiles, work.images, work.cameras] {
            for _ in 0..<70 {
                _ = queue.submit {
                    begun.withLock { $0 += 1 }
                    gate.wait()
                }
            }
        }
        let expected = max(cores, 2) + max(cores - 1, 1) + 2
        await expectEventually { begun.withLock({ $0 }) >= expected }
        #expect(begun.withLock { $0 } == expected)
    }
}
