import Bytes
import Glibc
import Keys

/// What a URL-template layer needs to ask for tiles.
public struct URLSource: Sendable, Equatable {
    /// The template as it is written, placeholders and all. It is read when the layer is made.
    public var template = ""
    /// The layer's own placeholders: names `^[a-zA-Z][a-zA-Z0-9_]*$`, none of them in `builtInPlaceholders`.
    public var values: [String: String] = [:]
    /// What `{s}` stands for in turn: host name labels, each 1…63 of letters, digits and inner hyphens.
    public var subdomains: [String] = []
    /// Headers of every request, in the order of the file: an RFC 9110 token (5.6.2) and a value without control
    /// bytes.
    public var headers: [Header] = []
    /// The `User-Agent` of every request. Nil: the server's own.
    public var userAgent: String?
    /// The `Referer` of every request. Nil: none is sent.
    public var referer: String?
    /// Which way rows are counted.
    public var scheme = Scheme.xyz
    /// Whether addresses of private and local networks are allowed where they are refused otherwise: to a redirect
    /// that leaves the source's origin, and to a source whose name had a public address when it was first connected
    /// to. A source that is an address itself, or `localhost`, or whose name leads inside from the first, needs no
    /// permission.
    public var allowPrivate = false
    /// A PEM file of the certificate authorities that an https source is trusted by, in place of the system's. Nil: the
    /// system's.
    public var caFile: String?
    /// What an https source is shown of who asks. Nil: nothing.
    public var clientCertificate: ClientCertificate?
    /// SHA-256 of images that mean "not available", such as a provider's placeholder: 64 lower-case hexadecimal digits
    /// each. One that is in the cache already is served until it is next asked about: clear the layer afterwards.
    public var rejectSHA256: [String] = []

    /// A source with the defaults.
    public init(template: String) {
        self.template = template
    }

    package init() {}

    /// The placeholders a template can use without naming them in `values`.
    public static let builtInPlaceholders = [
        "z", "zoom", "x", "y", "-y", "s", "r", "scale", "quadkey", "bbox-epsg-3857",
    ]

    /// PEM files that say who asks.
    public struct ClientCertificate: Sendable, Equatable {
        /// The certificate, and behind it those that lead to its authority.
        public var certificate: String
        /// Its private key, without a password. Nil: it stands in the same file.
        public var key: String?

        /// The files at these paths, which are not judged here.
        public init(certificate: String, key: String? = nil) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// One header line.
    public struct Header: Sendable, Equatable {
        /// The field name, an RFC 9110 token, as it is written.
        public var name: String
        /// The field value.
        public var value: String

        /// A line with this name and value, which are not judged here.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Which way the rows of an upstream are counted.
    public enum Scheme: String, Sendable, CaseIterable {
        /// From the north, as everywhere in the server.
        case xyz
        /// From the south, as the Tile Map Service does.
        case tms
    }

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
