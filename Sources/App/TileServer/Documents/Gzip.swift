import Bytes
import CViewer

/// Compresses content with gzip (RFC 1952).
enum Gzip {
    /// The compression level of zlib.
    enum Effort: Int32 {
        /// For content that is made often.
        case usual = 6
        case most = 9
    }

    /// Returns the compressed content. Nil if there is not enough memory.
    static func compressed(_ content: SharedBytes, _ effort: Effort) -> SharedBytes? {
        let compressed = SharedBytes(capacity: cviewer_gzip_bound(content.count)) { target in
            cviewer_gzip(
                content.buffer.bindMemory(to: UInt8.self).baseAddress, content.count,
                target.bindMemory(to: UInt8.self).baseAddress, target.count, effort.rawValue)
        }
        return compressed.count > 0 ? compressed : nil
    }
}
