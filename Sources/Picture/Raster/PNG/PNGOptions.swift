import Bytes

/// How much work goes into a PNG, which form it has, and whether it may lose colours.
public struct PNGOptions: Sendable, Hashable {
    /// How many ways of compressing are tried, and how thoroughly.
    public enum Effort: String, Sendable, Hashable, CaseIterable {
        /// About two thirds of the CPU of `balanced`, a seventh more bytes.
        case fast
        /// No more bytes than others need at several times the CPU.
        case balanced
    }

    /// How pixels stand in it (PNG 11.2.1).
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// With no channel and no bit that the pixels do not need.
        case lean
        /// Always 8 bits each of red, green, blue and alpha, with the chunk sRGB, and not interlaced: what every decoder
        /// shows right.
        case rgba
    }

    /// The default: balanced, lean and lossless.
    public static let standard = PNGOptions()

    /// How much processor time may go into fewer bytes.
    public var effort: Effort

    /// The most colours to keep, 4…256 (brought into that range); where the picture has more, they are reduced to so
    /// many. Nil: lossless.
    public var quantize: Int?

    /// How pixels stand in it.
    public var form: Form

    /// Balanced, lean and lossless, unless told otherwise.
    public init(effort: Effort = .balanced, quantize: Int? = nil, form: Form = .lean) {
        self.effort = effort
        self.quantize = quantize
        self.form = form
    }
}

extension PNGOptions.Form {
    /// Whether `png`, which is sound, has this form: of RGBA, whether it begins as those do that are written here.
    package func holds(_ png: SharedBytes) -> Bool {
        switch self {
        case .lean: return true
        case .rgba:
            let bytes = png.buffer
            // The signature; IHDR, whose last five bytes are depth, colour type and three methods; the type of the next
            // chunk (PNG 5.2, 5.3, 11.2.1).
            guard bytes.count > 41 else { return false }
            return bytes[24] == 8 && bytes[25] == 6 && bytes[28] == 0 && bytes[37..<41].elementsEqual("sRGB".utf8)
        }
    }
}
