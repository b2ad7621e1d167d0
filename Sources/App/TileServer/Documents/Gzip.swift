import Bytes
import CViewer

/// What is sent to clients in the coding gzip (RFC 1952).
enum Gzip {
    /// How hard zlib tries.
    enum Effort: Int32 {
        /// For what is made again and again.
        case usual = 6
        case most = 9
    }

    /// Nil where there is no memory for it.
    static func compressed(_ content: SharedBytes, _ effort: Effort) -> SharedBytes? {
        let compressed = SharedBytes(capacity: cviewer_gzip_bound(content.count)) { target in
            cviewer_gzip(
                content.buffer.bindMemory(to: UInt8.self).baseAddress, content.count,
                target.bindMemory(to: UInt8.self).baseAddress, target.count, effort.rawValue)
        }
        return compressed.count > 0 ? compressed : nil
    }
}
