/// A picture as a rectangle of pixels. Each pixel has four bytes: red, green, blue and alpha. Colours are not
/// multiplied by alpha (straight alpha). The pixels are stored row by row from the top-left corner.
public struct Pixmap: Sendable, Equatable {
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int
    /// `width * height` pixels of four bytes: red, green, blue, alpha.
    public var bytes: [UInt8]

    /// The maximum number of pixels a side.
    static let maxSide = 16_384

    /// Creates a pixmap of one colour. `width` and `height` must be in 1…16384.
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

    /// Creates a pixmap whose bytes `fill` writes. `fill` receives uninitialized memory for all bytes and returns true
    /// if it wrote all of them. Returns nil if `fill` returns false. The sides must be in 1…`maxSide`.
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

    /// Copies the pixels of `other` into this picture, for example to join four tiles.
    ///
    /// The top-left corner of `other` is placed at (`x`, `y`). Pixels beyond the edges are left out, and nothing is
    /// blended.
    public mutating func copy(_ other: Pixmap, atX x: Int, y: Int) {
        // Larger offsets could overflow. With such offsets no pixel is inside anyway.
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

    /// True if every alpha is 255. The test stops soon after the first other pixel. The test takes about 10 µs for
    /// 256 × 256 pixels.
    public var isOpaque: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areFull($0) }
    }

    /// True if every alpha is 0. The test stops soon after the first other pixel. The test takes about 10 µs for
    /// 256 × 256 pixels.
    public var isTransparent: Bool {
        bytes.withUnsafeBytes { PixelAlphas.areZero($0) }
    }

    /// Returns the picture at half its size. Both sides must be even. Each pixel is the average of four pixels,
    /// weighted by their alpha.
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

    /// Returns the average of four pixels. Each pixel is the number that its four bytes form in little-endian order.
    /// Colours are not premultiplied, and halves are rounded up.
    @inline(__always)
    private static func average(_ four: SIMD4<UInt32>) -> UInt32 {
        let alphas = four &>> 24
        let weight = alphas.wrappedSum()
        if weight == 0 { return 0 }
        func mean(_ shift: UInt32) -> UInt32 {
            let channel = four &>> shift & 255
            // Nearly all pixels are opaque, and opaque pixels need no division.
            if weight == 4 * 255 { return (channel.wrappedSum() + 2) / 4 }
            return ((channel &* alphas).wrappedSum() + weight / 2) / weight
        }
        return mean(0) | mean(8) << 8 | mean(16) << 16 | ((weight + 2) / 4) << 24
    }
}

/// A colour in sRGB with an alpha. Each channel has 8 bits, and the colour is not multiplied by alpha.
public struct RGBA: Hashable, Sendable {
    /// The red channel, 0…255.
    public var red: UInt8
    /// The green channel, 0…255.
    public var green: UInt8
    /// The blue channel, 0…255.
    public var blue: UInt8
    /// The alpha channel: 0 is transparent, 255 is opaque.
    public var alpha: UInt8

    /// The fully transparent colour.
    public static let transparent = RGBA(red: 0, green: 0, blue: 0, alpha: 0)

    /// Creates a colour from its channels. The colour is opaque unless `alpha` is given.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

/// Functions that test whether pixels are opaque or transparent. Each pixel has four bytes.
enum PixelAlphas {
    /// The number of bytes that are tested together. These bytes fit into a few registers.
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
    /// The bits that all lanes have in common. On little-endian machines the highest eight bits are alpha.
    @inline(__always)
    fileprivate var intersection: UInt32 {
        let four = lowHalf & highHalf
        let two = four.lowHalf & four.highHalf
        return two.x & two.y
    }

    /// The bits that at least one lane has.
    @inline(__always)
    fileprivate var union: UInt32 {
        let four = lowHalf | highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
    }
}
