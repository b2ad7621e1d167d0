import Bytes
import CLibPNG
import Glibc

/// Encodes pixels as PNG. Channels and bits that the picture does not need are left out, unless the options ask for
/// them. Equal pixels with equal options always give equal bytes.
///
/// Thread rule: any thread that may compute for long.
package enum PNGEncoder {
    /// Encodes `pixmap` as PNG in the smallest suitable form. A picture whose pixels are all grey can be grey of 1, 2,
    /// 4 or 8 bits. A picture of at most 256 colours can have a palette of 1, 2, 4 or 8 bits. The alpha channel is left
    /// out if the picture is opaque, or if one colour can represent transparency. If nothing of this applies, the
    /// picture is RGBA. With `PNGOptions.Form.rgba` every picture is RGBA. The encoding is lossless unless
    /// `options.quantize` limits the number of colours.
    ///
    /// Throws only if memory runs out.
    package static func encode(
        _ pixmap: Pixmap, options: PNGOptions = .standard
    ) throws(PNGError) -> SharedBytes {
        try encode(pixmap, options: options, isWanted: { true })
    }

    /// Encodes `pixmap` like the function above, with a way to cancel. The encoder calls `isWanted` before it
    /// compresses a row, and throws if it returns false.
    package static func encode(
        _ pixmap: Pixmap, options: PNGOptions, isWanted: @escaping () -> Bool
    ) throws(PNGError) -> SharedBytes {
        let kept: Pixmap? =
            if let colors = options.quantize {
                Quantizer(colors: colors).reduce(pixmap, isWanted: isWanted)
            } else {
                pixmap
            }
        guard let kept, isWanted() else { throw .unwanted }
        let samples = PNGSamples(kept, form: options.form)
        let image = try PNGCodingChoice(samples, options.effort, isWanted: isWanted).encode()
        defer { free(image.bytes) }
        return SharedBytes(UnsafeRawBufferPointer(start: image.bytes, count: image.size))
    }

    /// Encodes `samples` as PNG in memory from malloc. The caller must free the memory.
    static func write(
        _ samples: PNGSamples, _ coding: PNGCoding, isWanted: @escaping () -> Bool
    ) throws(PNGError) -> clibpng_result {
        let result = run(clibpng_encode, samples, coding, isWanted: isWanted)
        guard result.bytes != nil else { throw PNGError(reason: result.text) }
        return result
    }

    /// Returns the size of the compressed rows that `write` would produce, in bytes.
    static func size(
        of samples: PNGSamples, _ coding: PNGCoding, isWanted: @escaping () -> Bool
    ) throws(PNGError) -> Int {
        let result = run(clibpng_measure, samples, coding, isWanted: isWanted)
        guard result.size > 0 else { throw PNGError(reason: result.text) }
        return result.size
    }

    private static func run(
        _ work: (
            UnsafePointer<clibpng_description>?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<clibpng_result>?
        ) -> Void,
        _ samples: PNGSamples, _ coding: PNGCoding, isWanted: @escaping () -> Bool
    ) -> clibpng_result {
        var description = clibpng_description(samples)
        coding.apply(to: &description)
        let colors = samples.palette.flatMap { [$0.red, $0.green, $0.blue] }
        let alphas = samples.palette.prefix(samples.translucentCount).map(\.alpha)
        var result = clibpng_result()
        var question = Question(isWanted: isWanted)
        colors.withUnsafeBufferPointer { colors in
            alphas.withUnsafeBufferPointer { alphas in
                description.palette = colors.baseAddress
                description.palette_alpha = alphas.baseAddress
                withUnsafeMutablePointer(to: &question) { question in
                    description.context = UnsafeMutableRawPointer(question)
                    description.is_wanted = { $0?.assumingMemoryBound(to: Question.self).pointee.isWanted() ?? true }
                    work(&description, samples.bytes, samples.rowBytes, &result)
                }
            }
        }
        return result
    }

    /// A closure that C code receives as a pointer.
    private struct Question {
        let isWanted: () -> Bool
    }
}

extension clibpng_description {
    /// Creates the description of a picture for libpng. The caller adds the compression settings, and the palette,
    /// because its memory belongs to the caller.
    fileprivate init(_ samples: PNGSamples) {
        self.init()
        width = UInt32(samples.width)
        height = UInt32(samples.height)
        kind = Int32(Self.code(of: samples.kind))
        bit_depth = Int32(samples.bitDepth)
        is_srgb = samples.isSRGB
        palette_count = Int32(samples.palette.count)
        alpha_count = Int32(samples.translucentCount)
        if let key = samples.key {
            has_key = true
            self.key = (key.red, key.green, key.blue)
        }
    }

    private static func code(of kind: PNGSamples.Kind) -> Int {
        switch kind {
        case .gray: CLIBPNG_GRAY
        case .rgb: CLIBPNG_RGB
        case .palette: CLIBPNG_PALETTE
        case .grayAlpha: CLIBPNG_GRAY_ALPHA
        case .rgba: CLIBPNG_RGBA
        }
    }
}

/// Decodes PNG of any kind, for `ImageDecoder`.
enum PNGDecoder {
    /// Decodes the pixels of `bytes`. The chunks must have been checked by the creation of `header`.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: ImageHeader) throws(PNGError) -> Pixmap {
        var result = clibpng_result()
        let decoded = Pixmap(width: header.width, height: header.height) { pixels in
            clibpng_decode(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, UInt32(header.width),
                UInt32(header.height), pixels, &result)
        }
        guard let decoded else { throw PNGError(reason: result.text) }
        return decoded
    }
}

extension clibpng_result {
    /// The message as text.
    var text: String {
        withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
