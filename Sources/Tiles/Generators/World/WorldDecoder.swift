import CWorld
import MapGeometry

/// Decodes one piece of the map's file, for example all lakes. The pieces are stored one after the other. A piece
/// begins with its size in bytes. Then follow the number of its elements and the elements:
///
/// - A line has its first zoom in tenths (one byte), its kind (one byte, 1 for a disputed boundary) and the number of
///   its points. Then follow, for each point, the steps in x and y from the point before.
/// - A town has x, y, its first zoom in tenths (one byte), its rank (one byte) and 1 for a capital (one byte). Then
///   follow the size of its name in bytes and the name.
///
/// - In the piece of the countries, the number of languages and their codes stand before the number of countries. A
///   country has x and y of its name, its width and height there, and its name in each language. If a name is empty,
///   the name in the first language is used.
///
/// Steps are zigzag numbers in LEB128. All other numbers without "one byte" are LEB128 without a sign.
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

    /// Decodes all lines of this piece. If `closed` is true, each line is a ring, and its first place is repeated at
    /// its end.
    consuming func lines(closed: Bool) -> [WorldLine] {
        let count = unsigned()
        return (0..<count).map { _ in line(closed: closed) }
    }

    /// Decodes all towns of this piece.
    consuming func towns() -> [WorldTown] {
        let count = unsigned()
        return (0..<count).map { _ in
            WorldTown(
                place: place(), firstZoom: Double(byte()) / 10, rank: Int(byte()), isCapital: byte() == 1,
                name: text())
        }
    }

    /// Decodes the countries with their names in `language`, or in the first language of the file if `language` is not
    /// in the file.
    consuming func countries(language: String) -> [WorldCountry] {
        let languages = languages()
        let wanted = languages.firstIndex(of: language) ?? 0
        let count = unsigned()
        return (0..<count).map { _ in
            let place = place()
            let (width, height) = (Double(unsigned()) / Self.grid, Double(unsigned()) / Self.grid)
            let names = languages.map { _ in text() }
            return WorldCountry(
                place: place, width: width, height: height, name: names[wanted].isEmpty ? names[0] : names[wanted])
        }
    }

    /// Decodes the codes of the languages in which countries have names.
    mutating func languages() -> [String] {
        let count = unsigned()
        return (0..<count).map { _ in text() }
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
            places.append(
                WorldLine.Place(
                    x: Int32(truncatingIfNeeded: x * WorldData.fineness),
                    y: Int32(truncatingIfNeeded: y * WorldData.fineness)))
        }
        if closed, let first = places.first { places.append(first) }
        return WorldLine(places: places, firstZoom: firstZoom, isDisputed: kind == 1)
    }

    private mutating func place() -> WorldPoint {
        let x = unsigned()
        return WorldPoint(x: Double(x) / Self.grid, y: Double(unsigned()) / Self.grid)
    }

    /// Side of the world in the units of the file.
    private static let grid = Double(WorldData.grid / WorldData.fineness)

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
