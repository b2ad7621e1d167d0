import CLibPNG
import Glibc

/// A sample of a picture's rows, from which the compression of all rows is chosen. The rows come from the top, the
/// middle and the bottom of the picture.
struct PNGRowSample {
    private let samples: PNGSamples
    private let rows: [Int]

    /// Creates a sample of three bands. The bands have about `size` bytes together and at least four rows each. If the
    /// picture has hardly more rows, the sample has all of them.
    init(_ samples: PNGSamples, size: Int) {
        self.samples = samples
        let height = max(4, size / samples.rowBytes / 3)
        if samples.height > 4 * height {
            let gap = samples.height / 3
            let margin = (gap - height) / 2
            rows = [0, gap, 2 * gap].flatMap { top in Array((top + margin)..<(top + margin + height)) }
        } else {
            rows = Array(0..<samples.height)
        }
    }

    /// The size of the rows in bytes.
    var count: Int { rows.count * samples.rowBytes }

    /// The sampled rows as a separate picture.
    var picture: PNGSamples {
        guard rows.count < samples.height else { return samples }
        var picture = samples
        picture.bytes = rows.flatMap { samples.bytes[($0 * samples.rowBytes)..<(($0 + 1) * samples.rowBytes)] }
        picture.height = rows.count
        return picture
    }

    /// The fraction of pixels that equal the pixel before.
    private var evenness: Double {
        let differences = filtered(by: .sub)
        let (channels, length) = (samples.channels, samples.rowBytes)
        var equal = 0
        for row in rows.indices {
            let start = row * (1 + length) + 1
            for pixel in stride(from: start, to: start + length, by: channels) {
                var difference: UInt8 = 0
                for channel in 0..<channels { difference |= differences[pixel + channel] }
                if difference == 0 { equal += 1 }
            }
        }
        return Double(equal * channels) / Double(rows.count * length)
    }

    /// True if few pixels equal the pixel before. The picture is then a photograph or has shaded slopes, and is not a
    /// drawing.
    var isShaded: Bool { evenness < Self.even }

    /// The minimum fraction of pixels equal to the pixel before in a drawing.
    private static let even = 0.5

    /// Returns the rows of the sample after `filter` was applied. A filter that uses the row above gets the real row of
    /// the picture. Each row begins with the number of its filter (PNG 9.2).
    func filtered(by filter: PNGCoding.Filter) -> [UInt8] {
        let length = samples.rowBytes
        // A row of zeros above the first row, and working memory for one row.
        var nothing = [UInt8](repeating: 0, count: 2 * length)
        let count = rows.count * (1 + length)
        return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            samples.bytes.withUnsafeBufferPointer { bytes in
                nothing.withUnsafeMutableBufferPointer { nothing in
                    guard let bytes = bytes.baseAddress, let target = target.baseAddress,
                        let nothing = nothing.baseAddress
                    else { return }
                    for (place, row) in rows.enumerated() {
                        clibpng_filter_row(
                            filter.mask, bytes + row * length,
                            row == 0 ? UnsafePointer(nothing) : bytes + (row - 1) * length, length,
                            samples.channels, nothing + length, target + place * (1 + length))
                    }
                    filled = count
                }
            }
        }
    }
}

extension [UInt8] {
    /// The minimum size of the bytes in bits, if each byte value has its own code (Shannon's entropy).
    var entropy: Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in self { counts[Int(byte)] += 1 }
        return counts.reduce(0) { $1 == 0 ? $0 : $0 - Double($1) * log2(Double($1) / Double(count)) }
    }
}
