import Bytes
import CLibPNG
import Glibc

/// Writes pixels as PNG: lossless, the same bytes for the same pixels, and no channel or bit that they do not need.
///
/// Thread rule: any thread; blocks while it computes.
public enum PNGEncoder {
    /// `pixmap` as PNG: with a palette of 1, 2, 4 or 8 bits where it has at most 256 colours, as grey or without alpha
    /// where that says everything, and as RGBA otherwise.
    ///
    /// Fails only when memory runs out.
    public static func encode(_ pixmap: Pixmap) throws(PNGError) -> SharedBytes {
        if let indexed = IndexedPixels(pixmap) {
            return indexed.isSmoothGray ? try encodeGray(pixmap) : try encode(indexed)
        }
        return isOpaque(pixmap) ? try encodeRGB(pixmap) : try encodeRGBA(pixmap)
    }

    private static func encode(_ indexed: IndexedPixels) throws(PNGError) -> SharedBytes {
        var description = clibpng_description(indexed.width, indexed.height, kind: CLIBPNG_PALETTE)
        description.bit_depth = Int32(indexed.bitDepth)
        description.palette_count = Int32(indexed.palette.count)
        description.alpha_count = Int32(indexed.translucentCount)
        let colors = indexed.palette.flatMap { [$0.red, $0.green, $0.blue] }
        let alphas = indexed.palette.prefix(indexed.translucentCount).map(\.alpha)
        return try write(&description, rows: indexed.indices, rowBytes: indexed.width, colors: colors, alphas: alphas)
    }

    private static func encodeGray(_ pixmap: Pixmap) throws(PNGError) -> SharedBytes {
        var description = clibpng_description(pixmap.width, pixmap.height, kind: CLIBPNG_GRAY)
        description.useSmoothFilters()
        let rows = packed(pixmap, channels: 1)
        return try write(&description, rows: rows, rowBytes: pixmap.width)
    }

    private static func encodeRGB(_ pixmap: Pixmap) throws(PNGError) -> SharedBytes {
        var description = clibpng_description(pixmap.width, pixmap.height, kind: CLIBPNG_RGB)
        description.useSmoothFilters()
        let rows = packed(pixmap, channels: 3)
        return try write(&description, rows: rows, rowBytes: pixmap.width * 3)
    }

    private static func encodeRGBA(_ pixmap: Pixmap) throws(PNGError) -> SharedBytes {
        var description = clibpng_description(pixmap.width, pixmap.height, kind: CLIBPNG_RGBA)
        description.useSmoothFilters()
        return try write(&description, rows: pixmap.bytes, rowBytes: pixmap.width * 4)
    }

    private static func write(
        _ description: inout clibpng_description, rows: [UInt8], rowBytes: Int, colors: [UInt8] = [],
        alphas: [UInt8] = []
    ) throws(PNGError) -> SharedBytes {
        var result = clibpng_result()
        colors.withUnsafeBufferPointer { colors in
            alphas.withUnsafeBufferPointer { alphas in
                description.palette = colors.baseAddress
                description.palette_alpha = alphas.baseAddress
                clibpng_encode(&description, rows, rowBytes, &result)
                description.palette = nil
                description.palette_alpha = nil
            }
        }
        guard let bytes = result.bytes else { throw PNGError(reason: result.text) }
        defer { free(bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: bytes, count: result.size))
    }

    private static func isOpaque(_ pixmap: Pixmap) -> Bool {
        pixmap.bytes.withUnsafeBytes { bytes in
            var alphas: UInt8 = 255
            for offset in stride(from: 3, to: bytes.count, by: 4) { alphas &= bytes[offset] }
            return alphas == 255
        }
    }

    /// The first `channels` of every pixel.
    private static func packed(_ pixmap: Pixmap, channels: Int) -> [UInt8] {
        let count = pixmap.width * pixmap.height
        return [UInt8](unsafeUninitializedCapacity: count * channels) { target, filled in
            pixmap.bytes.withUnsafeBufferPointer { source in
                for pixel in 0..<count {
                    for channel in 0..<channels { target[pixel * channels + channel] = source[pixel * 4 + channel] }
                }
            }
            filled = count * channels
        }
    }
}

extension clibpng_description {
    /// What suits a palette: its indices are no quantities, so filters would only break up runs.
    fileprivate init(_ width: Int, _ height: Int, kind: Int) {
        self.init()
        self.width = UInt32(width)
        self.height = UInt32(height)
        self.kind = Int32(kind)
        bit_depth = 8
        level = 6
        strategy = Int32(CLIBPNG_STRATEGY_DEFAULT)
        filters = Int32(CLIBPNG_FILTER_NONE)
    }

    /// What suits shaded pixels: libpng chooses among three filters for each row; a lower level, because filtered rows
    /// have few long repeats to search for.
    fileprivate mutating func useSmoothFilters() {
        level = 4
        strategy = Int32(CLIBPNG_STRATEGY_FILTERED)
        filters = Int32(CLIBPNG_FILTER_SUB | CLIBPNG_FILTER_UP | CLIBPNG_FILTER_PAETH)
    }
}

extension clibpng_result {
    /// `message` as text.
    var text: String {
        withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
