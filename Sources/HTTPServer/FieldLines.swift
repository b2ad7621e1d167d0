import Bytes

/// Complete field lines, each with its CRLF, in the making.
public struct FieldLines {
    private var bytes: [UInt8] = []

    public init() {
        bytes.reserveCapacity(256)
    }

    /// `fields` as lines.
    public static func make(_ fields: [(name: String, value: String)]) -> SharedBytes {
        var lines = FieldLines()
        for field in fields { lines.add(field.name, field.value) }
        return lines.shared
    }

    /// What was added so far.
    public var shared: SharedBytes {
        bytes.withUnsafeBytes { SharedBytes($0) }
    }

    /// Adds a line. A byte of `value` that could end it becomes a space, so that no value forges a field (docs/spec/threats.md T19).
    public mutating func add(_ name: String, _ value: String) {
        bytes += name.utf8
        bytes += Self.separator
        let start = bytes.count
        bytes += value.utf8
        for place in start..<bytes.count where bytes[place] < 0x20 || bytes[place] == 0x7F {
            if bytes[place] != ASCII.tab { bytes[place] = ASCII.space }
        }
        bytes += Self.end
    }

    private static let separator: [UInt8] = [UInt8(ascii: ":"), ASCII.space]
    private static let end: [UInt8] = [ASCII.cr, ASCII.lf]
}
