import CLibPNG

@testable import Raster

/// Writes PNGs of any kind without libpng's encoder. The data is not compressed, and the rows are not filtered.
struct PNGWriter {
    var width: Int
    var height: Int
    /// The bit depth and the colour type of IHDR (PNG 11.2.1).
    var depth: Int
    var type: Int
    var interlaced = false
    var palette: [UInt8] = []
    /// The bytes of the tRNS chunk.
    var transparency: [UInt8]?
    /// Extra bytes after the last row, inside the compressed stream.
    var surplus: [UInt8] = []
    /// Number of rows that are left out at the end.
    var missingRows = 0
    var otherChunks: [UInt8] = []

    /// All colour types with all of their depths.
    static let kinds: [(type: Int, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 1 }

    /// Returns a PNG. `sample(x, y, c)` is the sample of channel c at (x, y), below 2 to the power of `depth`.
    func bytes(_ sample: (Int, Int, Int) -> Int) -> [UInt8] {
        var rows: [[UInt8]] = []
        for pass in interlaced ? Self.passes : [(0, 0, 1, 1)] {
            let columns = Array(stride(from: pass.0, to: width, by: pass.2))
            guard !columns.isEmpty else { continue }
            for y in stride(from: pass.1, to: height, by: pass.3) {
                rows.append([0] + row(columns.flatMap { x in (0..<channels).map { sample(x, y, $0) } }))
            }
        }
        let data = rows.dropLast(missingRows).flatMap { $0 } + surplus
        var image = PNGHeaderParser.signature + header + otherChunks
        if !palette.isEmpty { image += ImageSamples.chunk("PLTE", palette) }
        if let transparency { image += ImageSamples.chunk("tRNS", transparency) }
        image += ImageSamples.chunk("IDAT", Self.stored(data))
        return image + ImageSamples.chunk("IEND", [])
    }

    /// The passes of Adam7 (PNG 8.2): first column, first row, step between columns, step between rows.
    private static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    private var header: [UInt8] {
        let plain = ImageSamples.header(width: width, height: height, depth: UInt8(depth), type: UInt8(type))
        return interlaced ? ImageSamples.chunk("IHDR", Array(plain[8..<20]) + [1]) : plain
    }

    private func row(_ samples: [Int]) -> [UInt8] {
        guard depth < 8 else {
            return samples.flatMap { depth == 16 ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] }
        }
        var bytes = [UInt8](repeating: 0, count: (samples.count * depth + 7) / 8)
        for (place, sample) in samples.enumerated() {
            let bit = place * depth
            bytes[bit / 8] |= UInt8(sample << (8 - depth - bit % 8))
        }
        return bytes
    }

    /// Returns `data` as a zlib stream of stored blocks (RFC 1950 2.2, RFC 1951 3.2.4).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, through: max(0, data.count - 1), by: 65_535) {
            let block = data[start..<min(start + 65_535, data.count)]
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            stream += [start + 65_535 >= data.count ? 1 : 0, low, high, ~low, ~high] + block
        }
        var (first, second) = (1, 0)
        for byte in data {
            first = (first + Int(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return stream + [second >> 8, second & 255, first >> 8, first & 255].map { UInt8($0) }
    }
}
