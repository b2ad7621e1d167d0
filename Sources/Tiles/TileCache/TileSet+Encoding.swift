import MapGeometry

/// A set as bytes, for messages and for the disk:
///
///     version   1 byte, 1
///     kind      1 byte: 0 exactly these tiles; 1 with a range, then 3 bytes: first zoom, last zoom, reach
///     zooms     the coarsest first, each: 1 byte zoom, the number of its tiles, and for each tile how far its place on the
///               Z-order curve is from the one behind the tile before
///
/// Numbers are LEB128: seven bits a byte, the lowest first, the high bit where more follow, no byte more than needed.
extension TileSet {
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

    /// Nil where `bytes` are not exactly what `encoded` gives for a set.
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

    /// Sets that mean the same together, the encoding of each of which takes `bytes` at most, 64 or more; none where this is empty.
    package func chunks(ofBytes bytes: Int = 65_536) -> [TileSet] {
        guard !isEmpty else { return [] }
        guard cells.count > 1, encoded.count > bytes else { return [self] }
        let middle = cells.count / 2
        return [cells[..<middle], cells[middle...]].flatMap {
            TileSet(sorted: Array($0), range: range, reach: reach).chunks(ofBytes: bytes)
        }
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

    /// At most 63 bits.
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
