extension Pixmap {
    /// Whether every alpha is 255. Costs a look at the pixels up to the first that is not: some 10 µs for 256 × 256.
    public var isOpaque: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areFull($0) }
    }

    /// Whether every alpha is 0. Costs a look at the pixels up to the first that is not: some 10 µs for 256 × 256.
    public var isTransparent: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areZero($0) }
    }
}

/// What the alphas of pixels of four bytes have in common.
enum PixelAlphas {
    /// How many bytes are looked at between two decisions; so many fit in a few registers.
    private static let step = 64

    static func areFull(_ pixels: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + step <= pixels.count {
            let some = pixels.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt32>.self)
            guard (some.lowHalf & some.highHalf).intersection &>> 24 == 255 else { return false }
            offset += step
        }
        return stride(from: offset + 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
    }

    static func areZero(_ pixels: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + step <= pixels.count {
            let some = pixels.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt32>.self)
            guard (some.lowHalf | some.highHalf).union &>> 24 == 0 else { return false }
            offset += step
        }
        return stride(from: offset + 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 0 }
    }
}

extension SIMD8<UInt32> {
    /// The bits that all lanes have. On little-endian machines the highest eight are alpha's.
    @inline(__always)
    fileprivate var intersection: UInt32 {
        let four = lowHalf & highHalf
        let two = four.lowHalf & four.highHalf
        return two.x & two.y
    }

    /// The bits that any lane has.
    @inline(__always)
    fileprivate var union: UInt32 {
        let four = lowHalf | highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
    }
}
