import HTTPClient
import Raster

/// Why a URL or file layer had no image to give, in more detail than `Unavailability`: for logs and counters.
///
/// No case carries a URL, a path or a header.
package enum SourceEvent: Hashable, Sendable {
    /// The upstream brought no response.
    case failure(UpstreamError)
    /// The upstream answered with this status, which is neither a tile nor "no tile"; seconds it asked to wait.
    case status(Int, retryAfter: Int?)
    /// The upstream has no tile here, by this status (docs/spec/threats.md T33).
    case absent(status: Int)
    /// The body is not an image that may be served.
    case notAnImage(ImageHeaderError)
    /// An image that the layer lists as a placeholder.
    case placeholder
    /// A kept connection was dead, and the request went out a second time.
    case retried
    /// Too many requests to the upstream are under way and waiting.
    case overloaded
    /// The upstream asked not to be asked for these seconds yet.
    case paused(seconds: Int)
    /// The upstream failed too often and is not to be asked for these seconds yet.
    case down(seconds: Int)
    /// A file could not be read; the system call that failed and its error (`errno`).
    case unreadable(call: String, errno: Int32)
    /// What should be a file is a directory, a pipe or a device.
    case notAFile
    /// A file larger than this many bytes.
    case fileTooLarge(limit: Int)
}
