import Foundation
import TestSupport
import Testing

@testable import Files

/// Regular files, pipes and open descriptors are read to the end. Opening a pipe has a timeout.
@Suite struct InputFileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func bytes(_ name: String, limit: Int = 1_000, patience: Int = 60) throws(FileError) -> [UInt8] {
        try InputFile("\(folder.path)/\(name)", patience: patience).bytes(limit: limit)
    }

    private func makePipe() throws -> String {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        return "\(folder.path)/pipe"
    }

    @Test func readsARegularFileUpToALimit() throws {
        try folder.put("12345", "a")
        #expect(try bytes("a", limit: 5) == Array("12345".utf8))
        #expect(throws: FileError.tooLarge(limit: 4)) { try bytes("a", limit: 4) }
        try folder.put("", "b")
        #expect(try bytes("b").isEmpty)
    }

    @Test func refusesADirectoryAndASocket() throws {
        #expect(throws: FileError.notRegular(.directory)) { try bytes(".") }
        try #require(mknod("\(folder.path)/socket", S_IFSOCK | 0o600, 0) == 0)
        #expect(throws: FileError.notRegular(.socket)) { try bytes("socket") }
        #expect(throws: FileError.system(call: "stat", errno: ENOENT)) { try bytes("gone") }
    }

    @Test func readsADevice() throws {
        #expect(try InputFile("/dev/null").bytes(limit: 10).isEmpty)
        #expect(throws: FileError.tooLarge(limit: 10)) { try InputFile("/dev/zero").bytes(limit: 10) }
    }

    @Test func timesOutOnAPipeWithoutAWriter() throws {
        _ = try makePipe()
        #expect(throws: FileError.noWriter(seconds: 0)) { try bytes("pipe", patience: 0) }
        #expect(throws: FileError.noWriter(seconds: 1)) { try bytes("pipe", patience: 1) }
        #expect("\(FileError.noWriter(seconds: 1))" == "no program has opened the pipe for writing within 1 s")
        #expect(folder.kind("pipe") == S_IFIFO)
    }

    /// The writer writes the content in two parts, with a pause between them.
    @Test func readsEverythingFromASlowWriter() throws {
        let path = try makePipe()
        Thread.detachNewThread {
            let writer = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(writer) }
            usleep(50_000)
            _ = write(writer, "12", 2)
            usleep(50_000)
            _ = write(writer, "345", 3)
        }
        #expect(try bytes("pipe") == Array("12345".utf8))
    }

    /// The patience limits only the wait for a writer. A connected writer may be silent for longer.
    @Test func waitsForASilentWriter() throws {
        let path = try makePipe()
        // The test opens the pipe for reading and writing, so that this call does not wait for a reader.
        let both = open(path, O_RDWR | O_CLOEXEC)
        Thread.detachNewThread {
            usleep(200_000)
            _ = write(both, "12345", 5)
            close(both)
        }
        #expect(try bytes("pipe", patience: 0) == Array("12345".utf8))
    }

    @Test func readsNothingFromAWriterThatClosesAtOnce() throws {
        let path = try makePipe()
        Thread.detachNewThread { _ = close(open(path, O_WRONLY | O_CLOEXEC)) }
        #expect(try bytes("pipe").isEmpty)
    }

    /// A shell passes such a path for `<(…)`. The writer has closed its end before the path is read.
    @Test(arguments: ["/dev/fd/", "/proc/self/fd/"]) func readsADescriptorOfTheProcess(prefix: String) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // A child process of another test must not inherit the write end. The pipe would then stay open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        #expect(write(ends[1], "12345", 5) == 5)
        close(ends[1])
        #expect(try InputFile("\(prefix)\(ends[0])", patience: 0).bytes(limit: 10) == Array("12345".utf8))
    }
}
