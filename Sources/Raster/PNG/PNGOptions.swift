/// How much work goes into a PNG, and whether it may lose colours.
public struct PNGOptions: Sendable, Hashable {
    /// How many ways of compressing are tried, and how thoroughly.
    public enum Effort: String, Sendable, Hashable, CaseIterable {
        /// About two thirds of the CPU of `balanced`, a seventh more bytes.
        case fast
        /// No more bytes than others need at several times the CPU.
        case balanced
    }

    /// The default: balanced and lossless.
    public static let standard = PNGOptions()

    /// How much processor time may go into fewer bytes.
    public var effort: Effort

    /// The most colours to keep, 4…256 (brought into that range); where the picture has more, they are reduced to so
    /// many. Nil: lossless.
    public var quantize: Int?

    /// Balanced and lossless, unless told otherwise.
    public init(effort: Effort = .balanced, quantize: Int? = nil) {
        self.effort = effort
        self.quantize = quantize
    }
}
