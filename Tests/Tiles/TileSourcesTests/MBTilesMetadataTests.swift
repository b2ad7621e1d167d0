import Raster
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for the metadata table, whose values can be any text.
@Suite struct MBTilesMetadataTests {
    private func metadata(
        _ fields: [String: String], zooms: ClosedRange<Int>? = nil, tile: ImageHeader? = nil
    ) -> SourceDescription {
        MBTilesMetadata.description(fields, content: MBTilesMetadata.Content(zooms: zooms, firstTile: tile))
    }

    static let zooms: [(low: String?, high: String?, expected: [Int])] = [
        (nil, nil, [3, 9]), ("0", "30", [0, 30]), ("5", nil, [5, 9]), (nil, "4", [3, 4]), (" 2 ", "7.0", [2, 7]),
        ("1 2", "7", [3, 7]),
        ("-1", "31", [3, 9]), ("x", "", [3, 9]), ("2.5", "nan", [3, 9]), ("1e99", "inf", [3, 9]), ("8", "7", [3, 9]),
        ("10", nil, [3, 9]), ("99999999999999999999", "5", [3, 5]),
    ]

    @Test(arguments: zooms)
    func ignoresInvalidZooms(low: String?, high: String?, expected: [Int]) {
        var fields: [String: String] = [:]
        (fields["minzoom"], fields["maxzoom"]) = (low, high)
        let found = metadata(fields, zooms: 3...9)
        #expect(found.zooms == expected[0]...expected[1])
    }

    @Test func usesDefaultZoomsWithoutMetadata() {
        #expect(metadata([:]).zooms == 0...22)
    }

    static let bounds: [(String, [Double]?)] = [
        ("-180,-85.0511,180,85.0511", [-180, -85.0511, 180, 85.0511]), ("1, 2 ,3.5,4", [1, 2, 3.5, 4]),
        ("-180.5,-95,180.5,95", [-180, -90, 180, 90]), ("0,0,360,1", [-180, 0, 180, 1]),
        ("170,-50,-170,-30", [170, -50, -170, -30]), ("170,-50,190,-30", [170, -50, -170, -30]),
        ("-190,-50,-170,-30", [170, -50, -170, -30]),
        ("1,2,3", nil), ("1,2,3,4,5", nil), ("", nil), ("1,2,x,4", nil), ("1,2,nan,4", nil), ("1,2,inf,4", nil),
        ("1,2,,4", nil), ("5,0,5,1", nil), ("0,1,1,1", nil), ("0,2,1,1", nil), ("0,95,1,96", nil),
        ("999,0,1000,1", nil), ("1e308,0,-1e308,1", nil),
    ]

    @Test(arguments: bounds)
    func clipsBoundsToWorld(text: String, edges: [Double]?) {
        let found = metadata(["bounds": text]).bounds
        #expect(found.map { [$0.west, $0.south, $0.east, $0.north] } == edges)
    }

    static let centers: [(String, [Double]?)] = [
        ("0,20,0", [0, 20, 0]), ("-122.5, 37.8, 11", [-122.5, 37.8, 11]), ("1,2,3.4", [1, 2, 3]),
        ("181,0,0", nil), ("0,91,0", nil), ("0,0,31", nil), ("0,0,-1", nil), ("0,0", nil), ("0,0,nan", nil),
        ("0,0,1e300", nil),
    ]

    @Test(arguments: centers)
    func ignoresInvalidCenter(text: String, numbers: [Double]?) {
        let found = metadata(["center": text]).center
        #expect(found.map { [$0.longitude, $0.latitude, Double($0.zoom)] } == numbers)
    }

    static let versions: [(String, String?)] = [
        ("1.0.0", "1.0.0"), ("1", "1.0.0"), ("1.3", "1.3.0"), ("", nil), ("1.2.3.4", nil), ("1..2", nil), ("v1", nil),
        ("-1", nil), ("1.0-beta", nil), ("9999999999", nil),
    ]

    @Test(arguments: versions)
    func normalizesVersionToThreeNumbers(text: String, expected: String?) {
        #expect(metadata(["version": text]).version == expected)
    }

    @Test func cleansAndLimitsTexts() {
        let found = metadata([
            "name": "A\u{0}t\nl\u{1B}as\u{85}", "description": "one\ntwo\u{7}",
            "attribution": String(repeating: "é", count: 5_000), "type": "layer",
        ])
        #expect(found.name == "Atlas")
        #expect(found.description == "one\ntwo")
        #expect(found.attribution?.count == 4_096)
        #expect(found.kind == nil)
        #expect(metadata(["name": "", "attribution": "\u{1}"]) == metadata([:]))
    }

    @Test func takesTileSizeFromFirstTile() throws {
        for (width, expected) in [(512, 512), (64, 64), (63, 256), (1, 256)] {
            let header = try ImageHeader(parsing: Tile(encoding: Pixmap(width: width, height: 8)).bytes)
            #expect(metadata([:], tile: header).tileSize == expected)
        }
        #expect(metadata([:]).tileSize == 256 && metadata([:]).format == nil)
    }

    @Test func removesControlCharactersFromErrors() {
        let error = MBTilesError(path: "a\nb\u{1B}", fault: .unreadable("x\ry"))
        #expect(error.description == "ab: the MBTiles file cannot be read: xy")
    }
}
