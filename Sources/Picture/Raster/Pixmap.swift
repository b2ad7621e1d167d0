/// A rectangle of pixels: RGBA8, row-major from the top-left corner, straight (not premultiplied) alpha.
public struct Pixmap: Sendable, Equatable {
    /// Pixels across, at least 1.
    public let width: Int
    /// Pixels down, at least 1.
    public let height: Int
    /// `width * height` pixels of four bytes: red, green, blue, alpha.
    public var bytes: [UInt8]

    /// The most pixels a side.
    static let maxSide = 16_384

    /// A pixmap of one colour. `width` and `height` must be in 1…16384.
    public init(width: Int, height: Int, color: RGBA = .transparent) {
        precondition((1...16384).contains(width) && (1...16384).contains(height), "a pixmap has 1…16384 pixels a side")
        self.width = width
        self.height = height
        bytes = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
            count = width * height * 4
            let pixels = UnsafeMutableRawBufferPointer(buffer).bindMemory(to: RGBA.self)
            pixels.update(repeating: color)
        }
    }

    /// A pixmap that `fill` writes: it gets room for all bytes, which have no value yet, and says whether it wrote
    /// them. Nil where it did not. The sides must be in 1…`maxSide`.
    init?(width: Int, height: Int, fill: (UnsafeMutablePointer<UInt8>?) -> Bool) {
        self.width = width
        self.height = height
        var filled = false
        bytes = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
            filled = fill(buffer.baseAddress)
            count = filled ? width * height * 4 : 0
        }
        guard filled else { return nil }
    }

    /// Puts `other` over the pixels from (`x`, `y`) on, without blending; what lies beyond the edges is left out.
    ///
    /// Four tiles so become one of twice the side.
    public mutating func copy(_ other: Pixmap, atX x: Int, y: Int) {
        // Wrapping would bring far offsets back; beyond these nothing is inside.
        guard (-Self.maxSide...Self.maxSide).contains(x), (-Self.maxSide...Self.maxSide).contains(y) else { return }
        let columns = max(0, -x)..<max(0, -x, min(other.width, width - x))
        let rows = max(0, -y)..<max(0, -y, min(other.height, height - y))
        let stride = width * 4
        bytes.withUnsafeMutableBytes { target in
            other.bytes.withUnsafeBytes { source in
                for row in rows {
                    let from = (row * other.width + columns.lowerBound) * 4
                    let to = (row + y) * stride + (columns.lowerBound + x) * 4
                    let part = UnsafeRawBufferPointer(rebasing: source[from..<(from + columns.count * 4)])
                    UnsafeMutableRawBufferPointer(rebasing: target[to...]).copyMemory(from: part)
                }
            }
        }
    }

    /// Whether every alpha is 255. Costs a look at the pixels up to the first that is not: some 10 µs for 256 × 256.
    public var isOpaque: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areFull($0) }
    }

    /// Whether every alpha is 0. Costs a look at the pixels up to the first that is not: some 10 µs for 256 × 256.
    public var isTransparent: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areZero($0) }
    }

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

/// A colour in sRGB with straight alpha, 8 bits a channel.
public struct RGBA: Hashable, Sendable {
    /// 0…255, like `green` and `blue`.
    public var red: UInt8
    /// 0…255.
    public var green: UInt8
    /// 0…255.
    public var blue: UInt8
    /// 0 is clear, 255 opaque.
    public var alpha: UInt8

    /// Nothing to be seen.
    public static let transparent = RGBA(red: 0, green: 0, blue: 0, alpha: 0)

    /// A colour by its channels; opaque unless `alpha` is given.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
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
