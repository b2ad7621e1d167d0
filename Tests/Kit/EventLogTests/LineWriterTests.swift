import Dispatch
import Foundation
import TestSupport
import Testing

@testable import EventLog

/// Tests that a writer never blocks its callers when nothing reads its descriptor.
@Suite struct LineWriterTests {
    /// A pipe with a buffer of one page. A class, so that `deinit` closes both ends.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            // The constant is F_SETPIPE_SZ. The Glibc module does not have it.
            try #require(fcntl(writing, 1031, 4_096) == 4_096)
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// Reads lines up to and including the first one for which `isLast` returns true.
        func lines(until isLast: (String) -> Bool) -> [String] {
            var text: [UInt8] = []
            while let more = bytes(of: reading), !more.isEmpty {
                text += more
                let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
                if text.last == 10, let last = lines.last, isLast(last) { return lines }
            }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test func writesLinesInTheirOrder() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.writing)
        for number in 0..<10_000 { writer.write("line \(number)\n") }
        #expect(pipe.lines { $0 == "line 9999" } == (0..<10_000).map { "line \($0)" })
        #expect(writer.droppedCount == 0)
    }

    @Test func dropsLinesWhenFullAndWritesANotice() throws {
        let pipe = try Pipe()
        // Fills the pipe, so that the writer's thread cannot write a line before the last line is queued.
        let filling = String(repeating: "f", count: 4_095)
        try #require(write(pipe.writing, filling + "\n", 4_096) == 4_096)
        let writer = LineWriter(descriptor: pipe.writing, capacity: 65_536) { "missing \($0)\n" }
        // The pipe has no reader yet, but every call returns.
        for number in 0..<10_000 { writer.write("line \(number) \(String(repeating: "x", count: 40))\n") }
        let dropped = writer.droppedCount
        #expect(dropped > 8_000 && dropped < 9_500)
        func missing(_ lines: [String]) -> Int {
            lines.reduce(0) { $0 + ($1.hasPrefix("missing ") ? Int($1.dropFirst(8)) ?? 0 : 0) }
        }
        var lines: [String] = []
        while missing(lines) < dropped {
            let more = pipe.lines { $0.hasPrefix("missing") }
            try #require(!more.isEmpty)
            lines += more
        }
        // The kept lines are whole and in order. The dropped lines are the last ones. Two notices are written if the
        // writer's thread empties the queue while lines are still being dropped.
        let kept = lines.dropFirst().prefix { !$0.hasPrefix("missing") }
        #expect(lines.first == filling)
        #expect(kept.enumerated().allSatisfy { $1.hasPrefix("line \($0) x") && $1.hasSuffix("x") })
        #expect(kept.count + dropped == 10_000 && missing(lines) == dropped)
        #expect(lines.dropFirst(1 + kept.count).allSatisfy { $0.hasPrefix("missing") })
        writer.write("again\n")
        #expect(pipe.lines { _ in true } == ["again"])
        #expect(writer.droppedCount == dropped)
    }

    @Test func keepsLinesOfManyThreadsWhole() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.writing)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<100 { writer.write(String(repeating: "\(thread)", count: 1_000) + "\n") }
        }
        writer.write("end\n")
        let lines = pipe.lines { $0 == "end" }.dropLast()
        #expect(lines.count == 800)
        #expect(lines.allSatisfy { $0.utf8.count == 1_000 && Set($0.utf8).count == 1 })
    }

    @Test func flushReturnsAtItsDeadline() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.writing)
        for _ in 0..<100 { writer.write(String(repeating: "x", count: 1_000) + "\n") }
        // The flush ends at its deadline because nothing reads the pipe. The test checks only that the call returns.
        writer.flush(until: .now() + .milliseconds(50))
        #expect(pipe.lines { _ in true }.allSatisfy { $0.utf8.count == 1_000 })
        let rest = DispatchQueue(label: "reader")
        rest.async { _ = pipe.lines { $0 == "end" } }
        writer.write("end\n")
        writer.flush(until: .distantFuture)
        rest.sync {}
    }

    /// The line is longer than every buffer. The writer writes its first bytes and must keep the rest.
    @Test func writesALineThatIsLongerThanTheQueue() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.writing, capacity: 1_000)
        let long = String(repeating: "x", count: 100_000)
        writer.write(long + "\n")
        #expect(pipe.lines { $0 == long } == [long])
    }

    @Test func writesToANonBlockingDescriptor() throws {
        let pipe = try Pipe()
        _ = fcntl(pipe.writing, F_SETFL, fcntl(pipe.writing, F_GETFL) | O_NONBLOCK)
        let writer = LineWriter(descriptor: pipe.writing)
        for number in 0..<5_000 { writer.write("line \(number)\n") }
        #expect(pipe.lines { $0 == "line 4999" }.count == 5_000)
        #expect(fcntl(pipe.writing, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func survivesAClosedDescriptorAndReportsDroppedLines() throws {
        let pipe = try Pipe()
        let number = fcntl(pipe.writing, F_DUPFD, 500)
        try #require(number >= 0)
        close(number)
        let writer = LineWriter(descriptor: number) { "missing \($0)\n" }
        for _ in 0..<3 {
            writer.write("lost\n")
            writer.flush(until: .distantFuture)
        }
        #expect(writer.droppedCount == 3)
        try #require(dup2(pipe.writing, number) == number)
        defer { close(number) }
        writer.write("found\n")
        #expect(pipe.lines { $0.hasPrefix("missing") } == ["found", "missing 3"])
    }

    /// The system call write(2) fails on /dev/full as on a full disk. Later the test puts a pipe in place of /dev/full.
    @Test func dropsOnlyLinesThatTheSystemRefuses() throws {
        let pipe = try Pipe()
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let writer = LineWriter(descriptor: full) { "missing \($0)\n" }
        writer.write("lost\n")
        writer.flush(until: .distantFuture)
        #expect(writer.droppedCount == 1)
        try #require(dup2(pipe.writing, full) == full)
        writer.write("one\n")
        #expect(pipe.lines { $0.hasPrefix("missing") } == ["one", "missing 1"])
        writer.write("two\n")
        #expect(pipe.lines { _ in true } == ["two"])
    }

    @Test func writesTheNoticeAsAnEvent() throws {
        let line = LogStyle.notice(ofMissing: 42)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["ev"] as? String == "log_dropped" && object?["n"] as? Int == 42)
        #expect(object?["lvl"] as? String == "warning" && object?["ts"] is String && line.hasSuffix("}\n"))
    }
}
