import Foundation
import Runtime
import TestArchives
import TestSupport
import Testing
import Tiles

@testable import TileSources

@Suite(.blocking) struct ArchiveDirectoriesTests {
    private let directory: MBTilesDirectory
    private let start = MonotonicTime.now()
    /// The wall clock at the first look: long after the files were written.
    private let wall = Int(Date.now.timeIntervalSince1970) + 1_000

    init() throws { directory = try MBTilesDirectory() }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func write(_ name: String, width: Int = 64, replaces: Bool = true) throws {
        let sample = SampleArchive([place(0, 0, 0): try samplePNG(width: width, height: width)])
        try Data(sample.bytes).write(to: URL(fileURLWithPath: path(name)), options: replaces ? .atomic : [])
    }

    private func directories(_ paths: [String]? = nil) -> ArchiveDirectories {
        ArchiveDirectories(paths ?? [directory.path]) { $0 == "admin" ? "reserved" : nil }
    }

    @Test func listsArchivesByName() throws {
        for name in ["b.pmtiles", "a.pmtiles", "c.PMTiles", "d.pmtiles.part", "e.tmp", ".f.pmtiles", "notes.txt"] {
            try write(name)
        }
        try FileManager.default.createDirectory(atPath: path("g.pmtiles"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: path("h"), withIntermediateDirectories: false)
        try write("h/i.pmtiles")
        var directories = directories([directory.path, directory.path])
        let found = directories.look(at: start, now: wall)
        #expect(found.archives.map(\.name) == ["a", "b", "c"] && found.faults.isEmpty, "\(found)")
        #expect(found.archives.map(\.path) == ["a.pmtiles", "b.pmtiles", "c.PMTiles"].map(path))
    }

    @Test func countsAFileAfterItHasStoodStill() throws {
        var directories = directories()
        #expect(directories.look(at: start, now: wall).archives.isEmpty)
        try write("a.pmtiles")
        for seconds in [1, 2.9] {
            #expect(directories.look(at: start.adding(seconds: seconds), now: wall).archives.isEmpty)
        }
        // Larger now: the two seconds begin again.
        try write("a.pmtiles", width: 99)
        for seconds in [3, 4.9] {
            #expect(directories.look(at: start.adding(seconds: seconds), now: wall).archives.isEmpty)
        }
        #expect(directories.look(at: start.adding(seconds: 5), now: wall).archives.map(\.name) == ["a"])
    }

    /// At the start nothing is known of the time before, so the file's own time decides.
    @Test func countsAnOldFileAtTheFirstLook() throws {
        try write("a.pmtiles")
        var fresh = directories()
        let written = Int(Date.now.timeIntervalSince1970)
        #expect(fresh.look(at: start, now: written).archives.isEmpty)
        #expect(fresh.look(at: start.adding(seconds: 2), now: written).archives.count == 1)
        var old = directories()
        #expect(old.look(at: start, now: wall).archives.count == 1)
    }

    @Test func noticesAReplacedFile() throws {
        try write("a.pmtiles")
        var directories = directories()
        let first = directories.look(at: start, now: wall)
        try write("a.pmtiles", width: 99)
        #expect(directories.look(at: start.adding(seconds: 1), now: wall) == first)
        let second = directories.look(at: start.adding(seconds: 3), now: wall)
        #expect(second.archives.map(\.name) == ["a"] && second != first)
    }

    /// A layer keeps the content that it has opened, so the archive stays in the list.
    @Test func keepsAnArchiveThatBecomesUnreadable() throws {
        try write("a.pmtiles")
        var directories = directories()
        let first = directories.look(at: start, now: wall)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path("a.pmtiles")), options: .atomic)
        _ = directories.look(at: start.adding(seconds: 1), now: wall)
        let second = directories.look(at: start.adding(seconds: 3), now: wall)
        #expect(second.archives == first.archives && second.faults.count == 1, "\(second.faults)")
    }

    @Test func removesTheArchiveOfARemovedFile() throws {
        try write("a.pmtiles")
        var directories = directories()
        #expect(directories.look(at: start, now: wall).archives.count == 1)
        unlink(path("a.pmtiles"))
        #expect(directories.look(at: start.adding(seconds: 0.1), now: wall).archives.isEmpty)
    }

    @Test func namesFilesThatAreNotServed() throws {
        try write("admin.pmtiles")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path("broken.pmtiles")))
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path("worse.mbtiles")))
        mkfifo(path("pipe.mbtiles"), 0o600)
        let outside = try MBTilesDirectory()
        let sample = SampleArchive([place(0, 0, 0): try samplePNG(width: 64, height: 64)])
        try Data(sample.bytes).write(to: URL(fileURLWithPath: "\(outside.path)/x.pmtiles"))
        symlink("\(outside.path)/x.pmtiles", path("out.pmtiles"))
        symlink("nowhere", path("dead.pmtiles"))
        try FileManager.default.createDirectory(atPath: path("..2026"), withIntermediateDirectories: false)
        try write("..2026/y.pmtiles")
        symlink("..2026/y.pmtiles", path("inside.pmtiles"))
        var directories = directories()
        let found = directories.look(at: start, now: wall)
        #expect(found.archives.map(\.name) == ["inside"])
        let reasons = found.faults.map { ($0.path.split(separator: "/").last ?? "", "\($0.reason)") }
        let parts = [
            ("admin.pmtiles", "reserved"), ("broken.pmtiles", "PMTiles"), ("dead.pmtiles", "leads to no file"),
            ("out.pmtiles", "out of the directory"), ("pipe.mbtiles", "a pipe"), ("worse.mbtiles", "no SQLite"),
        ]
        #expect(reasons.map(\.0).elementsEqual(parts.map { Substring($0.0) }), "\(reasons)")
        for (reason, part) in zip(reasons, parts) { #expect(reason.1.contains(part.1), "\(reason)") }
        // Each file is read once, so the next look finds nothing new.
        #expect(directories.look(at: start.adding(seconds: 9), now: wall) == found)
    }

    /// Which of two files is meant is unknown. A file that cannot be read takes no name.
    @Test func servesNeitherOfTwoFilesWithOneName() throws {
        let other = try MBTilesDirectory()
        try write("a.pmtiles")
        try write("b.pmtiles")
        try FileManager.default.copyItem(atPath: path("a.pmtiles"), toPath: "\(other.path)/a.pmtiles")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(other.path)/b.mbtiles"))
        var directories = directories([directory.path, other.path])
        let found = directories.look(at: start, now: wall)
        #expect(found.archives.map(\.path) == [path("b.pmtiles")] && found.faults.count == 3, "\(found)")
        unlink(path("a.pmtiles"))
        let next = directories.look(at: start.adding(seconds: 1), now: wall)
        #expect(next.archives.map(\.path) == ["\(other.path)/a.pmtiles", path("b.pmtiles")])
    }

    /// A network file system may be away for a while.
    @Test func keepsTheArchivesOfADirectoryThatCannotBeRead() throws {
        let inner = path("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        try write("inner/a.pmtiles")
        var directories = directories([inner])
        let first = directories.look(at: start, now: wall)
        #expect(rename(inner, path("away")) == 0)
        let second = directories.look(at: start.adding(seconds: 1), now: wall)
        #expect(second.archives == first.archives && second.directoryFaults.count == 1)
        #expect(rename(path("away"), inner) == 0)
        #expect(directories.look(at: start.adding(seconds: 2), now: wall) == first)
    }

    @Test func refusesAnArchiveUntilItsFileChanges() throws {
        try write("a.pmtiles")
        var directories = directories()
        #expect(directories.look(at: start, now: wall).archives.count == 1)
        directories.refuse(path("a.pmtiles"), "no memory")
        let refused = directories.look(at: start.adding(seconds: 5), now: wall)
        #expect(refused.archives.isEmpty && "\(refused.faults)".contains("no memory"))
        directories.checkAgain()
        #expect(directories.look(at: start.adding(seconds: 6), now: wall).archives.count == 1)
    }
}
