import Bytes
import Raster
import Testing
import Tiles

@testable import TileArchives

/// Tests for the JSON metadata (PMTiles 3, JSON metadata).
@Suite struct PMTilesMetadataTests {
    private func description(_ json: String, tile: ImageHeader? = nil) throws -> SourceDescription {
        var sample = PMTilesArchiveSample()
        sample.metadata = Array(json.utf8)
        let metadata = try PMTilesMetadata(SharedBytes(json), compression: .none)
        return metadata.description(try sample.header(), firstTile: tile)
    }

    @Test func readsTexts() throws {
        let found = try description(
            #"{"name":"N","description":"a\nb","attribution":"<b>©</b>","version":"2","type":"overlay","x":{"y":[1]}}"#)
        #expect(found.name == "N" && found.description == "a\nb" && found.attribution == "<b>©</b>")
        #expect(found.version == "2.0.0" && found.kind == .overlay)
        #expect(found.zooms == 0...0 && found.bounds != nil && found.center?.longitude == 8.5)
        #expect(found.format == .png && found.tileSize == 256)
    }

    @Test func removesControlCharactersAndCutsTexts() throws {
        let long = String(repeating: "ä", count: 5_000)
        let found = try description(#"{"name":"a\u0000\nb\u007f","description":"\#(long)"}"#)
        #expect(found.name == "ab" && found.description?.count == 4_096)
    }

    @Test func ignoresValuesThatAreNoTexts() throws {
        let found = try description(#"{"name":1,"description":null,"attribution":["a"],"version":"x","type":"map"}"#)
        #expect(found.name == nil && found.description == nil && found.attribution == nil)
        #expect(found.version == nil && found.kind == nil)
    }

    @Test func needsNoMetadata() throws {
        #expect(try PMTilesMetadata(SharedBytes.empty, compression: .gzip).fields.isEmpty)
    }

    @Test(arguments: ["[]", "1", "{", "", "{\"a\":1,\"a\":2}", "\u{FEFF}"])
    func refusesOtherTexts(json: String) throws {
        let bytes = SharedBytes(try #require(Gzip.compressed(Array(json.utf8))))
        do throws(PMTilesError) {
            _ = try PMTilesMetadata(bytes, compression: .gzip)
            Issue.record("no error")
        } catch {
            #expect(error.description.hasPrefix("expected a JSON object as the archive's metadata: "), "\(error)")
        }
    }

    @Test func refusesMoreThanAMegabyte() throws {
        let json = Array(#"{"name":""#.utf8) + [UInt8](repeating: 0x61, count: 1 << 20) + Array(#""}"#.utf8)
        let fault = PMTilesError.metadataTooLarge(limit: 1 << 20)
        #expect(throws: fault) { try PMTilesMetadata(SharedBytes(json), compression: .none) }
        let bomb = SharedBytes(try #require(Gzip.compressed(json)))
        #expect(throws: fault) { try PMTilesMetadata(bomb, compression: .gzip) }
        #expect(throws: PMTilesError.metadataCompression(.damaged)) {
            try PMTilesMetadata(SharedBytes("{}"), compression: .gzip)
        }
    }
}
