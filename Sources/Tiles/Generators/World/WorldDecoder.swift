import CWorld

/// Reads a piece of `WorldData`. Each piece stands behind the count of its bytes, and begins with a count.
///
/// Of each line: its first zoom in tenths and its kind (a byte each), the count of its places, and those as steps in x and y.
/// Of each town: x and y, its first zoom in tenths, its rank and 1 for a capital (a byte each), the count of its name's bytes,
/// and those. Counts and places of towns are LEB128, steps are zigzag in LEB128.
struct WorldDecoder {
    private let bytes = UnsafeBufferPointer(start: cworld_bytes(), count: cworld_count())
    private var position = 0

    init(_ piece: WorldData) {
        for _ in 0..<piece.rawValue {
            let count = unsigned()
            position += count
        }
        _ = unsigned()
    }

    /// All lines; rings are closed by their first place.
    consuming func lines(closed: Bool) -> [WorldLine] {
        let count = unsigned()
        return (0..<count).map { _ in line(closed: closed) }
    }

    /// All towns.
    consuming func towns() -> [WorldTown] {
        let count = unsigned()
        return (0..<count).map { _ in
            WorldTown(
                x: Double(unsigned()), y: Double(unsigned()), firstZoom: Double(byte()) / 10, rank: Int(byte()),
                isCapital: byte() == 1, name: text())
        }
    }

    private mutating func line(closed: Bool) -> WorldLine {
        let firstZoom = Double(byte()) / 10
        let kind = byte()
        let count = unsigned()
        var (x, y) = (0, 0)
        var places: [WorldLine.Place] = []
        places.reserveCapacity(count + 1)
        for _ in 0..<count {
            x += signed()
            y += signed()
            places.append(WorldLine.Place(x: Int32(truncatingIfNeeded: x), y: Int32(truncatingIfNeeded: y)))
        }
        if closed, let first = places.first { places.append(first) }
        return WorldLine(places: places, firstZoom: firstZoom, isDisputed: kind == 1)
    }

    private mutating func byte() -> UInt8 {
        precondition(position < bytes.count, "scripts/make-world wrote fewer bytes than it said")
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func unsigned() -> Int {
        var (number, shift) = (0, 0)
        while true {
            let next = Int(byte())
            number |= (next & 127) << shift
            if next < 128 { return number }
            shift += 7
        }
    }

    private mutating func signed() -> Int {
        let number = unsigned()
        return number & 1 == 0 ? number >> 1 : -(number >> 1) - 1
    }

    private mutating func text() -> String {
        let count = unsigned()
        return String(decoding: (0..<count).map { _ in byte() }, as: UTF8.self)
    }
}
