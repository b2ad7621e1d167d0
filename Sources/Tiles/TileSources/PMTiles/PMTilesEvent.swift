import Raster

/// An event of a layer with a PMTiles archive that the server reports, for example a damaged tile.
package enum PMTilesEvent: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of a tile in the archive are not an image that the server may serve. The associated value is the
    /// reason.
    case notAnImage(ImageHeaderError)
    /// The tile has more than `limit` bytes.
    case tooLarge(limit: Int)
    /// The archive, or a part of it, cannot be read. The associated value is the reason.
    case unreadable(String)
    /// The archive has changed. The server makes the layer again to serve the new version.
    case replaced
    /// The archive has changed, but the new version cannot be used, so the server does not make the layer again. The
    /// associated value is the reason.
    case notReplaced(String)
    /// Too much work is waiting.
    case overloaded

    package var description: String {
        switch self {
        case .notAnImage(let error): "\(error)"
        case .tooLarge(let limit): "the tile has more than \(limit) bytes"
        case .unreadable(let why), .notReplaced(let why): why
        case .replaced: "the archive was replaced"
        case .overloaded: "too much work is waiting"
        }
    }
}
