import Files
import Glibc

/// The state of a disk store's files, for the report of a check. The inspection changes nothing, creates no file and
/// takes no lock.
package struct DiskInspection: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// No file, or an empty file: a server creates the database.
        case nothing
        case tileCache
        /// A damaged cache or a file that is no database: a server renames it and creates a new database. Or a database
        /// without an application id, which a server refuses if it is intact and belongs to another program.
        case damaged
        /// The file cannot be opened or read, for the system's reason.
        case unreadable(reason: String)
        /// A server refuses the file.
        case refused(DiskStoreError)
    }

    package let content: Content
    /// Bytes of the database and of the files beside it.
    package let bytes: Int
    /// Bytes that the file system has left for this user. Nil if unknown.
    package var freeBytes: Int?
    /// The process that holds the lock of the database, or 0 if its id has no meaning here. Nil if the lock is free, if
    /// the locks cannot be read, or if Linux hides the lock of another container's process (4.9 and later, proc(5)).
    package let holder: Int?

    /// Inspects the path. Blocks.
    package init(path: String) {
        let file = DiskFile(path: path)
        content = Self.content(of: file)
        (bytes, freeBytes) = (file.bytes, file.freeBytes)
        holder = Self.holder(of: path + ".lock", among: Self.locks)
    }

    /// All file locks (proc(5)), or an empty text if they cannot be read.
    private static var locks: String {
        do { return String(decoding: try RegularFile("/proc/locks").prefix(64 << 20), as: UTF8.self) } catch {
            return ""
        }
    }

    private static func content(of file: DiskFile) -> Content {
        do throws(DiskStoreError) {
            let found = try file.look { application throws(DiskStoreError) in
                // Zero means that the header is damaged, or that no program has set an id. A server finds out which by
                // opening the file.
                guard application == 0 else { throw .foreign(path: file.path, application: application) }
                return .unusable(.malformed)
            }
            return switch found {
            case .nothing: .nothing
            case .tileCache: .tileCache
            case .unusable: .damaged
            case .unreadable(let code): .unreadable(reason: String(cString: strerror(code)))
            }
        } catch {
            return .refused(error)
        }
    }

    /// Returns the id of the process that has locked the file at `path` with flock(2), or 0 if `locks` has no valid id.
    /// Returns nil if there is no such file, or if `locks` has no line about it. The parameter `locks` is the text of
    /// `/proc/locks` (proc(5)).
    static func holder(of path: String, among locks: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        func hexadecimal(_ number: UInt64) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
        // Split the device number into its two parts like glibc (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        // A line looks like `7: FLOCK  ADVISORY  WRITE 812 fd:01:3408044 0 EOF`.
        let place = "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[5] == place { return max(Int(words[4]) ?? 0, 0) }
        }
        return nil
    }
}
