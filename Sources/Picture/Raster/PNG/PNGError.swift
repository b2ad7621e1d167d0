/// An error of encoding or decoding a PNG, with its reason.
public struct PNGError: Error, Hashable, CustomStringConvertible {
    /// The reason, often a message of libpng, for example `PNG unsigned integer out of range`.
    public let reason: String

    /// No client waits for the PNG any more.
    static let unwanted = PNGError(reason: "not wanted")

    public var description: String { "expected a valid PNG, found: \(reason)" }
}
