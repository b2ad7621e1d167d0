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
