/// A PNG that could not be written or read, in libpng's words.
public struct PNGError: Error, Hashable, CustomStringConvertible {
    /// What libpng said, for example `PNG unsigned integer out of range`.
    public let reason: String

    /// Nobody waits for the PNG any more.
    static let unwanted = PNGError(reason: "not wanted")

    public var description: String { "expected a sound PNG, found: \(reason)" }
}
