import Configuration
import Foundation
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import TileServer

/// Tests of `server.watch`, which reloads a changed configuration file.
@Suite(.blocking) struct FileWatchTests {
    // MARK: When

    private let first = FileStamp.file(device: 1, inode: 1, size: 1, seconds: 1, nanoseconds: 1)
    private let second = FileStamp.file(device: 1, inode: 2, size: 1, seconds: 1, nanoseconds: 1)
    private let third = FileStamp.file(device: 1, inode: 2, size: 2, seconds: 1, nanoseconds: 1)

    private func at(_ seconds: Double) -> MonotonicTime { .zero.adding(seconds: seconds) }

    @Test func waitsUntilTheFileIsUnchanged() {
        var change = FileChange(settle: 1, absence: 4)
        #expect(change.look([first], lastRead: [first], at: at(0)) == .none)
        #expect(change.look([second], lastRead: [first], at: at(1)) == .lookAgain(1))
        // The file is still being written.
        #expect(change.look([third], lastRead: [first], at: at(1.5)) == .lookAgain(1))
        #expect(change.look([third], lastRead: [first], at: at(2)) == .lookAgain(0.5))
        #expect(change.look([third], lastRead: [first], at: at(2.5)) == .read)
        #expect(change.look([third], lastRead: [third], at: at(3)) == .none)
    }

    @Test func toleratesABriefAbsenceOfTheFile() {
        var change = FileChange(settle: 1, absence: 4)
        #expect(change.look([.gone], lastRead: [first], at: at(0)) == .lookAgain(4))
        #expect(change.look([.gone], lastRead: [first], at: at(3)) == .lookAgain(1))
        #expect(change.look([first], lastRead: [first], at: at(3.5)) == .none)
        #expect(change.look([.gone], lastRead: [first], at: at(4)) == .lookAgain(4))
        #expect(change.look([.gone], lastRead: [first], at: at(8)) == .read)
        // The absence is reported once.
        #expect(change.look([.gone], lastRead: [.gone], at: at(9)) == .none)
        #expect(change.look([second], lastRead: [.gone], at: at(10)) == .lookAgain(1))
    }

    @Test func ignoresDevicesAndUnknownFiles() {
        var change = FileChange(settle: 1, absence: 4)
        #expect(change.look([.unknown], lastRead: [first], at: at(0)) == .none)
        #expect(FileStamp("/dev/null") == .unknown && FileStamp(nil) == .unknown && FileStamp("/none/such") == .gone)
    }

    // MARK: Where

    /// A file in its own directory, with a count of its reads.
    private final class Watched: Sendable {
        let directory: String
        let path: String
        let file: ConfigurationFile
        private let count = Mutex(0)

        init(_ directory: TemporaryDirectory, name: String = "tileserver.yaml") throws {
            self.directory = directory.path
            path = "\(directory.path)/\(name)"
            if !FileManager.default.fileExists(atPath: path) { try Data("1".utf8).write(to: URL(filePath: path)) }
            file = ConfigurationFile(path: path) { _ throws(ConfigurationErrors) in Configuration() }
        }

        var reads: Int { count.withLock { $0 } }

        func watch(isNotified: Bool) -> FileWatch {
            // With notifications, the watch does not poll within the time of a test.
            FileWatch(file, interval: isNotified ? 3_600 : 0.05, settle: 0.02, isNotified: isNotified) { [self] in
                _ = try? file.read { _ in }
                count.withLock { $0 += 1 }
            }
        }

        func hasRead(_ number: Int) -> Bool {
            eventuallyBlocking { reads >= number }
        }
    }

    /// Editors write into the file or replace it by another file.
    @Test(arguments: [true, false], [true, false]) func detectsAWrittenFile(isNotified: Bool, isAtomic: Bool) throws {
        let directory = try TemporaryDirectory()
        let watched = try Watched(directory)
        let watch = watched.watch(isNotified: isNotified)
        for number in 1...3 {
            let text = String(repeating: "x", count: number + 1)
            try Data(text.utf8).write(to: URL(filePath: watched.path), options: isAtomic ? .atomic : [])
            #expect(watched.hasRead(number))
        }
        withExtendedLifetime(watch) {}
    }

    /// Kubernetes mounts a configuration as a link through `..data`. A change replaces the link `..data`.
    @Test(arguments: [true, false]) func detectsAReplacedLinkToADirectory(isNotified: Bool) throws {
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        for name in ["..1", "..2"] {
            try manager.createDirectory(atPath: "\(directory.path)/\(name)", withIntermediateDirectories: false)
            try Data(name.utf8).write(to: URL(filePath: "\(directory.path)/\(name)/tileserver.yaml"))
        }
        try manager.createSymbolicLink(atPath: "\(directory.path)/..data", withDestinationPath: "..1")
        try manager.createSymbolicLink(
            atPath: "\(directory.path)/tileserver.yaml", withDestinationPath: "..data/tileserver.yaml")
        let watched = try Watched(directory)
        let watch = watched.watch(isNotified: isNotified)
        try manager.createSymbolicLink(atPath: "\(directory.path)/..new", withDestinationPath: "..2")
        #expect(rename("\(directory.path)/..new", "\(directory.path)/..data") == 0)
        #expect(watched.hasRead(1))
        withExtendedLifetime(watch) {}
    }

    /// The file changes between the first read and the start of the watch.
    @Test func detectsAChangeBeforeTheWatchBegan() throws {
        let directory = try TemporaryDirectory()
        let watched = try Watched(directory)
        try Data("changed".utf8).write(to: URL(filePath: watched.path))
        let watch = watched.watch(isNotified: true)
        #expect(watched.hasRead(1))
        withExtendedLifetime(watch) {}
    }

    @Test func endsTheWatchWithItsOwner() throws {
        let directory = try TemporaryDirectory()
        let watched = try Watched(directory)
        weak var watch: FileWatch?
        do {
            let kept = watched.watch(isNotified: true)
            watch = kept
            withExtendedLifetime(kept) {}
        }
        #expect(eventuallyBlocking { watch == nil })
    }

    @Test func reloadsAChangedFile() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/tileserver.yaml"
        func write(_ layers: String) throws {
            let text =
                "server: { port: 0, watch: true }\nadmin: { token: 0123456789abcdef }\nlayers: { \(layers) }\n"
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        }
        try write("a: { generator: grid }")
        var launch = Launch()
        launch.file = ConfigurationFile(path: path) { warn throws(ConfigurationErrors) in
            try Configuration.load(path: path, environment: [:], warn: warn)
        }
        let lines = LogLines()
        let server = try TileServer(
            configuration: try Configuration.load(path: path, environment: [:]), launch: launch, log: lines.log)
        try write("b: { generator: grid }")
        #expect(eventuallyBlocking { server.layerIDs == ["b"] })
        try write("c: { generator: grit }")
        #expect(eventuallyBlocking { lines.all.contains { $0.contains("config_error") } })
        #expect(server.layerIDs == ["b"])
        await server.stop()
        #expect(server.watch.withLock { $0 == nil })
    }
}
