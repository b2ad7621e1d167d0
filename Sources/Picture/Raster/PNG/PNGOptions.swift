import Bytes

/// The options for encoding a PNG: the amount of work, the form of the pixels, and the number of colours.
public struct PNGOptions: Sendable, Hashable {
    /// The number of compression methods that are tried, and the thoroughness of each.
    public enum Effort: String, Sendable, Hashable, CaseIterable {
        /// Uses about two thirds of the CPU time of `balanced`, for files that are about 14% larger.
        case fast
        /// Produces files as small as other encoders do with several times the CPU time.
        case balanced
    }

    /// The form of the pixels (PNG 11.2.1).
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// Writes no channel and no bit that the pixels do not need.
        case lean
        /// Always writes 8 bits each of red, green, blue and alpha, with the chunk sRGB and without interlacing. This
        /// form is for decoders that show other forms wrongly.
        case rgba
    }

    /// The default options: balanced, lean and lossless.
    public static let standard = PNGOptions()

    /// The amount of CPU time for making the file smaller.
    public var effort: Effort

    /// The maximum number of colours, clamped to 4…256. A picture with more colours is reduced to this number. Nil
    /// means lossless.
    public var quantize: Int?

    /// The form of the pixels.
    public var form: Form

    /// Creates options. The default is balanced, lean and lossless.
    public init(effort: Effort = .balanced, quantize: Int? = nil, form: Form = .lean) {
        self.effort = effort
        self.quantize = quantize
        self.form = form
    }
}

extension PNGOptions.Form {
    /// Reports whether the valid PNG `png` has this form. For `rgba`, the function tests whether `png` begins like the
    /// RGBA files that this encoder writes.
    package func holds(_ png: SharedBytes) -> Bool {
        switch self {
        case .lean: return true
        case .rgba:
            let bytes = png.buffer
            // The offsets refer to the signature, to IHDR, whose last five bytes are the depth, the colour type and
            // three methods, and to the type of the next chunk (PNG 5.2, 5.3, 11.2.1).
            guard bytes.count > 41 else { return false }
            return bytes[24] == 8 && bytes[25] == 6 && bytes[28] == 0 && bytes[37..<41].elementsEqual("sRGB".utf8)
        }
    }
}
