import MapGeometry

/// A set of tiles, for example from a list of expired tiles. A set may have a range of zooms. It then keeps only those
/// of the named tiles that contain no other named tile. It includes all tiles of these zooms that are a kept tile,
/// contain one or lie inside one.
///
/// The set stores only one number for each tile that it keeps. A test is a binary search.
package struct TileSet: Sendable, Hashable {
    /// The kept tiles, sorted and without duplicates. With `range`, no cell contains another.
    let cells: [TileCell]
    /// The zooms of tiles that belong to the set if they overlap one of `cells`. Nil: the set is exactly `cells`.
    let range: ClosedRange<Int>?
    /// A tile within `range` also belongs to the set if its ancestor `reach` zooms above it, or else at the first zoom
    /// of `range`, overlaps one of `cells`: the tile may be cut out of that ancestor.
    let reach: Int

    /// Maximum number of named tiles in a set.
    package static let mostTiles = 100_000

    /// Makes the set of exactly `tiles`, or nil if there are more than `mostTiles`. With `zooms`, makes the set of the
    /// tiles at these zooms that overlap one of `tiles` in which no other of them lies. Expire lists of osm2pgsql name
    /// a tile and also the coarser tiles around it, and mean the finest. `zooms` is clamped to 0…30.
    package init?(_ tiles: some Sequence<TileCoordinate>, zooms: ClosedRange<Int>? = nil) {
        self.init(cells: tiles.map { TileCell($0) }, zooms: zooms)
    }

    init?(cells: [TileCell], zooms: ClosedRange<Int>?) {
        let sorted = cells.sorted().withoutRepetition
        guard sorted.count <= Self.mostTiles else { return nil }
        guard let zooms else {
            self.init(sorted: sorted, range: nil, reach: 0)
            return
        }
        self.init(sorted: sorted.finest, range: zooms.clamped(to: 0...TileCoordinate.maxZoom), reach: 0)
    }

    init(sorted cells: [TileCell], range: ClosedRange<Int>?, reach: Int) {
        self.cells = cells
        self.range = range
        self.reach = reach
    }

    /// Number of named tiles that the set keeps.
    package var count: Int { cells.count }
    package var isEmpty: Bool { cells.isEmpty }

    /// The coarsest to the finest zoom with tiles of the set. If the set is empty, this is `range`, or 0…0 without a
    /// range.
    package var zooms: ClosedRange<Int> {
        if let range { return range }
        let zooms = cells.lazy.map(\.zoom)
        return (zooms.min() ?? 0)...(zooms.max() ?? 0)
    }

    package func contains(_ coordinate: TileCoordinate) -> Bool {
        let cell = TileCell(coordinate)
        guard let range else {
            let index = cells.firstIndex(from: cell.number)
            return index < cells.count && cells[index] == cell
        }
        guard range.contains(coordinate.z) else { return false }
        return meets(cell.ancestor(zoom: max(coordinate.z - reach, range.lowerBound)))
    }

    /// Reports whether one of `cells` lies in `cell`, or `cell` in one of them.
    private func meets(_ cell: TileCell) -> Bool {
        let index = cells.firstIndex(from: cell.first)
        if index < cells.count, cells[index].number <= cell.last || cells[index].first <= cell.number { return true }
        return index > 0 && cells[index - 1].last >= cell.number
    }

    /// Returns a set that includes these tiles and all tiles that may be made from them: tiles cut out of them up to
    /// `levels` zooms finer, and tiles one zoom coarser that are put together from four tiles.
    package func widened(by levels: Int) -> TileSet {
        let zooms = zooms
        let (first, last) = (max(zooms.lowerBound - 1, 0), min(zooms.upperBound + levels, TileCoordinate.maxZoom))
        return TileSet(
            sorted: range == nil ? cells.finest : cells, range: first...last,
            reach: min(reach + levels, TileCoordinate.maxZoom))
    }

    /// The columns and rows at zoom 30 that contain the whole set. Nil if the set is empty.
    var ground: TileBox.Span? {
        guard !cells.isEmpty else { return nil }
        // A set with a range includes the tiles above its cells.
        let coarsest = range?.lowerBound ?? TileCoordinate.maxZoom
        var (west, east, north, south) = (Int.max, 0, Int.max, 0)
        for cell in cells {
            let cell = cell.ancestor(zoom: coarsest)
            let shift = TileCoordinate.maxZoom - cell.zoom
            (west, north) = (min(west, cell.x << shift), min(north, cell.y << shift))
            (east, south) = (max(east, (cell.x + 1) << shift - 1), max(south, (cell.y + 1) << shift - 1))
        }
        return TileBox.Span(west: west, east: east, north: north, south: south)
    }

    // A set as bytes, for messages and for the disk:
    //
    //     version   1 byte, 1
    //     kind      1 byte: 0 exactly these tiles; 1 with a range, followed by 3 bytes: first zoom, last zoom, reach
    //     zooms     coarsest first, each: 1 byte zoom, the number of its tiles, and for each tile the distance on the
    //               Z-order curve from the position after the previous tile
    //
    // Numbers are LEB128: seven bits in each byte, lowest bits first. The high bit is set if more bytes follow. A
    // number takes no more bytes than necessary.

    private static let version: UInt8 = 1

    package var encoded: [UInt8] {
        var bytes: [UInt8] = [Self.version]
        if let range {
            bytes += [1, UInt8(range.lowerBound), UInt8(range.upperBound), UInt8(reach)]
        } else {
            bytes.append(0)
        }
        var indices = [[UInt64]](repeating: [], count: TileCoordinate.maxZoom + 1)
        for cell in cells { indices[cell.zoom].append(cell.index) }
        for (zoom, indices) in indices.enumerated() where !indices.isEmpty {
            bytes.append(UInt8(zoom))
            bytes.append(number: UInt64(indices.count))
            var next: UInt64 = 0
            for index in indices {
                bytes.append(number: index - next)
                next = index + 1
            }
        }
        return bytes
    }

    /// Decodes a set. Returns nil if `bytes` are not exactly the `encoded` form of a set.
    package init?(encoded bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        guard rest.popFirst() == Self.version, let kind = rest.popFirst(), kind <= 1 else { return nil }
        var range: ClosedRange<Int>?
        var reach = 0
        if kind == 1 {
            guard let first = rest.popZoom(), let last = rest.popZoom(), first <= last, let zooms = rest.popZoom()
            else { return nil }
            (range, reach) = (first...last, zooms)
        }
        var cells: [TileCell] = []
        var zoom = -1
        while !rest.isEmpty {
            guard let next = rest.popZoom(), next > zoom, let count = rest.popNumber(), count > 0,
                count <= UInt64(Self.mostTiles - cells.count)
            else { return nil }
            zoom = next
            var index: UInt64 = 0
            let end: UInt64 = 1 << UInt64(2 * zoom)
            for _ in 0..<count {
                guard let distance = rest.popNumber(), distance < end, index + distance < end else { return nil }
                index += distance
                cells.append(TileCell(zoom: zoom, index: index))
                index += 1
            }
        }
        cells.sort()
        guard range == nil || cells.finest.count == cells.count else { return nil }
        self.init(sorted: cells, range: range, reach: reach)
    }

    /// Splits the set into sets with encodings of at most `bytes`, which must be at least 64. Empty if the set is
    /// empty.
    package func chunks(ofBytes bytes: Int = 65_536) -> [TileSet] {
        guard !isEmpty else { return [] }
        guard cells.count > 1, encoded.count > bytes else { return [self] }
        let middle = cells.count / 2
        return [cells[..<middle], cells[middle...]].flatMap {
            TileSet(sorted: Array($0), range: range, reach: reach).chunks(ofBytes: bytes)
        }
    }
}

extension [TileCell] {
    /// Returns the index of the first cell with at least this number, or `count` if there is none. The cells must be
    /// sorted.
    fileprivate func firstIndex(from number: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The cells without duplicates. The cells must be sorted.
    var withoutRepetition: [TileCell] {
        var result: [TileCell] = []
        result.reserveCapacity(count)
        for cell in self where result.last != cell { result.append(cell) }
        return result
    }

    /// The cells that contain no other cell. The cells must be sorted and without duplicates.
    var finest: [TileCell] {
        indices.filter { index in
            let cell = self[index]
            if index > 0, self[index - 1].number >= cell.first { return false }
            return index + 1 == count || self[index + 1].number > cell.last
        }.map { self[$0] }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func popZoom() -> Int? {
        popFirst().flatMap { $0 <= TileCoordinate.maxZoom ? Int($0) : nil }
    }

    /// Reads a number of at most 63 bits.
    fileprivate mutating func popNumber() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return byte == 0 && shift > 0 ? nil : number }
        }
        return nil
    }
}
