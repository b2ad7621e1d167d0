/// The reason why an export did not begin, or ended without an archive.
public enum TileExportError: Error, Hashable, Sendable {
    /// The archive cannot be written to this path, or exists already.
    case invalidTarget(reason: String)
    /// The area has no tile or too many tiles, or its GeoJSON file cannot be read.
    case invalidArea(reason: String)
    /// The export cannot have tiles in this format or of this quality.
    case invalidFormat(reason: String)
    /// The policy of a layer's host, or the layer's key `bulk`, forbids bulk downloads.
    case refused(layer: String, reason: String)
    /// No tile could be exported. `failed` is the number of tiles that were unavailable. The layer lacks the others.
    case noTiles(failed: Int)
    /// The archive could not be written, for example because the disk is full.
    case notWritten(reason: String)
}

extension TileExportError: CustomStringConvertible {
    /// A sentence that explains the error to people.
    public var description: String {
        switch self {
        case .invalidTarget(let reason), .invalidArea(let reason), .invalidFormat(let reason), .notWritten(let reason):
            reason
        case .refused(let layer, let reason): "the layer \(layer) cannot be exported: \(reason)"
        case .noTiles: "no tile could be exported, so nothing was written"
        }
    }
}
