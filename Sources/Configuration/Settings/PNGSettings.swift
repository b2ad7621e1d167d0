/// How the tiles that this server encodes itself become PNG; one that comes encoded is never touched.
public struct PNGSettings: Sendable, Equatable {
    /// How much processor time may go into fewer bytes.
    public var effort = Effort.balanced
    /// The most colours a tile keeps, 4…256. Nil: as many as it has.
    public var quantize: Int?

    /// The efforts by their names in the file, from the least to the most.
    public enum Effort: String, Sendable, CaseIterable {
        /// About half the processor time of `balanced`, some per cent more bytes.
        case fast
        /// No more bytes than others need at several times the processor time.
        case balanced
        /// The fewest bytes, for many times the processor time.
        case small
    }

    /// The defaults.
    public init() {}
}
