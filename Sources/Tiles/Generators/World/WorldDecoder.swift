/// Reads the lines of `WorldData`: a count, then of each line its first zoom in tenths and its kind (a byte each), the
/// count of its places, and those as steps in x and y. Counts are LEB128, steps are zigzag in LEB128.
struct WorldDecoder {
    private let bytes: [UInt8]
    private var position = 0

    /// `text` is base64 without white space.
    init(_ text: StaticString) {
        bytes = text.withUTF8Buffer(Self.decoded)
    }

    /// All lines; rings are closed by their first place.
    consuming func lines(closed: Bool) -> [WorldLine] {
        let count = unsigned()
        return (0..<count).map { _ in line(closed: closed) }
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

    /// Four characters are three bytes (RFC 4648 4).
    private static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count) = (0, 0)
        for character in text {
            guard let value = value(of: character) else { continue }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
