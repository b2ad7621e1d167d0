import Foundation
import Runtime
import TestArchives
import TestSupport
import Testing
import Tiles

@testable import TileSources

@Suite(.blocking) struct PMTilesFileLayerTests {
    private let directory: MBTilesDirectory
    private let events = Shared([PMTilesEvent]())

    init() throws { directory = try MBTilesDirectory() }

    private var path: String { "\(directory.path)/a.pmtiles" }

    private func write(_ sample: SampleArchive, replaces: Bool = true) throws {
        try Data(sample.bytes).write(to: URL(fileURLWithPath: path), options: replaces ? .atomic : [])
    }

    private func layer() throws -> PMTilesFileLayer {
        let queue = WorkQueue(label: "test.pmtiles", width: 2, depth: 100)
        return try PMTilesFileLayer(path: path, queue: queue) { [events] _, event in events.change { $0.append(event) }
        }
    }

    private func sample(_ width: Int = 64) throws -> SampleArchive {
        SampleArchive([
            place(0, 0, 0): try samplePNG(width: width, height: width),
            place(4, 15, 15): try samplePNG(width: width, height: width + 1), place(4, 3, 2): Array("<html>".utf8),
        ])
    }

    @Test(arguments: [false, true]) func servesTiles(hasLeaf: Bool) async throws {
        var sample = try sample()
        sample.hasLeaf = hasLeaf
        try write(sample)
        let layer = try layer()
        for coordinate in [place(0, 0, 0), place(4, 15, 15)] {
            let tile = await layer.tile(at: coordinate, scale: 1).tile
            #expect(tile?.bytes.array == sample.tiles[coordinate] && tile?.lastModified != nil)
        }
        #expect(await layer.tile(at: place(4, 0, 0), scale: 1).isNoTile)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 2).isNoTile)
        #expect(await layer.tile(at: place(4, 3, 2), scale: 1).reason == .corrupt)
        let description = try #require(layer.describe())
        #expect(description.name == "Sample" && description.tileSize == 64 && description.format == .png)
        #expect(description.center?.latitude == 47 && description.bounds?.north == 85)
    }

    @Test func noticesAReplacedFile() async throws {
        try write(try sample())
        let layer = try layer()
        let description = layer.describe()
        #expect(!layer.isOutdated(since: description))
        try write(try sample(70))
        #expect(layer.isOutdated(since: description) && layer.isOutdated(since: description))
        // Reported once. The old file is still complete.
        #expect(events.value == [.replaced])
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile?.width == 64)
        #expect(try self.layer().describe() != description)
    }

    /// A program that writes over the open file must not mix two archives.
    @Test func servesNothingOfAFileThatIsWrittenOver() async throws {
        try write(try sample())
        let layer = try layer()
        try write(try sample(70), replaces: false)
        let reason = await layer.tile(at: place(0, 0, 0), scale: 1).reason
        #expect(reason == .failed)
        #expect(layer.isOutdated(since: layer.describe()))
    }

    @Test func keepsTheOldFileIfTheNewOneIsUnusable() async throws {
        try write(try sample())
        let layer = try layer()
        var wrong = try sample()
        wrong.type = 1
        try write(wrong)
        for _ in 0..<2 { #expect(!layer.isOutdated(since: layer.describe())) }
        #expect(events.value.count == 1 && "\(events.value)".contains("vector tiles"))
        try FileManager.default.removeItem(atPath: path)
        #expect(!layer.isOutdated(since: layer.describe()))
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
    }

    @Test func namesTheFault() throws {
        func reason(_ change: (inout SampleArchive) -> Void) throws -> String {
            var sample = try sample()
            change(&sample)
            try write(sample)
            do {
                _ = try layer()
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(try reason { _ in } == "none")
        #expect(try reason { $0.type = 1 }.hasPrefix("\(path): the archive holds vector tiles"))
        #expect(try reason { $0.version = 2 }.contains("pmtiles convert"))
        #expect(try reason { $0.compression = 3 }.contains("brotli"))
        #expect(try reason { $0.compression = 4 }.contains("zstd"))
        #expect(try reason { $0.compression = 2 }.contains("gzip"))
        try Data("PMTil".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: PMTilesFileError.self) { try layer() }
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: PMTilesFileError.self) { try layer() }
    }

    /// Every length of a file that was cut off.
    @Test func rejectsEachTruncatedFile() async throws {
        let bytes = try sample().bytes
        for count in stride(from: 0, to: bytes.count, by: 7) {
            try Data(bytes[..<count]).write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(throws: PMTilesFileError.self, "\(count)") { try layer() }
        }
    }
}
