import Bytes

/// The place of an object in Amazon S3 or in a compatible store.
package struct S3Location: Sendable, Hashable {
    /// A name by AWS's rules.
    package let bucket: String
    /// The key as the address spells it, of 1 to 1,024 bytes. The address is not percent-decoded: `%2F` in an address
    /// means these three characters.
    package let key: String
    /// The region of the signature.
    package let region: String
    /// True if the URL has the bucket in its path and not in its host.
    package let isPathStyle: Bool
    /// The absolute URL, percent-encoded. Contains no secret. A client must send the path as it stands, because S3 does
    /// not resolve segments of dots (RFC 3986 5.2.4).
    package let url: String
    /// The path of `url`. The signature contains the same path as its canonical URI.
    package let path: String
    /// The value of the field `Host`: the host in lower case, and the port unless it is the default of the scheme.
    package let host: String

    /// The region if none is configured.
    package static let defaultRegion = "us-east-1"
    /// Maximum length of a key in bytes ("Naming Amazon S3 objects", Amazon S3 User Guide).
    static let longestKey = 1_024

    /// True if a client that resolves segments of dots would request another object.
    package var hasDotSegments: Bool {
        path.utf8.split(separator: ASCII.slash).contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }

    /// Parses `s3://bucket/key`.
    ///
    /// - `endpoint`: `https://host`, `http://host`, with a port and a path if needed. Nil means AWS's endpoint of the
    ///   region.
    /// - `pathStyle`: Puts the bucket in the path. The path also has the bucket if the bucket's name has a dot, because
    ///   AWS's certificate covers one label only, or if the endpoint's host is an IP address.
    package init(
        _ address: String, endpoint: String? = nil, region: String = S3Location.defaultRegion, pathStyle: Bool = false
    ) throws(S3LocationError) {
        (bucket, key) = try Self.parts(of: address)
        if let rule = S3Bucket.fault(of: bucket) { throw .bucket(bucket, rule: rule) }
        guard key.utf8.count <= Self.longestKey else { throw .keyTooLong(bytes: key.utf8.count) }
        guard Self.isRegion(region) else { throw .region(region) }
        self.region = region
        let server: S3Endpoint
        if let endpoint { server = try S3Endpoint(endpoint) } else { server = S3Endpoint(awsRegion: region) }
        isPathStyle = pathStyle || bucket.utf8.contains(ASCII.dot) || server.isLiteral
        host = (isPathStyle ? "" : bucket + ".") + server.host + server.port
        path = server.prefix + (isPathStyle ? "/\(bucket)/" : "/") + S3Text.encoded(key, keepsSlashes: true)
        url = "\(server.scheme)://\(host)\(path)"
        guard UpstreamURL.isValid(url) else {
            throw .endpoint(endpoint ?? server.host, expected: "expected a host that forms a URL with the bucket")
        }
    }

    private static func parts(of address: String) throws(S3LocationError) -> (bucket: String, key: String) {
        let scheme = "s3://"
        guard address.utf8.starts(with: scheme.utf8) else { throw .address(address) }
        let rest = address.utf8.dropFirst(scheme.utf8.count)
        guard let slash = rest.firstIndex(of: ASCII.slash), slash > rest.startIndex else { throw .address(address) }
        let key = rest[rest.index(after: slash)...]
        guard !key.isEmpty else { throw .address(address) }
        return (String(decoding: rest[..<slash], as: UTF8.self), String(decoding: key, as: UTF8.self))
    }

    /// The region becomes part of the signature's scope, where a slash separates fields, and part of AWS's host.
    private static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}
