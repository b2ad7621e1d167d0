import Foundation
import GRDB
import MapGeometry

/// A table or an index of a disk store's database. `DiskCheck` reads the table or index from the first row to the last
/// row.
enum DiskCheckTable {
    case tiles
    /// The index that sorts tiles by their last access time. When the store is full, a trim removes old tiles, and
    /// finds them in this index.
    case accessTimes
    case images
    /// The number of uses of each image.
    case counts

    var name: String {
        switch self {
        case .tiles: "tile"
        case .accessTimes: "tile (index tile_accessed)"
        case .images: "body"
        case .counts: "content"
        }
    }

    /// A key before every row's key.
    var start: [Int64] {
        switch self {
        case .tiles: [Int64](repeating: .min, count: 6)
        case .accessTimes: [Int64](repeating: .min, count: 7)
        case .images: [.min]
        case .counts: [Int64](repeating: .min, count: 3)
        }
    }

    /// Selects the greatest key.
    var lastKey: String {
        let (columns, table): ([String], String) =
            switch self {
            case .tiles: (Self.tileKey, "tile")
            case .accessTimes: (["accessed"] + Self.tileKey, "tile INDEXED BY tile_accessed")
            case .images: (["id"], "body")
            case .counts: (["high", "low", "body"], "content")
            }
        let order = columns.map { "\($0) DESC" }.joined(separator: ", ")
        return "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY \(order) LIMIT 1"
    }

    /// The SQL query for the rows after a given key, in ascending order of their keys. The arguments of the query are
    /// the columns of the given key. The first columns of each result row are the key of this row.
    var selection: String {
        switch self {
        case .tiles: Self.tileSelection
        case .accessTimes:
            """
            SELECT used.accessed, used.space, used.z, used.x, used.y, used.scale, used.format, tile.accessed \
            FROM tile AS used INDEXED BY tile_accessed LEFT JOIN tile ON \(Self.same("tile", "used")) \
            WHERE (used.accessed, used.space, used.z, used.x, used.y, used.scale, used.format) > (?, ?, ?, ?, ?, ?, ?) \
            ORDER BY used.accessed, used.space, used.z, used.x, used.y, used.scale, used.format
            """
        case .images: "SELECT id, bytes FROM body WHERE id > ? ORDER BY id"
        case .counts:
            """
            SELECT high, low, body, uses, body.id FROM content LEFT JOIN body ON body.id = content.body \
            WHERE (high, low, body) > (?, ?, ?) ORDER BY high, low, body
            """
        }
    }

    private static let tileSelection = """
        SELECT tile.space, tile.z, tile.x, tile.y, tile.scale, tile.format, \(TileRow.selection("tile")), \
        content.uses, length(body.bytes), (SELECT used.accessed FROM tile AS used INDEXED BY tile_accessed \
        WHERE used.accessed = tile.accessed AND \(same("used", "tile"))) \
        FROM tile LEFT JOIN content ON content.high = tile.high AND content.low = tile.low \
        AND content.body = tile.body LEFT JOIN body ON body.id = tile.body \
        WHERE (tile.space, tile.z, tile.x, tile.y, tile.scale, tile.format) > (?, ?, ?, ?, ?, ?) \
        ORDER BY tile.space, tile.z, tile.x, tile.y, tile.scale, tile.format
        """

    private static let tileKey = ["space", "z", "x", "y", "scale", "format"]

    private static func same(_ one: String, _ other: String) -> String {
        tileKey.map { "\(one).\($0) = \(other).\($0)" }.joined(separator: " AND ")
    }
}

/// Counts the uses of images, and keeps a checksum of these uses. Each tile that refers to an image is a use of the
/// image. The checksum does not depend on the order of the uses. `DiskCheck` can therefore compare the uses in two
/// tables without a list of images.
struct ImageUses: Equatable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    /// Adds `uses` uses of the image with the number `body`. If `uses` is negative, removes uses.
    mutating func add(_ uses: Int64, of body: Int64) {
        count &+= Int(uses)
        // A mixer of SplitMix64 (Steele, Lea, Flood 2014).
        var mixed = UInt64(bitPattern: body) &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        sum &+= (mixed ^ mixed >> 31) &* UInt64(bitPattern: uses)
    }
}

extension DiskCheck {
    func visit(_ row: Row, of table: DiskCheckTable, in db: Database) throws {
        switch table {
        case .tiles: try visitTile(row, in: db)
        case .accessTimes:
            if row.number(7) != row.number(0) {
                fault(
                    "The index of access times has an entry for the tile \(place(row, from: 1)), but the table `tile` "
                        + "has no such entry.")
            }
        case .images: try visitImage(row, in: db)
        case .counts:
            let (body, count) = (row.number(2) ?? 0, row.number(3) ?? 0)
            uses.add(0 &- count, of: body)
            if row.number(4) == nil {
                fault("The table `content` has the image \(body), but the table `body` does not.")
            }
            if count < 1 {
                fault("The table `content` says that the image \(body) has \(count) uses, expected at least 1.")
            }
        }
    }

    private func visitTile(_ row: Row, in db: Database) throws {
        let columns = 6 + TileRow.columns.count
        guard let id = row.number(0) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        let size = min(max(row.number(6 + 12) ?? 0, 0), 1 << 32)
        summary.usage += StoreUsage(entries: 1, bytes: Int(size))
        found[id, default: StoreUsage()] += StoreUsage(entries: 1, bytes: Int(size))
        largestImage = max(largestImage, Int(size))
        guard let space = try space(id, in: db) else {
            return fault("The tile \(place(row, from: 0)) belongs to no layer: the table `space` has no row \(id).")
        }
        let name = "The tile \(place(row, from: 0)) of \(Self.name(space))"
        if row.number(columns + 2) == nil { fault("\(name) is not in the index of access times.") }
        guard let key = key(of: row, space.key), let tile = TileRow(row, from: 6), tile.isIntact(under: key) else {
            // The uses of the image are still counted.
            if let body = row.number(6 + 15) { uses.add(1, of: body) }
            return fault("\(name) has a wrong checksum.")
        }
        guard let image = tile.image else { return }
        uses.add(1, of: image.body)
        if row.number(columns + 1) != image.size {
            fault("\(name) has no image in the table `body`: expected \(image.size) bytes.")
        }
        if row.number(columns) == nil {
            fault("\(name) has an image, but the table `content` has no row for this image.")
        }
    }

    private func key(of row: Row, _ space: SpaceKey) -> StoreKey? {
        let numbers = (1..<6).compactMap { row.number($0) }
        guard numbers.count == 5, numbers[4] == StoreKey.format, let scale = UInt8(exactly: numbers[3]),
            let coordinate = TileCoordinate(z: Int(numbers[0]), x: Int(numbers[1]), y: Int(numbers[2]))
        else { return nil }
        return StoreKey(namespace: space.namespace, generation: space.generation, coordinate: coordinate, scale: scale)
    }

    private func visitImage(_ row: Row, in db: Database) throws {
        let id = row.number(0) ?? 0
        summary.images += 1
        let hash = try row.withUnsafeData(atIndex: 1) { data in
            data.map { $0.withUnsafeBytes { ContentHash(of: $0) } }
        }
        guard let hash else { return fault("The image \(id) in the table `body` is empty.") }
        let count = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT uses FROM content WHERE high = ? AND low = ? AND body = ?"),
            arguments: [hash.storedHigh, hash.storedLow, id])
        if count == nil {
            fault(
                "The image \(id) in the table `body` is damaged or belongs to no tile: the table `content` has no row "
                    + "with its number and its hash.")
        }
    }

    // MARK: Words

    private func place(_ row: Row, from start: Int) -> String {
        (1...3).map { row.number(start + $0).map(String.init) ?? "?" }.joined(separator: "/")
    }

    static func name(_ space: StoreIndex.Space) -> String {
        // The name may be damaged.
        "layer "
            + String(space.key.namespace.layer.unicodeScalars.filter { $0.value > 0x1F && $0.value != 0x7F }.prefix(64))
    }

    func counted(_ usage: StoreUsage) -> String {
        "\(usage.entries) \(usage.entries == 1 ? "tile" : "tiles") (\(usage.bytes) bytes)"
    }
}
