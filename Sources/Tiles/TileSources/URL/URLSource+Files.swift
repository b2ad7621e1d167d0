import Bytes
import Glibc
import Keys

extension URLSource {
    /// Has a relative path of a `file:` template count from the directory of the configuration.
    mutating func locateFiles(_ section: inout MappingReader) {
        guard section.has(Self.key), section.isSound(Self.key), let path = relativePath else { return }
        var source = self
        template =
            "file:"
            + section.located(path, for: Self.key) { place in
                source.template = "file:\(place)"
                // What is wrong with the template itself is said elsewhere.
                return (try? URLTemplate(source))?.missingDirectory == nil
            }
    }

    /// What stands behind `file:`, where it is a relative path.
    private var relativePath: String? {
        guard template.utf8.prefix(5).map(ASCII.lowercased).elementsEqual("file:".utf8) else { return nil }
        let path = template.utf8.dropFirst(5)
        return path.first == UInt8(ascii: "/") ? nil : String(Substring(path))
    }
}

extension URLTemplate {
    /// Why the directory that stands in front of the first placeholder of a path is none; nil where it is one. A value of the
    /// layer's own, which may be secret, is shown by its name.
    var missingDirectory: String? {
        var (path, shown) = ("", "")
        fixed: for piece in pieces {
            switch piece {
            case .literal(let literal):
                path += literal
                shown += literal
            case .value(let value, let name):
                path += value
                shown += "{\(name)}"
            case .placeholder: break fixed
            }
        }
        let (directory, place) = (Self.directory(of: path), shownPath(Self.directory(of: shown)))
        var status = stat()
        guard stat(directory, &status) == 0 else {
            let code = errno
            return code == ENOENT || code == ENOTDIR
                ? "\(place): expected a directory, found nothing"
                : "\(place): the directory cannot be opened: \(String(cString: strerror(code)))"
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(place): expected a directory, found a file" }
        guard access(directory, X_OK) == 0 else {
            return "\(place): the directory cannot be opened: \(String(cString: strerror(errno)))"
        }
        return nil
    }

    private static func directory(of path: String) -> String {
        let directory = directoryPart(of: path)
        return directory.isEmpty ? "." : directory
    }
}
