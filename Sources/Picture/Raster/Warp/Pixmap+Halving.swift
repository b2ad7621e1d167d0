extension Pixmap {
    /// The picture at half its size, of which both sides are even: each pixel is the average of four, weighted by their
    /// alpha.
    func halved() -> Pixmap {
        var result = Pixmap(width: width / 2, height: height / 2)
        bytes.withUnsafeBytes { source in
            result.bytes.withUnsafeMutableBytes { target in
                for row in 0..<result.height {
                    let upper = row * 2 * width * 4
                    for column in 0..<result.width {
                        let place = upper + column * 8
                        let four = SIMD4(
                            source.loadUnaligned(fromByteOffset: place, as: UInt32.self),
                            source.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                            source.loadUnaligned(fromByteOffset: place + width * 4, as: UInt32.self),
                            source.loadUnaligned(fromByteOffset: place + width * 4 + 4, as: UInt32.self))
                        let pixel = Self.average(four)
                        target.storeBytes(
                            of: pixel, toByteOffset: (row * result.width + column) * 4, as: UInt32.self)
                    }
                }
            }
        }
        return result
    }

    /// Of four pixels with straight alpha, each a little-endian number of its four bytes; halves are rounded up.
    @inline(__always)
    private static func average(_ four: SIMD4<UInt32>) -> UInt32 {
        let alphas = four &>> 24
        let weight = alphas.wrappedSum()
        if weight == 0 { return 0 }
        func mean(_ shift: UInt32) -> UInt32 {
            let channel = four &>> shift & 255
            // Of opaque pixels, which nearly all are, no division is needed.
            if weight == 4 * 255 { return (channel.wrappedSum() + 2) / 4 }
            return ((channel &* alphas).wrappedSum() + weight / 2) / weight
        }
        return mean(0) | mean(8) << 8 | mean(16) << 16 | ((weight + 2) / 4) << 24
    }
}
