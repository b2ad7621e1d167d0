import Glibc

/// The reason why a file cannot be read or written. The description contains neither the path nor control characters.
package enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call, such as `open`, failed with this `errno`.
    case system(call: String, errno: Int32)
    /// The path leads to a file of this kind and not to a regular file.
    case notRegular(Kind)
    /// The file has more bytes than `limit`.
    case tooLarge(limit: Int)
    /// No program has opened the pipe for writing within these seconds.
    case noWriter(seconds: Int)
    /// No program has opened the pipe for reading within these seconds.
    case noReader(seconds: Int)
    /// The device or pipe belongs to another user, who is not root.
    case foreign(Kind)

    /// A kind of file that is not regular (inode(7)).
    package enum Kind: String, Sendable, CustomStringConvertible {
        case directory, pipe, socket, device, other

        /// The kind with its article, for messages.
        package var description: String { self == .other ? "a file of another kind" : "a \(rawValue)" }

        /// Returns nil if `mode` is that of a regular file.
        package init?(_ mode: mode_t) {
            switch mode & S_IFMT {
            case S_IFREG: return nil
            case S_IFDIR: self = .directory
            case S_IFIFO: self = .pipe
            case S_IFSOCK: self = .socket
            case S_IFCHR, S_IFBLK: self = .device
            default: self = .other
            }
        }
    }

    /// The system's number for this error, for callers that tell errors by number.
    package var code: Int32 {
        switch self {
        case .system(_, let code): code
        case .notRegular(.directory): EISDIR
        case .notRegular: EINVAL
        case .tooLarge: EFBIG
        case .noWriter: ETIMEDOUT
        case .noReader: ENXIO
        case .foreign: EACCES
        }
    }

    package var description: String {
        switch self {
        case .system, .notRegular(.directory): String(cString: strerror(code))
        case .notRegular(let kind): "expected a regular file, found \(kind)"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .noWriter(let seconds): "no program has opened the pipe for writing within \(seconds) s"
        case .noReader(0): "no program reads the pipe"
        case .noReader(let seconds): "no program has opened the pipe for reading within \(seconds) s"
        case .foreign(let kind): "the \(kind.rawValue) belongs to another user"
        }
    }
}
