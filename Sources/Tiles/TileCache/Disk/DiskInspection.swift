import Files
import Glibc

/// What a server would find at the path of its disk tier. To look changes nothing, makes no file and takes no lock.
package struct DiskInspection: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Nothing, or an empty file: a server makes one.
        case nothing
        case tileCache
        /// A damaged cache: a server renames it and begins anew.
        case damaged
        /// It cannot be opened, for the system's reason.
        case unreadable(reason: String)
        /// It is not for a server to use.
        case refused(DiskStoreError)
    }

    package let content: Content
    /// Bytes of the database and of what lies beside it.
    package let bytes: Int
    /// Bytes that its file system has left for this user; nil where it does not say.
    package var freeBytes: Int?
    /// Who holds the lock of the database: a process of this machine, 0 for one of another container; nil: nobody.
    package let holder: Int?

    /// Blocks.
    package init(path: String) {
        let file = DiskFile(path: path)
        content = Self.content(of: file)
        (bytes, freeBytes) = (file.bytes, file.freeBytes)
        holder = Self.holder(of: path + ".lock", among: Self.locks)
    }

    /// All locks of files (proc(5)), or none where they cannot be read.
    private static var locks: String {
        do { return String(decoding: try RegularFile("/proc/locks").prefix(64 << 20), as: UTF8.self) } catch {
            return ""
        }
    }

    private static func content(of file: DiskFile) -> Content {
        do throws(DiskStoreError) {
            let found = try file.look { application throws(DiskStoreError) in
                // Zero: damaged at its head, or no file of any program. Which of the two a server finds out by opening it.
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

    /// The process that holds a lock (flock(2)) on the file at `path`, by the lines of `/proc/locks` (proc(5)).
    static func holder(of path: String, among locks: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        func hexadecimal(_ number: UInt64) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
        // As glibc puts the two numbers of a device together (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        // Such as `7: FLOCK  ADVISORY  WRITE 812 fd:01:3408044 0 EOF`.
        let place = "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[5] == place { return max(Int(words[4]) ?? 0, 0) }
        }
        return nil
    }
}
