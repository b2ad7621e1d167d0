/// The reason why an export did not begin, or ended without an archive.
public enum TileExportError: Error, Hashable, Sendable {
    /// The archive cannot be written to the target path, or a file exists there. `reason` is a message for the user.
    case invalidTarget(reason: String)
    /// The area has no tile or too many tiles, or its GeoJSON file cannot be read. `reason` is a message for the
    /// user.
    case invalidArea(reason: String)
    /// The export cannot write tiles in this image format or of this quality. `reason` is a message for the user.
    case invalidFormat(reason: String)
    /// The policy of a source's host, or the key `bulk` of the layer `layer`, forbids bulk downloads. `reason`
    /// explains the refusal to the user.
    case refused(layer: String, reason: String)
    /// The export has no tile to write. `failed` is the number of unavailable tiles. All other tiles are tiles that
    /// the layer does not have.
    case noTiles(failed: Int)
    /// The archive could not be written, for example because the disk is full. `reason` is the message of the error.
    case notWritten(reason: String)
}

extension TileExportError: CustomStringConvertible {
    /// The error as a message for the user.
    public var description: String {
        switch self {
        case .invalidTarget(let reason), .invalidArea(let reason), .invalidFormat(let reason), .notWritten(let reason):
            reason
        case .refused(let layer, let reason): "the layer \(layer) cannot be exported: \(reason)"
        case .noTiles: "no tile could be exported, so nothing was written"
        }
    }
}
