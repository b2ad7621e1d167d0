import Foundation
import MapGeometry

/// A purge that has not yet visited all its tiles in the database. Until then, each read applies the purge to the tile
/// that it finds.
///
/// A tile that is stored after the purge has a later epoch, so the purge does not cover that tile.
struct PurgeFilter: Sendable, Hashable {
    let space: SpaceKey
    let area: TileArea
    /// Tiles up to this epoch are purged. Each purge has its own epoch.
    let epoch: Int64
    /// True if the tiles stay but become stale.
    let isSoft: Bool
    /// Time of the request in seconds since 1970.
    let time: Int

    func covers(_ coordinate: TileCoordinate, epoch: Int64) -> Bool {
        epoch <= self.epoch && area.contains(coordinate)
    }

    /// The second from which the purge makes a tile stale. `born` is the tile's time, and `now` is the present second
    /// by the clock setting of that time. If the wall clock was set in between, `time` cannot be compared with `born`.
    func end(of born: Int, now: Int) -> Int {
        born <= time ? Swift.min(time, now) : now
    }

    /// Reports whether this purge makes `other` unnecessary: it covers the whole space, is not older and is at least as
    /// strict.
    func includes(_ other: PurgeFilter) -> Bool {
        area == .everything && space == other.space && other.epoch <= epoch && (!isSoft || other.isSoft)
    }
}

extension [PurgeFilter] {
    /// Returns a record of `epoch` after these purges, or nil if a purge removes it. `now` returns the present second
    /// by the clock setting that was valid at `born`.
    func applied(
        to record: TileRecord, at coordinate: TileCoordinate, epoch: Int64, now: (_ born: Int) -> Int
    ) -> TileRecord? {
        var record = record
        for filter in self where filter.covers(coordinate, epoch: epoch) {
            guard filter.isSoft else { return nil }
            record = record.expired(at: filter.end(of: record.born, now: now(record.born)))
        }
        return record
    }
}

/// The tiles of a layer with one fingerprint and one generation.
struct SpaceKey: Sendable, Hashable {
    let namespace: StoreNamespace
    let generation: UInt32
}

extension StoreKey {
    var space: SpaceKey { SpaceKey(namespace: namespace, generation: generation) }
}

extension TileArea {
    /// The first character of a set. A box begins with the number of a span.
    private static let setMark: Character = "#"

    /// Parses the text of `stored`. Returns nil if the text is invalid.
    init?(from low: Int64, to high: Int64, stored: String) {
        guard stored.first == Self.setMark else {
            guard let box = TileBox(from: low, to: high, stored: stored) else { return nil }
            self = .box(box)
            return
        }
        guard let bytes = Data(base64Encoded: String(stored.dropFirst())), let set = TileSet(encoded: bytes) else {
            return nil
        }
        self = .set(set)
    }

    /// The text form of the area. The text of a box does not contain its zooms.
    var stored: String {
        switch self {
        case .box(let box): box.stored
        case .set(let set): "\(Self.setMark)\(Data(set.encoded).base64EncodedString())"
        }
    }

    /// Number of tiles that a set keeps in memory. Zero for a box.
    var storedTiles: Int {
        switch self {
        case .box: 0
        case .set(let set): set.count
        }
    }
}

extension TileBox {
    /// Parses a box from the text that `stored` made. Returns nil if the text is invalid.
    fileprivate init?(from low: Int64, to high: Int64, stored: String) {
        let numbers = stored.split(separator: ",").compactMap { UInt32($0).map(Int.init) }
        guard low >= 0, low <= high, high <= Int64(TileCoordinate.maxZoom), numbers.count == Int(high - low + 1) * 4
        else { return nil }
        self.init(
            zooms: Int(low)...Int(high),
            spans: stride(from: 0, to: numbers.count, by: 4).map { start in
                Span(
                    west: numbers[start], east: numbers[start + 1], north: numbers[start + 2],
                    south: numbers[start + 3])
            })
    }

    /// The spans as text, with four numbers each.
    fileprivate var stored: String {
        spans.map { "\($0.west),\($0.east),\($0.north),\($0.south)" }.joined(separator: ",")
    }

    /// The columns at each zoom in ascending order. A box across the antimeridian may have two ranges at a zoom.
    var columns: [(zoom: Int, range: ClosedRange<Int>)] {
        zip(zooms, spans).flatMap { zoom, span in
            guard span.west > span.east else { return [(zoom, span.west...span.east)] }
            return [(zoom, 0...span.east), (zoom, span.west...(1 << zoom) - 1)]
        }
    }
}

/// A part of a purge's area that is visited in the order of the database. The database sorts tiles by zoom, column and
/// row.
enum PurgePart {
    /// The tiles of some columns.
    case columns(zoom: Int, ClosedRange<Int>)
    /// The tiles of a set at one zoom, before their squares are computed.
    case tiles(TileSet, zoom: Int)
    /// The tiles of some squares of one zoom.
    case squares(TileSquares)

    /// Returns the parts of `area` in order.
    static func all(of area: TileArea) -> [PurgePart] {
        switch area {
        case .box(let box): box.columns.map { .columns(zoom: $0.zoom, $0.range) }
        case .set(let set): set.zooms.map { .tiles(set, zoom: $0) }
        }
    }
}

/// Squares of tiles at one zoom. A square is one tile, or all tiles of this zoom inside one tile of a coarser zoom.
struct TileSquares {
    let zoom: Int
    /// Difference between `zoom` and the coarser zoom.
    private let shift: Int
    /// The coarser tiles in column order: the column in the upper half of the number, the row in the lower half.
    private let corners: [UInt64]

    fileprivate init(zoom: Int, level: Int, _ cells: [TileCell]) {
        self.zoom = zoom
        shift = zoom - level
        var corners = cells.map { UInt64($0.x) << 32 | UInt64($0.y) }
        corners.sort()
        self.corners = corners
    }

    /// The first and the last column.
    var columns: ClosedRange<Int> {
        guard let first = corners.first, let last = corners.last else { return 0...0 }
        return column(first) << shift...(column(last) + 1) << shift - 1
    }

    /// Returns the first tile of the squares, beginning the search at column `x` and row `y`. Tiles are ordered by
    /// column, then by row. Returns nil if no tile follows.
    func next(from x: Int, _ y: Int) -> (x: Int, y: Int)? {
        let (column, row) = (x >> shift, y >> shift)
        let here = index(from: UInt64(column) << 32 | UInt64(row))
        if here < corners.count, self.column(corners[here]) == column {
            return (x, max(y, self.row(corners[here]) << shift))
        }
        // Continue with the next column of the same squares, or with the next squares.
        let start = (x + 1) >> shift == column ? column : column + 1
        let index = index(from: UInt64(start) << 32)
        guard index < corners.count else { return nil }
        let found = self.column(corners[index])
        return (found == column ? x + 1 : found << shift, self.row(corners[index]) << shift)
    }

    private func column(_ corner: UInt64) -> Int { Int(corner >> 32) }
    private func row(_ corner: UInt64) -> Int { Int(corner & 0xFFFF_FFFF) }

    private func index(from corner: UInt64) -> Int {
        var (low, high) = (0, corners.count)
        while low < high {
            let middle = (low + high) / 2
            if corners[middle] < corner { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TileSet {
    /// Returns the tiles of the set at `zoom`, grouped by the size of their squares.
    func squares(zoom: Int) -> [TileSquares] {
        var found: [[TileCell]] = Array(repeating: [], count: TileCoordinate.maxZoom + 1)
        for cell in cells {
            guard let range else {
                if cell.zoom == zoom { found[zoom].append(cell) }
                continue
            }
            guard range.contains(zoom) else { return [] }
            let cell = cell.ancestor(zoom: max(zoom - reach, range.lowerBound))
            // Cells within one coarser tile stand together, because the cells are sorted.
            if found[cell.zoom].last != cell { found[cell.zoom].append(cell) }
        }
        return found.enumerated().filter { !$1.isEmpty }.map { TileSquares(zoom: zoom, level: $0, $1) }
    }
}
