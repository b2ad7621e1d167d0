import Foundation
import TestSupport
import Testing

@testable import Files

/// An empty directory for one test. A class, so that `deinit` removes the directory.
final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit {
        // A leftover in the temporary directory does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    /// Returns the file type as lstat(2) reports it, without following a link.
    func kind(_ name: String) -> mode_t {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & S_IFMT : 0
    }
}

/// Regular files are replaced, devices and pipes are written in place, and directories are refused.
@Suite struct OutputFileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func output(_ name: String, isOwn: Bool) -> OutputFile {
        isOwn ? .own("\(folder.path)/\(name)") : .named("\(folder.path)/\(name)")
    }

    @Test(arguments: [false, true]) func replacesARegularFileWhole(isOwn: Bool) throws {
        try folder.put("old", "a")
        let reader = try #require(FileHandle(forReadingAtPath: "\(folder.path)/a"))
        try output("a", isOwn: isOwn).write(Array("new".utf8))
        #expect(try folder.text("a") == "new")
        #expect(try reader.readToEnd() == Data("old".utf8))
        #expect(folder.names == ["a"])
    }

    @Test func keepsTheModeOfANamedFile() throws {
        try folder.put("old", "a")
        #expect(chmod("\(folder.path)/a", 0o640) == 0)
        try output("a", isOwn: false).write(Array("new".utf8))
        var status = stat()
        #expect(lstat("\(folder.path)/a", &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test func makesOwnFilesReadableOnlyByTheirUser() throws {
        try output("a", isOwn: true).write([1])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/a")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// Uses a pseudo-terminal. A bug would replace the device by a file, so a device of the machine is not safe here.
    @Test(arguments: [false, true]) func writesIntoADevice(isOwn: Bool) throws {
        let device = try PseudoTerminal()
        let output: OutputFile = isOwn ? .own(device.path) : .named(device.path)
        try output.write(Array("new".utf8))
        #expect(device.isThere && bytes(of: device.controller) == Array("new".utf8))
        #expect(throws: FileError.notRegular(.device)) { try OutputFile.own(device.path).remove() }
        #expect(device.isThere)
    }

    @Test(arguments: [false, true]) func writesIntoAPipe(isOwn: Bool) throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let reader = open("\(folder.path)/pipe", O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try output("pipe", isOwn: isOwn).write(Array("new".utf8))
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 3)
        #expect(folder.kind("pipe") == S_IFIFO && folder.names == ["pipe"])
    }

    /// The server must not wait for a reader: a reader may never come.
    @Test func doesNotWaitForAReaderOfItsOwnPipe() throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        #expect(throws: FileError.noReader(seconds: 0)) { try output("pipe", isOwn: true).write([1]) }
        #expect(folder.kind("pipe") == S_IFIFO)
    }

    @Test func waitsForAReaderUntilTheTimeout() throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let output = OutputFile.named("\(folder.path)/pipe", patience: 1)
        #expect(throws: FileError.noReader(seconds: 1)) { try output.write([1]) }
        #expect("\(FileError.noReader(seconds: 1))" == "no program has opened the pipe for reading within 1 s")
        #expect(folder.kind("pipe") == S_IFIFO && folder.names == ["pipe"])
    }

    /// The content is larger than the pipe's buffer.
    @Test func writesAllToAReaderThatComesLater() throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let path = "\(folder.path)/pipe"
        let bytes = [UInt8](repeating: 7, count: 300_000)
        Thread.detachNewThread {
            // The reader fails the test if bytes are missing after an error.
            try? OutputFile.named(path, patience: 60).write(bytes)
        }
        #expect(try InputFile(path, patience: 60).bytes(limit: 1 << 20) == bytes)
    }

    /// A token that the server writes must not reach another user.
    @Test(.enabled(if: geteuid() == 0)) func refusesThePipeOfAnotherUserForOwnFiles() throws {
        let path = "\(folder.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0 && chown(path, 1, 1) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(throws: FileError.foreign(.pipe)) { try OutputFile.own(path).write([1]) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 0 && folder.kind("pipe") == S_IFIFO)
    }

    @Test(arguments: [false, true]) func refusesADirectoryAndASocket(isOwn: Bool) throws {
        #expect(throws: FileError.notRegular(.directory)) { try output(".", isOwn: isOwn).write([1]) }
        try #require(mknod("\(folder.path)/socket", S_IFSOCK | 0o600, 0) == 0)
        #expect(throws: FileError.notRegular(.socket)) { try output("socket", isOwn: isOwn).write([1]) }
        #expect(folder.kind("socket") == S_IFSOCK && folder.names == ["socket"])
    }

    @Test func followsALinkInANamedPath() throws {
        try folder.put("old", "a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/c", withDestinationPath: "\(folder.path)/b")
        try output("c", isOwn: false).write(Array("new".utf8))
        #expect(try folder.text("a") == "new")
        #expect(folder.kind("b") == S_IFLNK && folder.kind("c") == S_IFLNK && folder.names == ["a", "b", "c"])
    }

    @Test func createsTheTargetOfADanglingLink() throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        try output("b", isOwn: false).write(Array("new".utf8))
        #expect(try folder.text("a") == "new" && folder.kind("b") == S_IFLNK)
    }

    @Test func refusesLinksInACircle() throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/a", withDestinationPath: "b")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        #expect(throws: FileError.system(call: "open", errno: ELOOP)) { try output("a", isOwn: false).write([1]) }
    }

    /// Another user may have created a link in the server's directory.
    @Test func replacesALinkInPlaceOfAnOwnFile() throws {
        try folder.put("theirs", "a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        try output("b", isOwn: true).write(Array("new".utf8))
        #expect(try folder.text("a") == "theirs" && folder.text("b") == "new")
        #expect(folder.kind("b") == S_IFREG)
    }

    /// The shell has already opened the file, perhaps in append mode.
    @Test(arguments: ["/dev/fd/", "/proc/self/fd/"]) func writesToADescriptorOfTheProcess(prefix: String) throws {
        try folder.put("old ", "a")
        let descriptor = open("\(folder.path)/a", O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        try OutputFile.named("\(prefix)\(descriptor)").write(Array("new".utf8))
        #expect(try folder.text("a") == "old new" && folder.names == ["a"])
        #expect(OutputFile.named("/dev/stdout").isWrittenInPlace)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: "\(prefix)\(descriptor)")
        try output("link", isOwn: false).write(Array("er".utf8))
        #expect(try folder.text("a") == "old newer")
    }

    @Test func refusesToOverwriteAnExistingFileWhenNew() throws {
        try folder.put("old", "a")
        let exists = FileError.system(call: "open", errno: EEXIST)
        #expect(throws: exists) { try output("a", isOwn: false).write([1], isNew: true) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "c")
        #expect(throws: exists) { try output("b", isOwn: false).write([1], isNew: true) }
        #expect(try folder.text("a") == "old" && folder.names == ["a", "b"])
    }

    @Test func removesOnlyFilesAndLinks() throws {
        try folder.put("old", "a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b", withDestinationPath: "a")
        try output("b", isOwn: true).remove()
        #expect(folder.names == ["a"])
        try output("a", isOwn: true).remove()
        try output("a", isOwn: true).remove()
        #expect(folder.names.isEmpty)
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        #expect(throws: FileError.notRegular(.pipe)) { try output("pipe", isOwn: true).remove() }
        #expect(folder.names == ["pipe"])
    }
}
