import Bytes
import Glibc
import Keys

/// The settings of a layer whose tiles come from a URL template.
public struct URLSource: Sendable, Equatable {
    /// The template as it is written, including its placeholders. The template is parsed when the layer is made.
    public var template = ""
    /// The layer's own placeholders. Names match `^[a-zA-Z][a-zA-Z0-9_]*$` and are not in `builtInPlaceholders`.
    public var values: [String: String] = [:]
    /// Values of `{s}`, used in turn. Each is a host name label of 1…63 letters, digits and inner hyphens.
    public var subdomains: [String] = []
    /// Headers of each request, in the order of the file. After a redirect to another origin they are not sent. A name
    /// is an RFC 9110 token (5.6.2), and a value has no control bytes except tabs.
    public var headers: [Header] = []
    /// The `User-Agent` of each request. Nil: the server's own.
    public var userAgent: String?
    /// The `Referer` of each request. Nil: none is sent.
    public var referer: String?
    /// The direction in which rows are counted.
    public var scheme = Scheme.xyz
    /// True if the source may always lead to addresses of private and local networks. Otherwise a redirect to another
    /// origin must not lead to such an address. A name that had a public address at the first connection must not lead
    /// to one later. A source needs no permission if it is itself an address or `localhost`, or if its name has been
    /// private from the start.
    public var allowPrivate = false
    /// A PEM file of certificate authorities for https, used in place of the system's. Nil: the system's.
    public var caFile: String?
    /// The client certificate for https. Nil: none.
    public var clientCertificate: ClientCertificate?
    /// SHA-256 hashes of images that mean "not available", such as a provider's placeholder. Each has 64 lower-case
    /// hexadecimal digits. Clear the layer after adding a hash: a cached image with that hash is otherwise served until
    /// its next revalidation.
    public var rejectSHA256: [String] = []

    /// Makes a source with default settings.
    public init(template: String) {
        self.template = template
    }

    package init() {}

    /// The placeholders that a template can use without an entry in `values`.
    public static let builtInPlaceholders = [
        "z", "zoom", "x", "y", "-y", "s", "r", "scale", "quadkey", "bbox-epsg-3857",
    ]

    /// The PEM files of a client certificate, with which this server identifies itself to an upstream.
    public struct ClientCertificate: Sendable, Equatable {
        /// The certificate, followed by the certificates that lead to its authority.
        public var certificate: String
        /// The private key, without a password. Nil if the key is in the same file.
        public var key: String?

        /// Takes the paths of the files without checking them.
        public init(certificate: String, key: String? = nil) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// One header field that is sent with each request to the upstream.
    public struct Header: Sendable, Equatable {
        /// The field name, an RFC 9110 token, as it is written.
        public var name: String
        /// The field value.
        public var value: String

        /// Makes a header field without checking its name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The direction in which an upstream counts rows.
    public enum Scheme: String, Sendable, CaseIterable {
        /// From the north, as everywhere in the server.
        case xyz
        /// From the south, like the Tile Map Service.
        case tms
    }

    /// Makes a relative path of a `file:` template start at the directory of the configuration file.
    mutating func locateFiles(_ section: inout MappingReader) {
        guard section.has(Self.key), section.isSound(Self.key), let path = relativePath else { return }
        var source = self
        template =
            "file:"
            + section.located(path, for: Self.key) { place in
                source.template = "file:\(place)"
                // An error in the template itself is reported elsewhere.
                return (try? URLTemplate(source))?.missingDirectory == nil
            }
    }

    /// The path after `file:`, if it is relative.
    private var relativePath: String? {
        guard template.utf8.prefix(5).map(ASCII.lowercased).elementsEqual("file:".utf8) else { return nil }
        let path = template.utf8.dropFirst(5)
        return path.first == UInt8(ascii: "/") ? nil : String(Substring(path))
    }
}

extension URLTemplate {
    /// Returns the problem with the directory before the first placeholder of a path. Nil if the directory exists and
    /// its files can be opened. The text shows the name instead of the value for the layer's own placeholders, because
    /// a value may be secret.
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
