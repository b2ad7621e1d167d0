import Raster

/// What an MBTiles layer has to say beside its answers: for logs and counters.
package enum MBTilesEvent: Hashable, Sendable {
    /// What the file holds for this tile is not an image that may be served.
    case corrupt(ImageHeaderError)
    /// What the file holds for this tile has more than this many bytes.
    case tooLarge(limit: Int)
    /// SQLite could not read the tile: its extended result code, and its words.
    case unreadable(code: Int32, message: String)
    /// The tile could not be read within these seconds.
    case tooSlow(seconds: Double)
    /// Too much work is waiting already.
    case overloaded
    /// Another file replaced the one that was served, and is served from here on.
    case replaced
    /// Another file replaced it and cannot be used: the one that was served still is.
    case notReplaced(MBTilesError)
}
