import MapGeometry

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
