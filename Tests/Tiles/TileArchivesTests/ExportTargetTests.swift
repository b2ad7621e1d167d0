import Files
import Foundation
import Testing

@testable import TileArchives

@Suite struct ExportTargetTests {
    private let directory: ArchiveDirectory

    init() throws {
        directory = try ArchiveDirectory()
    }

    @Test(
        arguments: [
            ("a.mbtiles", .mbtiles), ("a.b.PMTiles", .pmtiles), ("a.Zip", .zip), ("a", .directory), ("a/", .directory),
            ("v1.2/", .directory), (".cache", .directory), ("a.zip//", .directory),
        ] as [(String, ExportTarget.Kind)])
    func readsTheKindFromTheEnding(_ name: String, _ kind: ExportTarget.Kind) throws {
        let target = try ExportTarget(directory(name), replaces: false)
        #expect(target.kind == kind)
        #expect(!target.path.hasSuffix("/"))
    }

    @Test(arguments: ["a.tar", "v1.2", "a.mbtiles.gz", "a.", ".a.tif", "a.directory"])
    func refusesOtherEndings(_ name: String) throws {
        let path = directory(name)
        let ending = String(name[(name.lastIndex(of: ".") ?? name.startIndex)...])
        #expect(throws: ExportTargetError.unknownEnding(path: path, ending: ending)) {
            try ExportTarget(path, replaces: true)
        }
    }

    @Test func namesTheRemedy() {
        #expect(
            "\(ExportTargetError.unknownEnding(path: "v1.2", ending: ".2"))"
                == "v1.2: unknown ending .2; expected .mbtiles, .pmtiles or .zip. For a directory, write v1.2/")
        #expect(
            "\(ExportTargetError.noParent(path: "a\n/b.zip", parent: "a\n"))"
                == "a/b.zip: the directory a does not exist; make it first")
    }

    @Test(arguments: ["a.mbtiles", "a.pmtiles", "a.zip"]) func refusesAnExistingFile(_ name: String) throws {
        try directory.make(name)
        #expect(throws: ExportTargetError.exists(path: directory(name))) {
            try ExportTarget(directory(name), replaces: false)
        }
        #expect(try ExportTarget(directory(name), replaces: true).replaces)
        #expect(try directory.bytes(name) == Array("old".utf8))
    }

    @Test func refusesAnExistingDirectoryWithFiles() throws {
        #expect(try ExportTarget(directory.path, replaces: false).kind == .directory)
        try directory.make("a.txt")
        #expect(throws: ExportTargetError.notEmpty(path: directory.path)) {
            try ExportTarget(directory.path + "/", replaces: false)
        }
        #expect(try ExportTarget(directory.path, replaces: true).kind == .directory)
    }

    @Test func refusesOtherKindsOfFiles() throws {
        try directory.make("file")
        #expect(
            throws: ExportTargetError.wrongFile(
                path: directory("file"), expected: "a directory", found: "a file")
        ) { try ExportTarget(directory("file"), replaces: true) }
        try FileManager.default.createDirectory(atPath: directory("a.zip"), withIntermediateDirectories: false)
        #expect(
            throws: ExportTargetError.wrongFile(
                path: directory("a.zip"), expected: "a regular file", found: "a directory")
        ) { try ExportTarget(directory("a.zip"), replaces: true) }
        #expect(throws: ExportTargetError.self) { try ExportTarget("/dev/null/a.zip", replaces: true) }
        try FileManager.default.createSymbolicLink(
            atPath: directory("b.zip"), withDestinationPath: directory("nowhere"))
        #expect(throws: ExportTargetError.self) { try ExportTarget(directory("b.zip"), replaces: true) }
    }

    @Test func refusesAMissingParent() {
        let path = directory("none/a.zip")
        #expect(throws: ExportTargetError.noParent(path: path, parent: directory("none"))) {
            try ExportTarget(path, replaces: true)
        }
        #expect(throws: ExportTargetError.noParent(path: directory("none/a"), parent: directory("none"))) {
            try ExportTarget(directory("none/a/"), replaces: true)
        }
    }

    @Test(arguments: ["", "a\0.zip"]) func refusesAPathWithoutAName(_ path: String) {
        #expect(throws: ExportTargetError.unnamed) { try ExportTarget(path, replaces: true) }
    }

    @Test func takesPathsOfTheWorkingDirectory() throws {
        #expect(try ExportTarget("no-such-file.zip", replaces: false).kind == .zip)
        #expect(try ExportTarget(".", replaces: true).kind == .directory)
        #expect(try ExportTarget("..", replaces: true).kind == .directory)
        #expect(try ExportTarget("/", replaces: true).path == "/")
    }
}
