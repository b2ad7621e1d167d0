import Glibc

/// Some rows of a picture, from which to tell how to compress all of it: three bands from top, middle and bottom.
struct PNGRowSample {
    private let samples: PNGSamples
    private let rows: [Int]

    /// Bands of `size` bytes together and of at least four rows each; all rows where those are hardly more.
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

    /// Bytes of the rows.
    var count: Int { rows.count * samples.rowBytes }

    /// The rows as a picture of their own.
    var picture: PNGSamples {
        guard rows.count < samples.height else { return samples }
        var picture = samples
        picture.bytes = rows.flatMap { samples.bytes[($0 * samples.rowBytes)..<(($0 + 1) * samples.rowBytes)] }
        picture.height = rows.count
        return picture
    }

    /// The share of pixels that equal the one before.
    var evenness: Double {
        let differences = filtered(by: .sub)
        let channels = samples.channels
        var equal = 0
        for pixel in stride(from: 0, to: differences.count, by: channels) {
            var difference: UInt8 = 0
            for channel in 0..<channels { difference |= differences[pixel + channel] }
            if difference == 0 { equal += 1 }
        }
        return Double(equal * channels) / Double(differences.count)
    }

    /// The bytes that `filter` makes of the rows (PNG 9.2).
    func filtered(by filter: PNGCoding.Filter) -> [UInt8] {
        let (length, channels) = (samples.rowBytes, samples.channels)
        let nothing = [UInt8](repeating: 0, count: length)
        return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            samples.bytes.withUnsafeBufferPointer { bytes in
                nothing.withUnsafeBufferPointer { nothing in
                    for (place, row) in rows.enumerated() {
                        let start = row * length
                        filter.apply(
                            to: UnsafeBufferPointer(rebasing: bytes[start..<(start + length)]),
                            above: row == 0 ? nothing : UnsafeBufferPointer(rebasing: bytes[(start - length)..<start]),
                            channels: channels,
                            into: UnsafeMutableBufferPointer(
                                rebasing: target[(place * length)..<((place + 1) * length)]))
                    }
                }
            }
            filled = count
        }
    }
}

extension PNGCoding.Filter {
    /// Writes what this filter, which is not adaptive, makes of `row`; all three are equally long.
    fileprivate func apply(
        to row: UnsafeBufferPointer<UInt8>, above: UnsafeBufferPointer<UInt8>, channels: Int,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) {
        for place in row.indices {
            let left = place < channels ? 0 : row[place - channels]
            switch self {
            case .none, .adaptive: target[place] = row[place]
            case .sub: target[place] = row[place] &- left
            case .up: target[place] = row[place] &- above[place]
            case .average: target[place] = row[place] &- UInt8((Int(left) + Int(above[place])) / 2)
            case .paeth:
                let corner = place < channels ? 0 : above[place - channels]
                target[place] = row[place] &- Self.paeth(Int(left), Int(above[place]), Int(corner))
            }
        }
    }

    /// Of the three neighbours the one nearest to left + above - corner (PNG 9.4).
    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let toLeft = abs(above - corner)
        let toAbove = abs(left - corner)
        let toCorner = abs(left + above - 2 * corner)
        if toLeft <= toAbove, toLeft <= toCorner { return UInt8(left) }
        return UInt8(toAbove <= toCorner ? above : corner)
    }
}

extension [UInt8] {
    /// The fewest bits that a code for single bytes needs for all of them (Shannon's entropy).
    var entropy: Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in self { counts[Int(byte)] += 1 }
        return counts.reduce(0) { $1 == 0 ? $0 : $0 - Double($1) * log2(Double($1) / Double(count)) }
    }
}
