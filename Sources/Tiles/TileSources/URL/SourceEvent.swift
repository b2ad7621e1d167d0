import HTTPClient
import Raster

/// An event of a request to a URL or file layer, mostly the reason why there is no image. `Unavailability` has less
/// detail. Logs show the event, so no case contains a URL, a path or a header.
package enum SourceEvent: Hashable, Sendable {
    /// The upstream sent no usable response.
    case failure(UpstreamError)
    /// The upstream answered with this status, which means neither a tile nor "no tile". `retryAfter` is the wait in
    /// seconds that the upstream asked for, if any.
    case status(Int, retryAfter: Int?)
    /// The upstream has no tile here, according to this status (docs/spec/threats.md T33).
    case absent(status: Int)
    /// The body is not an image that may be served.
    case notAnImage(ImageHeaderError)
    /// The image is one that the layer lists as a placeholder.
    case placeholder
    /// A reused connection was dead, and the request was sent again.
    case retried
    /// Too many requests are under way and waiting, or the request has waited or would wait too long.
    case overloaded
    /// The upstream asked for a pause, which lasts for these seconds.
    case paused(seconds: Int)
    /// The upstream failed too often and is not asked for these seconds.
    case down(seconds: Int)
    /// A file could not be read. Holds the system call that failed and its `errno`.
    case unreadable(call: String, errno: Int32)
    /// The path holds no regular file, but for example a directory, a pipe or a device.
    case notAFile
    /// The file is larger than this many bytes.
    case fileTooLarge(limit: Int)
}
