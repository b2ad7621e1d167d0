import Raster
import Testing

/// Reads stored entries by the central directory, and compares it with the headers of the entries.
struct ZipReader {
    struct Entry {
        let name: String
        let content: [UInt8]
    }

    let hasZIP64: Bool
    private let bytes: [UInt8]
    private let count: Int
    private let start: Int

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        let end = bytes.count - 22
        try #require(Self.number(bytes, end, 4) == 0x0605_4B50)
        hasZIP64 = Self.number(bytes, end - 20, 4) == 0x0706_4B50
        guard hasZIP64 else {
            count = Self.number(bytes, end + 10, 2)
            start = Self.number(bytes, end + 16, 4)
            return
        }
        let record = Self.number(bytes, end - 12, 8)
        try #require(Self.number(bytes, record, 4) == 0x0606_4B50)
        try #require(Self.number(bytes, end + 10, 2) == 0xFFFF)
        count = Self.number(bytes, record + 32, 8)
        start = Self.number(bytes, record + 48, 8)
    }

    func entries() throws -> [Entry] {
        var (entries, position) = ([Entry](), start)
        for _ in 0..<count {
            try #require(number(position, 4) == 0x0201_4B50)
            let (size, length) = (number(position + 20, 4), number(position + 28, 2))
            let name = Array(bytes[(position + 46)..<(position + 46 + length)])
            let header = number(position + 42, 4)
            try #require(number(header, 4) == 0x0403_4B50)
            let content = header + 30 + length
            try #require(Array(bytes[(header + 30)..<content]) == name)
            // Version, method, time, checksum and sizes are equal in both headers.
            try #require(Array(bytes[(header + 4)..<(header + 28)]) == Array(bytes[(position + 6)..<(position + 30)]))
            let data = Array(bytes[content..<(content + size)])
            try #require(Int(data.withUnsafeBytes { CRC32.of($0) }) == number(position + 16, 4))
            entries.append(Entry(name: String(decoding: name, as: UTF8.self), content: data))
            position += 46 + length + number(position + 30, 2)
        }
        return entries
    }

    private func number(_ offset: Int, _ count: Int) -> Int { Self.number(bytes, offset, count) }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        guard offset >= 0, offset + count <= bytes.count else { return -1 }
        return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
