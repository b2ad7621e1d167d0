extension PNGSamples {
    init(_ pixmap: Pixmap, form: PNGOptions.Form) {
        switch form {
        case .lean: self.init(reducing: pixmap)
        case .rgba:
            self.init(packing: pixmap, as: .rgba)
            isSRGB = true
        }
    }

    /// Creates the smallest form that represents every pixel of `pixmap` exactly.
    init(reducing pixmap: Pixmap) {
        if let indexed = IndexedPixels(pixmap) {
            self.init(reducing: indexed, of: pixmap)
        } else {
            self.init(packing: pixmap, PixelTraits(pixmap))
        }
    }

    /// Creates the form of a picture with few colours. The form is a palette, or grey if grey is not larger. In a tiny
    /// picture the palette may be larger than the rows; the form then has whole pixels.
    private init(reducing indexed: IndexedPixels, of pixmap: Pixmap) {
        var best = PNGSamples(indexed)
        if let gray = PNGSamples(grayOf: indexed), gray.plainSize <= best.plainSize { best = gray }
        let pixelSize = Self.plainSize(width: pixmap.width, height: pixmap.height, bits: 24)
        if pixelSize < best.plainSize {
            let whole = PNGSamples(packing: pixmap, PixelTraits(pixmap))
            if whole.plainSize < best.plainSize { best = whole }
        }
        self = best
    }

    /// Creates a palette form with the fewest bits per index.
    init(_ indexed: IndexedPixels) {
        self.init(
            width: indexed.width, height: indexed.height, kind: .palette, bitDepth: indexed.bitDepth,
            palette: indexed.palette, translucentCount: indexed.translucentCount, bytes: indexed.indices)
    }

    /// Creates a grey picture with as few bits per pixel as possible without changing a level. A decoder of PNG
    /// converts a level to 8 bits by repeating its bits (PNG 13.12). Returns nil if a colour is not grey, if more than
    /// one colour is transparent, if a colour is partly transparent, or if an opaque colour has the level of the
    /// transparent one.
    private init?(grayOf indexed: IndexedPixels) {
        let palette = indexed.palette
        guard palette.allSatisfy(\.isGray), indexed.translucentCount <= 1 else { return nil }
        let key = indexed.translucentCount == 1 ? palette[0] : nil
        if let key, key.alpha > 0 || palette.dropFirst().contains(where: { $0.red == key.red }) { return nil }
        let depth = [1, 2, 4].first { depth in palette.allSatisfy { $0.red % Self.step(depth) == 0 } } ?? 8
        var levels = [UInt8](repeating: 0, count: 256)
        for (index, color) in palette.enumerated() { levels[index] = color.red / Self.step(depth) }
        let scaledKey = key.map { RGBA(red: $0.red / Self.step(depth), green: 0, blue: 0) }
        self.init(
            width: indexed.width, height: indexed.height, kind: .gray, bitDepth: depth, key: scaledKey,
            bytes: Self.bytes(indexed.indices, through: levels))
    }

    /// Replaces each index by its entry in `levels`, which must have 256 entries. The function uses buffers, because a
    /// loop over array elements checks the bounds of the table for each pixel.
    private static func bytes(_ indices: [UInt8], through levels: [UInt8]) -> [UInt8] {
        levels.withUnsafeBufferPointer { levels in
            [UInt8](unsafeUninitializedCapacity: indices.count) { bytes, count in
                for (place, index) in indices.enumerated() { bytes[place] = levels[Int(index)] }
                count = indices.count
            }
        }
    }

    /// Returns the distance between two levels of `depth` bits, in 8-bit levels.
    private static func step(_ depth: Int) -> UInt8 {
        switch depth {
        case 1: 255
        case 2: 85
        case 4: 17
        default: 1
        }
    }

    /// Creates a picture without a palette, which has only the channels that the picture needs, with 8 bits each.
    private init(packing pixmap: Pixmap, _ traits: PixelTraits) {
        let key = traits.isOpaque ? nil : traits.key
        let hasAlpha = !traits.isOpaque && key == nil
        let kind: Kind =
            switch (traits.isGray, hasAlpha) {
            case (true, false): .gray
            case (true, true): .grayAlpha
            case (false, false): .rgb
            case (false, true): .rgba
            }
        self.init(
            width: pixmap.width, height: pixmap.height, kind: kind, key: key, bytes: Self.pack(pixmap.bytes, as: kind))
    }

    /// Creates a form of whole pixels with all channels of `kind`.
    init(packing pixmap: Pixmap, as kind: Kind) {
        self.init(width: pixmap.width, height: pixmap.height, kind: kind, bytes: Self.pack(pixmap.bytes, as: kind))
    }

    /// Returns the channels of `kind` from pixels of four bytes.
    private static func pack(_ bytes: [UInt8], as kind: Kind) -> [UInt8] {
        switch kind {
        case .rgba, .palette: return bytes
        case .rgb: return pack(bytes, channels: 3) { ($0[0], $0[1], $0[2]) }
        case .grayAlpha: return pack(bytes, channels: 2) { ($0[0], $0[3], 0) }
        case .gray: return pack(bytes, channels: 1) { ($0[0], 0, 0) }
        }
    }

    /// Calls `pick` for every pixel and returns the first `channels` values of each result.
    @inline(__always)
    private static func pack(
        _ bytes: [UInt8], channels: Int, _ pick: (UnsafePointer<UInt8>) -> (UInt8, UInt8, UInt8)
    ) -> [UInt8] {
        let count = bytes.count / 4
        return [UInt8](unsafeUninitializedCapacity: count * channels) { target, filled in
            bytes.withUnsafeBufferPointer { source in
                guard var pixel = source.baseAddress, var place = target.baseAddress else { return }
                for _ in 0..<count {
                    let samples = pick(pixel)
                    place[0] = samples.0
                    if channels > 1 { place[1] = samples.1 }
                    if channels > 2 { place[2] = samples.2 }
                    pixel += 4
                    place += channels
                }
                filled = count * channels
            }
        }
    }
}

extension RGBA {
    fileprivate var isGray: Bool { red == green && green == blue }
}
