import Bytes
import CLibPNG
import Glibc

/// Encodes a PNG in a certain pixel form, such as grey with 4 bits (PNG 11.2.1, 11.3.1). This type is for tests of how
/// other programs handle each form. For small files, use `PNGEncoder`.
///
/// Thread rule: any thread that may compute for long.
package struct PNGForm: Sendable, Hashable {
    /// The samples of a pixel. In grey and RGB, tRNS makes one colour transparent.
    package enum Kind: Int, Sendable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6
    }

    package let kind: Kind
    /// The number of bits per sample. 8 is always allowed. Grey also allows 1, 2, 4 and 16, a palette also 1, 2 and 4,
    /// and the other kinds also 16.
    package let bitDepth: Int
    /// True to write seven interlaced passes (PNG 8.1).
    package var isInterlaced = false
    /// True to write the chunk that declares sRGB colours (PNG 11.3.2.5).
    package var isSRGB = false

    package init(_ kind: Kind, bitDepth: Int, isInterlaced: Bool = false, isSRGB: Bool = false) {
        self.kind = kind
        self.bitDepth = bitDepth
        self.isInterlaced = isInterlaced
        self.isSRGB = isSRGB
    }

    /// True if a pixel can be partly transparent. If false, a pixel is either opaque or fully transparent.
    package var isTranslucent: Bool { kind != .gray && kind != .rgb }

    /// Encodes a square of `side` pixels a side as PNG. `pixels` holds indices into `colors`, row by row. There must
    /// not be more colours than the sample of a palette can distinguish. In grey and RGB, every colour that is not
    /// opaque becomes the transparent colour.
    package func png(_ pixels: [UInt8], side: Int, colors: [RGBA]) throws(PNGError) -> SharedBytes {
        var chunks = PNGChunks(PNGHeaderParser.signature)
        let methods: [UInt8] = [UInt8(bitDepth), UInt8(kind.rawValue), 0, 0, isInterlaced ? 1 : 0]
        chunks.add("IHDR", PNGChunks.bigEndian(side) + PNGChunks.bigEndian(side) + methods)
        if isSRGB { chunks.add("sRGB", [0]) }
        if kind == .palette { chunks.add("PLTE", colors.flatMap { [$0.red, $0.green, $0.blue] }) }
        if let transparency = transparency(of: colors) { chunks.add("tRNS", transparency) }
        chunks.add("IDAT", try Self.compressed(rows(pixels, side: side, colors: colors)))
        chunks.add("IEND", [])
        return SharedBytes(chunks.bytes)
    }

    private var most: Int { 1 << bitDepth - 1 }

    /// Returns the data of tRNS (PNG 11.3.1.1), or nil for no chunk.
    private func transparency(of colors: [RGBA]) -> [UInt8]? {
        switch kind {
        case .palette: colors.map(\.alpha)
        // The lightest value is the transparent colour. No opaque colour uses it.
        case .gray: Self.twoBytes(most)
        case .rgb: (0..<3).flatMap { _ in Self.twoBytes(most) }
        case .grayAlpha, .rgba: nil
        }
    }

    /// Returns the samples of the colour at index `place`, with `bitDepth` bits each.
    private func samples(_ color: RGBA, at place: Int) -> [Int] {
        // The Rec. 601 luma, computed with weights in thousandths.
        let luma = (299 * Int(color.red) + 587 * Int(color.green) + 114 * Int(color.blue)) / 1_000
        let isClear = color.alpha < 255
        return switch kind {
        case .palette: [place]
        case .gray: [isClear ? most : min(scaled(luma), most - 1)]
        case .rgb where isClear: [most, most, most]
        case .rgb: [color.red, color.green, color.blue].map { min(scaled(Int($0)), most - 1) }
        case .grayAlpha: [scaled(luma), scaled(Int(color.alpha))]
        case .rgba: [color.red, color.green, color.blue, color.alpha].map { scaled(Int($0)) }
        }
    }

    /// Scales an 8-bit sample to the nearest value of `bitDepth` bits.
    private func scaled(_ sample: Int) -> Int { (sample * most + 127) / 255 }

    /// Returns the rows. Each row begins with the number of its filter, which is always none (PNG 7.2, 9.2).
    private func rows(_ pixels: [UInt8], side: Int, colors: [RGBA]) -> [UInt8] {
        let samples = colors.enumerated().map { self.samples($1, at: $0) }
        var bytes: [UInt8] = []
        for pass in isInterlaced ? Pass.seven : [Pass.whole] {
            let columns = Array(stride(from: pass.left, to: side, by: pass.across))
            // A pass without pixels has no rows.
            guard !columns.isEmpty else { continue }
            for row in stride(from: pass.top, to: side, by: pass.down) {
                bytes.append(0)
                append(columns.lazy.map { samples[Int(pixels[row * side + $0])] }, to: &bytes)
            }
        }
        return bytes
    }

    /// Appends a row of samples to `bytes`. Samples with fewer than 8 bits are packed into bytes, beginning at the
    /// highest bit. Unused bits of the last byte are 0.
    private func append(_ row: some Sequence<[Int]>, to bytes: inout [UInt8]) {
        var (byte, free) = (0, 8)
        for pixel in row {
            for sample in pixel {
                if bitDepth == 16 {
                    bytes += Self.twoBytes(sample)
                    continue
                }
                free -= bitDepth
                byte |= sample << free
                guard free == 0 else { continue }
                bytes.append(UInt8(byte))
                (byte, free) = (0, 8)
            }
        }
        if free < 8 { bytes.append(UInt8(byte)) }
    }

    private static func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    private static func compressed(_ bytes: [UInt8]) throws(PNGError) -> [UInt8] {
        var result = clibpng_result()
        bytes.withUnsafeBufferPointer { clibpng_deflate($0.baseAddress, $0.count, &result) }
        defer { free(result.bytes) }
        guard let compressed = result.bytes else { throw PNGError(reason: result.text) }
        return Array(UnsafeBufferPointer(start: compressed, count: result.size))
    }

    /// One pass over the pixels of a picture. An interlaced PNG has seven passes, each with some of the pixels. Any
    /// other PNG has one pass. The numbers are the position of the first pixel and the distances to the next pixels.
    private struct Pass {
        let left: Int, top: Int, across: Int, down: Int

        static let whole = Pass(left: 0, top: 0, across: 1, down: 1)
        /// The seven passes of Adam7 (PNG 8.1).
        static let seven = [
            Pass(left: 0, top: 0, across: 8, down: 8), Pass(left: 4, top: 0, across: 8, down: 8),
            Pass(left: 0, top: 4, across: 4, down: 8), Pass(left: 2, top: 0, across: 4, down: 4),
            Pass(left: 0, top: 2, across: 2, down: 4), Pass(left: 1, top: 0, across: 2, down: 2),
            Pass(left: 0, top: 1, across: 1, down: 2),
        ]
    }
}
