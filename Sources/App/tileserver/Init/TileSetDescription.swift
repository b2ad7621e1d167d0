import Foundation

/// Reads properties of a tile directory from files in the directory. These files are `metadata.json`, which MBTiles
/// tools write, and `tilemapresource.xml` of the Tile Map Service.
struct TileSetDescription {
    private(set) var name: String?
    private(set) var attribution: String?
    /// The box of the tiles.
    private(set) var box: Box?
    /// True if rows are counted from the south.
    private(set) var isTMS = false
    /// True if the files tell how rows are counted, or have a box.
    private(set) var tellsRows = false

    /// Maximum size of such a file in bytes.
    private static let mostBytes = 1 << 20

    init(in directory: String) {
        if let resource = Self.text("\(directory)/tilemapresource.xml") { read(resource) }
        if let text = Self.text("\(directory)/metadata.json"), let members = JSONMembers(Array(text.utf8)) {
            read(members)
        }
    }

    private static func text(_ path: String) -> String? {
        contents(of: path, limit: mostBytes).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private mutating func read(_ members: JSONMembers) {
        name = members.string("name")
        attribution = members.string("attribution")
        if let scheme = members.string("scheme") { (isTMS, tellsRows) = (scheme == "tms", true) }
        let numbers =
            members.string("bounds")?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
            ?? members.numbers("bounds") ?? []
        take(numbers)
    }

    /// Reads `tilemapresource.xml`. A Tile Map Service counts rows from the south, but tools that count from the north
    /// write this file too. So the box of the file takes precedence.
    private mutating func read(_ resource: String) {
        guard resource.contains("<TileMap") else { return }
        (isTMS, tellsRows) = (true, true)
        guard let element = resource.firstMatch(of: /<BoundingBox\b([^>]*)>/) else { return }
        let numbers = ["minx", "miny", "maxx", "maxy"].compactMap { name -> Double? in
            guard let value = element.1.firstRange(of: "\(name)=\"") else { return nil }
            return Double(element.1[value.upperBound...].prefix { $0 != "\"" })
        }
        take(numbers)
    }

    private mutating func take(_ numbers: [Double]) {
        // The box must be in degrees, not in metres.
        guard numbers.count == 4, numbers[0] < numbers[2], numbers[1] < numbers[3],
            numbers.allSatisfy({ abs($0) <= 180 }), abs(numbers[1]) <= 90, abs(numbers[3]) <= 90
        else { return }
        box = Box(numbers)
        tellsRows = true
    }
}
