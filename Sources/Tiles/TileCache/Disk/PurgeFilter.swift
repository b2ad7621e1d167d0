import Foundation
import MapGeometry

/// A purge that is not done yet: until it is, what it covers is filtered out of whatever the store reads.
///
/// A tile that is kept after the purge has a higher epoch, and so is none of its business.
struct PurgeFilter: Sendable, Hashable {
    let space: SpaceKey
    let area: TileArea
    /// The last epoch whose tiles are purged. No two purges have the same.
    let epoch: Int64
    /// The tiles stay, but must be revalidated.
    let isSoft: Bool
    /// When it was asked for; seconds since 1970.
    let time: Int

    func covers(_ coordinate: TileCoordinate, epoch: Int64) -> Bool {
        epoch <= self.epoch && area.contains(coordinate)
    }

    /// The second from which on a tile that was `born` is stale by this purge, while it is second `now` by the clock as it
    /// was then. Where the wall clock was set between the two, the time of the purge is not one of the tile's.
    func end(of born: Int, now: Int) -> Int {
        born <= time ? Swift.min(time, now) : now
    }

    /// It does all that `other` does, being one of the whole layer.
    func includes(_ other: PurgeFilter) -> Bool {
        area == .everything && space == other.space && other.epoch <= epoch && (!isSoft || other.isSoft)
    }
}

extension [PurgeFilter] {
    /// What remains of a record that was kept in `epoch`. `now` says the present second by the clock as it was at another.
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

/// A layer's tiles of one fingerprint and generation.
struct SpaceKey: Sendable, Hashable {
    let namespace: StoreNamespace
    let generation: UInt32
}

extension StoreKey {
    var space: SpaceKey { SpaceKey(namespace: namespace, generation: generation) }
}

extension TileArea {
    /// Begins a set, where a box has its spans.
    private static let setMark: Character = "#"

    /// As it was `stored`; nil where that is none.
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

    /// As text, beside `zooms`.
    var stored: String {
        switch self {
        case .box(let box): box.stored
        case .set(let set): "\(Self.setMark)\(Data(set.encoded).base64EncodedString())"
        }
    }

    /// What a set has in memory.
    var storedTiles: Int {
        switch self {
        case .box: 0
        case .set(let set): set.count
        }
    }
}

extension TileBox {
    /// As it was `stored`; nil where that is none.
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

    /// The spans as text, four numbers each.
    fileprivate var stored: String {
        spans.map { "\($0.west),\($0.east),\($0.north),\($0.south)" }.joined(separator: ",")
    }

    /// The columns at each zoom, from west to east; two ranges where the box crosses the antimeridian.
    var columns: [(zoom: Int, range: ClosedRange<Int>)] {
        zip(zooms, spans).flatMap { zoom, span in
            guard span.west > span.east else { return [(zoom, span.west...span.east)] }
            return [(zoom, 0...span.east), (zoom, span.west...(1 << zoom) - 1)]
        }
    }
}

/// A part of what a purge visits in the database, where tiles are sorted by zoom, column and row.
enum PurgePart {
    /// All tiles of some columns.
    case columns(zoom: Int, ClosedRange<Int>)
    /// The tiles of a set at a zoom; not yet worked out.
    case tiles(TileSet, zoom: Int)
    /// Some tiles of a zoom.
    case squares(TileSquares)

    /// What covers `area`, in order.
    static func all(of area: TileArea) -> [PurgePart] {
        switch area {
        case .box(let box): box.columns.map { .columns(zoom: $0.zoom, $0.range) }
        case .set(let set): set.zooms.map { .tiles(set, zoom: $0) }
        }
    }
}

/// Squares of tiles of one zoom: each the tiles within one of a coarser zoom, or the same.
struct TileSquares {
    let zoom: Int
    /// How many zooms coarser.
    private let shift: Int
    /// The coarser tiles, column by column: the column in the upper half, the row in the lower.
    private let corners: [UInt64]

    fileprivate init(zoom: Int, level: Int, _ cells: [TileCell]) {
        self.zoom = zoom
        shift = zoom - level
        var corners = cells.map { UInt64($0.x) << 32 | UInt64($0.y) }
        corners.sort()
        self.corners = corners
    }

    /// The first column, and the last.
    var columns: ClosedRange<Int> {
        guard let first = corners.first, let last = corners.last else { return 0...0 }
        return column(first) << shift...(column(last) + 1) << shift - 1
    }

    /// The first tile that is not before column `x` and row `y`, column by column; nil where there is none.
    func next(from x: Int, _ y: Int) -> (x: Int, y: Int)? {
        let (column, row) = (x >> shift, y >> shift)
        let here = index(from: UInt64(column) << 32 | UInt64(row))
        if here < corners.count, self.column(corners[here]) == column {
            return (x, max(y, self.row(corners[here]) << shift))
        }
        // The next column of the same squares, or of the next ones.
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
    /// Its tiles at `zoom`, by the size of their squares.
    func squares(zoom: Int) -> [TileSquares] {
        var found: [[TileCell]] = Array(repeating: [], count: TileCoordinate.maxZoom + 1)
        for cell in cells {
            guard let range else {
                if cell.zoom == zoom { found[zoom].append(cell) }
                continue
            }
            guard range.contains(zoom) else { return [] }
            let cell = cell.ancestor(zoom: max(zoom - reach, range.lowerBound))
            // Sorted, those within one tile stand together.
            if found[cell.zoom].last != cell { found[cell.zoom].append(cell) }
        }
        return found.enumerated().filter { !$1.isEmpty }.map { TileSquares(zoom: zoom, level: $0, $1) }
    }
}
