import MapGeometry
import Raster
import Tiles

/// What an MBTiles file says of itself (MBTiles 1.3, Metadata), checked and made up for where it says nothing.
struct MBTilesMetadata: Sendable, Hashable {
    /// What people call the tile set; at most 256 characters, none of them a control character.
    var name: String?
    /// At most 4,096 characters; may hold line ends and tabs but no other control characters.
    var description: String?
    /// Whom to credit, as text or HTML; as `description`.
    var attribution: String?
    /// Three numbers with dots between; those that the file leaves out are 0.
    var version: String?
    /// Whether the tiles lie over a map or are one.
    var kind: Kind?
    /// Where tiles exist. Nil: it does not say, or everywhere.
    var bounds: GeographicBox?
    /// What a map shows first.
    var center: Center?
    /// The lowest zoom with tiles, in 0…30 and at most `maxZoom`.
    var minZoom: Int
    /// The highest zoom with tiles, in 0…30.
    var maxZoom: Int
    /// The width of the first tile in pixels, in 64…2,048; 256 where there is no tile to tell by.
    var tileSize: Int
    /// What the first tile is; nil where there is none to tell by.
    var format: ImageFormat?

    typealias Kind = SourceDescription.Kind
    typealias Center = SourceDescription.Center

    /// What was found out from the tiles themselves.
    struct Content {
        /// The zooms that have tiles, within 0…30; nil where none has.
        var zooms: ClosedRange<Int>?
        /// Of the first tile, if that is an image.
        var firstTile: ImageHeader?
    }

    /// `fields`: names and values of the `metadata` table. What cannot be right is ignored, as if it were not there.
    init(_ fields: [String: String], content: Content) {
        name = Self.text(fields["name"], limit: 256)
        description = Self.text(fields["description"], limit: 4_096, lines: true)
        attribution = Self.text(fields["attribution"], limit: 4_096, lines: true)
        version = fields["version"].flatMap(Self.version)
        kind = fields["type"].flatMap(Kind.init)
        bounds = fields["bounds"].flatMap(Self.bounds)
        let found = content.zooms ?? 0...22
        let low = fields["minzoom"].flatMap(Self.zoom) ?? found.lowerBound
        let high = fields["maxzoom"].flatMap(Self.zoom) ?? found.upperBound
        (minZoom, maxZoom) = low <= high ? (low, high) : (found.lowerBound, found.upperBound)
        center = fields["center"].flatMap(Self.center)
        format = content.firstTile?.format
        // Less than 64 is no size to draw a map with: some placeholder.
        tileSize = content.firstTile.map(\.width).flatMap { $0 >= 64 ? $0 : nil } ?? 256
    }

    private static func text(_ text: String?, limit: Int, lines: Bool = false) -> String? {
        let plain = PlainText.of(text ?? "", limit: limit, lines: lines)
        return plain.isEmpty ? nil : plain
    }

    /// A whole number in 0…30.
    private static func zoom(_ text: some StringProtocol) -> Int? {
        guard let zoom = number(text).flatMap({ Int(exactly: $0) }), (0...TileCoordinate.maxZoom).contains(zoom) else {
            return nil
        }
        return zoom
    }

    /// A finite number with spaces around it, or none.
    private static func number(_ text: some StringProtocol) -> Double? {
        let words = text.split(separator: " ")
        guard words.count == 1, let number = Double(words[0]), number.isFinite else { return nil }
        return number
    }

    /// The numbers of a list with commas between; nil unless there are `count`.
    private static func numbers(_ text: String, count: Int) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { number($0) }
        return parts.count == count && numbers.count == count ? numbers : nil
    }

    /// Latitudes are clamped. Longitudes beyond the antimeridian mean the other side of it; a box that goes all around
    /// is as wide as the world.
    private static func bounds(_ text: String) -> GeographicBox? {
        guard let numbers = numbers(text, count: 4), abs(numbers[0]) <= 360, abs(numbers[2]) <= 360 else { return nil }
        let south = min(max(numbers[1], -90), 90)
        let north = min(max(numbers[3], -90), 90)
        guard south < north, numbers[0] != numbers[2] else { return nil }
        let isWorld = numbers[2] - numbers[0] >= 360
        let west = isWorld ? -180 : wrapped(numbers[0])
        let east = isWorld ? 180 : wrapped(numbers[2])
        return GeographicBox(west: west, south: south, east: east, north: north)
    }

    /// `longitude`, which is within ±360, brought into -180…180.
    private static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    private static func center(_ text: String) -> Center? {
        guard let numbers = numbers(text, count: 3), let zoom = Int(exactly: numbers[2].rounded()) else { return nil }
        return Center(longitude: numbers[0], latitude: numbers[1], zoom: zoom)
    }

    /// TileJSON wants three numbers where MBTiles is content with one.
    private static func version(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = { (part: Substring) in
            (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard (1...3).contains(parts.count), parts.allSatisfy(isNumber) else { return nil }
        return (parts.map(String.init) + ["0", "0"]).prefix(3).joined(separator: ".")
    }
}
