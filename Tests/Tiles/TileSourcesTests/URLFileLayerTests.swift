import Foundation
import MapGeometry
import Runtime
import TestPictures
import Testing

@testable import TileSources

@Suite final class URLFileLayerTests {
    private let directory: URL
    private let corner: TileCoordinate
    private let events = Shared([SourceEvent]())

    init() throws {
        corner = try #require(TileCoordinate(z: 2, x: 3, y: 1))
        directory = FileManager.default.temporaryDirectory.appending(path: "tiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover directory is harmless.
        try? FileManager.default.removeItem(at: directory)
    }

    private var tilePath: String { directory.path + "/L1_2_3_1.png" }

    private func layer(maxBytes: Int = 4_194_304) throws -> FileTileLayer {
        let template = try URLTemplate("file:\(directory.path)/L{floor}_{z}_{x}_{y}.png", values: ["floor": "1"])
        let queue = WorkQueue(label: "test.files", width: 2, depth: 8)
        return FileTileLayer(template: template, queue: queue, maxBytes: maxBytes) { [events] _, event in
            events.change { $0.append(event) }
        }
    }

    @Test func readsFile() async throws {
        let png = try samplePNG(width: 3, height: 2)
        try Data(png).write(to: URL(filePath: tilePath))
        let date = Date(timeIntervalSince1970: 784_111_777)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: tilePath)
        let tile = try #require(try await layer().tile(at: corner, scale: 1).tile)
        #expect(tile.bytes.array == png)
        #expect((tile.width, tile.height) == (3, 2))
        #expect(tile.lastModified == 784_111_777)
        #expect(events.value.isEmpty)
    }

    @Test func hasNoTileIfFileIsMissing() async throws {
        #expect(try await layer().tile(at: corner, scale: 1).isNoTile)
        #expect(try await layer().tile(at: corner, scale: 2).isNoTile)
    }

    @Test func hasNoTileIfDirectoryIsAFile() async throws {
        try Data([1]).write(to: directory.appending(path: "file"))
        let template = try URLTemplate("file:\(directory.path)/file/{z}/{x}/{y}.png")
        let layer = FileTileLayer(template: template, queue: WorkQueue(label: "test.files", width: 1, depth: 1))
        #expect(await layer.tile(at: corner, scale: 1).isNoTile)
    }

    @Test func hasNoTileForEmptyFile() async throws {
        try Data().write(to: URL(filePath: tilePath))
        #expect(try await layer().tile(at: corner, scale: 1).isNoTile)
    }

    @Test func rejectsDirectory() async throws {
        try FileManager.default.createDirectory(atPath: tilePath, withIntermediateDirectories: false)
        #expect(try await layer().tile(at: corner, scale: 1).reason == .failed)
        #expect(events.value == [.notAFile])
    }

    /// The pipe has no writer, so a plain open would block forever.
    @Test func rejectsPipeWithoutWaiting() async throws {
        #expect(mkfifo(tilePath, 0o600) == 0)
        #expect(try await layer().tile(at: corner, scale: 1).reason == .failed)
        #expect(events.value == [.notAFile])
    }

    @Test func rejectsLinkToItself() async throws {
        try FileManager.default.createSymbolicLink(atPath: tilePath, withDestinationPath: tilePath)
        #expect(try await layer().tile(at: corner, scale: 1).reason == .failed)
        #expect(events.value == [.unreadable(call: "stat", errno: ELOOP)])
    }

    @Test func limitsSizeOfFile() async throws {
        let png = try samplePNG()
        try Data(png).write(to: URL(filePath: tilePath))
        #expect(try await layer(maxBytes: png.count).tile(at: corner, scale: 1).tile != nil)
        #expect(try await layer(maxBytes: png.count - 1).tile(at: corner, scale: 1).reason == .failed)
        #expect(events.value == [.fileTooLarge(limit: png.count - 1)])
    }

    @Test func rejectsFileThatIsNotAnImage() async throws {
        try Data("<html>".utf8).write(to: URL(filePath: tilePath))
        #expect(try await layer().tile(at: corner, scale: 1).reason == .notAnImage)
    }
}
