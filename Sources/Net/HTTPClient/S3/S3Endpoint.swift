import Bytes

/// The URL of a server that speaks the protocol of S3, such as `https://minio.example:9000/prefix`.
struct S3Endpoint {
    /// `https` or `http`.
    let scheme: String
    /// The host in lower case. An IPv6 address is in brackets.
    let host: String
    /// A colon and the port, or an empty text if the port is the default of the scheme. libcurl omits the default
    /// port in the field `Host`, and the signature must contain the `Host` that libcurl sends.
    let port: String
    /// The start of the URL's path, before the bucket and the key, such as `/prefix`. The prefix is empty, or begins
    /// with a slash and does not end with a slash.
    let prefix: String

    /// True if the host is an IP address. A bucket's name cannot stand before an IP address, so the bucket is then
    /// in the path of the URL.
    var isLiteral: Bool { host.hasPrefix("[") || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.dot } }

    /// Creates AWS's own endpoint for `region`. AWS's endpoints in China have another domain.
    init(awsRegion region: String) {
        scheme = "https"
        host = "s3.\(region.lowercased()).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
        port = ""
        prefix = ""
    }

    /// Parses a URL.
    init(_ text: String) throws(S3LocationError) {
        func fault(_ expected: String) -> S3LocationError { .endpoint(text, expected: expected) }
        let lowered = text.lowercased()
        guard let start = ["https://", "http://"].first(where: lowered.hasPrefix) else {
            throw fault("expected https://host, with a port and a path if needed")
        }
        let rest = text.utf8.dropFirst(start.utf8.count)
        let authority = rest.prefix { $0 != ASCII.slash }
        // Credentials in a URL would appear in messages. Queries and escapes have no meaning before a key.
        guard authority.allSatisfy({ ASCII.isLetterOrDigit($0) || "-.:[]_".utf8.contains($0) }) else {
            throw fault("expected a host of letters, digits, dots and hyphens, without user, password or query")
        }
        let segments = rest.dropFirst(authority.count).split(separator: ASCII.slash)
        guard segments.allSatisfy(Self.isPlain) else {
            throw fault("expected a path of letters, digits, -, _, ~ and dots, without . and .. segments")
        }
        // libcurl's own parser decides, because libcurl connects to the host and sends it.
        guard let origin = Origin(start + String(decoding: authority, as: UTF8.self)), origin.port != "0" else {
            throw fault("expected a host, optionally followed by a port from 1 to 65535")
        }
        scheme = origin.isSecure ? "https" : "http"
        host = origin.host
        port = origin.hasDefaultPort ? "" : ":\(origin.port)"
        prefix = segments.map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
    }

    private static func isPlain(_ segment: some Collection<UInt8>) -> Bool {
        segment.allSatisfy { ASCII.isLetterOrDigit($0) || "-._~".utf8.contains($0) }
            && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
    }
}
