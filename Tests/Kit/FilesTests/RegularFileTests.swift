import Foundation
import Testing

@testable import Files

@Suite struct RegularFileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func bytes(_ name: String, limit: Int = 1_000, followsLink: Bool = true) throws(FileError) -> [UInt8] {
        let file = try RegularFile("\(folder.path)/\(name)", followsLink: followsLink)
        return try file.bytes(limit: limit)
    }

    private func prefix(_ name: String, _ limit: Int) throws(FileError) -> [UInt8] {
        let file = try RegularFile("\(folder.path)/\(name)")
        return try file.prefix(limit)
    }

    @Test func readsUpToALimit() throws {
        try folder.put("12345", "a")
        #expect(try bytes("a", limit: 5) == Array("12345".utf8))
        #expect(throws: FileError.tooLarge(limit: 4)) { try bytes("a", limit: 4) }
        #expect(try prefix("a", 3) == Array("123".utf8))
        #expect(try prefix("a", 0).isEmpty && prefix("a", 6) == Array("12345".utf8))
    }

    @Test func readsMoreThanOneChunk() throws {
        let text = String(repeating: "0123456789", count: 70_000)
        try folder.put(text, "a")
        #expect(try bytes("a", limit: 700_000) == Array(text.utf8))
        #expect(try prefix("a", 1 << 18) == Array(text.utf8.prefix(1 << 18)))
    }

    /// The size of a file in /proc is reported as 0, although the file has content.
    @Test func readsAFileOfUnknownSize() throws {
        let file = try RegularFile("/proc/self/status")
        #expect(try file.bytes(limit: 100_000).count > 100)
        let other = try RegularFile("/proc/self/status")
        #expect(throws: FileError.tooLarge(limit: 10)) { _ = try other.bytes(limit: 10) }
    }

    /// Opening the pipe returns at once, although the pipe has no writer.
    @Test func refusesFilesThatAreNotRegular() throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        #expect(throws: FileError.notRegular(.pipe)) { try bytes("pipe") }
        #expect(throws: FileError.notRegular(.directory)) { try bytes(".") }
        #expect(throws: FileError.notRegular(.device)) { _ = try RegularFile("/dev/zero").prefix(1) }
        #expect(throws: FileError.system(call: "stat", errno: ENOENT)) { try bytes("gone") }
        #expect("\(FileError.notRegular(.pipe))" == "expected a regular file, found a pipe")
        #expect("\(FileError.notRegular(.directory))" == "Is a directory")
    }

    @Test func followsALinkIfThatIsAllowed() throws {
        try folder.put("1", "a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        #expect(try bytes("b") == [0x31])
        #expect(throws: FileError.system(call: "open", errno: ELOOP)) { try bytes("b", followsLink: false) }
    }
}
