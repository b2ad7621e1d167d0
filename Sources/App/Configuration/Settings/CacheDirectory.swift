import Foundation
import Keys
import TileCache

/// Checks whether the server can use its directories, for example the directory of the cache.
enum CacheDirectory {
    /// Reports whether `directory` contains the first server's token file, or the database of the disk tier.
    static func isInUse(_ directory: String) -> Bool {
        ["admin-token", DiskSettings.fileName].contains { access("\(directory)/\($0)", F_OK) == 0 }
    }

    /// Checks whether the server can write files in `directory`. Returns the reason if the server cannot, else nil. A
    /// missing directory is fine if the server can create the directory.
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
    /// Looks for a directory that the server must write to and cannot. Returns its key and a message. The server must
    /// write tiles, and its own token if none is configured. Files of the fleet and of `cdn.purge` do not count.
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
