import Foundation
import Keys
import TileCache

/// What the server writes, and where it cannot.
enum CacheDirectory {
    /// Whether a server has written into `directory`.
    static func isInUse(_ directory: String) -> Bool {
        ["admin-token", DiskSettings.fileName].contains { access("\(directory)/\($0)", F_OK) == 0 }
    }

    /// Why nothing can be written into `directory`, which may be made in one that is there; nil where something can.
    static func fault(of directory: String) -> String? {
        var status = stat()
        if stat(directory, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                return "\(shownPath(directory)): expected a directory, found a file"
            }
            return access(directory, W_OK | X_OK) == 0
                ? nil : "\(shownPath(directory)): the directory cannot be written: \(reason(errno))"
        }
        guard errno == ENOENT else {
            return "\(shownPath(directory)): the directory cannot be opened: \(reason(errno))"
        }
        var path = directory
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        let parent = directoryPart(of: path)
        return access(parent.isEmpty ? "." : parent, W_OK | X_OK) == 0
            ? nil : "\(shownPath(directory)): the directory cannot be created: \(reason(errno))"
    }

    private static func reason(_ code: Int32) -> String { "\(String(cString: strerror(code))) (uid \(getuid()))" }
}

extension Configuration {
    /// A directory that the server would write in and cannot, by the key that names it: for the token that it makes where none is
    /// configured, and for tiles.
    package func unwritableDirectory() -> (keys: [String], message: String)? {
        let path = cache.disk?.path
        if admin.token.isEmpty || (cache.disk != nil && path == nil),
            let message = CacheDirectory.fault(of: cache.directory)
        {
            return (["cache", "directory"], message)
        }
        guard let path else { return nil }
        let directory = directoryPart(of: path)
        return CacheDirectory.fault(of: directory.isEmpty ? "." : directory).map { (["cache", "disk", "path"], $0) }
    }
}
