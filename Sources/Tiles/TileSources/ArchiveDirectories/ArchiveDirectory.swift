import Files
import Glibc

/// A directory whose archives the server serves as layers. Archives in sub-directories are not served. Thread rule: any
/// thread that may block can call the functions.
struct ArchiveDirectory {
    let path: String

    /// An archive: a file whose name ends in `.mbtiles` or `.pmtiles`, in small or capital letters.
    struct Entry: Hashable {
        /// The name of the file without its ending, such as `city` for `city.pmtiles`. Nil if the name is not UTF-8.
        let name: String?
        let path: String
        let format: FoundArchives.Format
        /// The identity of the file's content, or the reason why the file cannot be served.
        let identity: Result<FileIdentity, Refusal>
    }

    /// The reason why a file cannot be served. This reason is known without reading the content of the file. The
    /// associated value of `unreadable` is the problem as a text.
    enum Refusal: Error, Hashable {
        case leadsOut
        case unreadable(String)
    }

    /// Maximum number of names in the directory, including names of other files. If the directory has more names,
    /// `entries` throws an error: the directory is probably not meant for archives.
    static let mostNames = 100_000

    /// Returns an entry for each archive in the directory, in no particular order. Skips names that begin with a dot,
    /// sub-directories, and files that disappear during the call. Throws an error if the directory cannot be read or
    /// has too many names.
    func entries() throws(FileError) -> [Entry] {
        guard let directory = opendir(path) else { throw .system(call: "opendir", errno: errno) }
        defer { closedir(directory) }
        var (entries, count) = ([Entry](), 0)
        while true {
            errno = 0
            guard let found = readdir(directory) else {
                guard errno == 0 else { throw .system(call: "readdir", errno: errno) }
                return entries
            }
            count += 1
            guard count <= Self.mostNames else { throw .tooLarge(limit: Self.mostNames) }
            let bytes = withUnsafeBytes(of: &found.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes.first != UInt8(ascii: "."), let entry = entry(bytes) { entries.append(entry) }
        }
    }

    private func entry(_ bytes: [UInt8]) -> Entry? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")),
            let format = FoundArchives.Format(rawValue: text[dot...].dropFirst().lowercased())
        else { return nil }
        let place = path.hasSuffix("/") ? path + text : "\(path)/\(text)"
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return Entry(name: nil, path: place, format: format, identity: .failure(.unreadable("")))
        }
        var status = stat()
        guard lstat(place, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        let identity: Result<FileIdentity, Refusal>
        if status.st_mode & S_IFMT == S_IFLNK, !isInside(place) {
            identity = .failure(access(place, F_OK) == 0 ? .leadsOut : .unreadable("the link leads to no file"))
        } else {
            do throws(MBTilesError) {
                identity = .success(try FileIdentity(path: place))
            } catch {
                // The file may have been removed since.
                guard access(place, F_OK) == 0 else { return nil }
                identity = .failure(.unreadable(error.reason))
            }
        }
        return Entry(name: String(text[..<dot]), path: place, format: format, identity: identity)
    }

    /// Reports whether the symbolic link at the path `place` leads to a file in this directory or in a sub-directory.
    /// Returns false if the link leads to no file.
    private func isInside(_ place: String) -> Bool {
        guard let target = Self.resolved(place), let own = Self.resolved(path) else { return false }
        return target.hasPrefix(own.hasSuffix("/") ? own : own + "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
