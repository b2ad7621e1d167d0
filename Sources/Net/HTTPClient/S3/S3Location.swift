import Bytes

/// The bucket, the key and the URL of an object in Amazon S3 or in a compatible store.
package struct S3Location: Sendable, Hashable {
    /// A name by AWS's rules.
    package let bucket: String
    /// The object's key, of 1 to 1,024 bytes, as the address spells it. The address is not percent-decoded: `%2F` in
    /// an address means these three characters.
    package let key: String
    /// The region of the signature.
    package let region: String
    /// True if the bucket is in the URL's path. False if the bucket is in the URL's host.
    package let isPathStyle: Bool
    /// The absolute URL, percent-encoded. The URL contains no secret. A client must send `.` and `..` segments of
    /// the path unchanged, because S3 does not resolve these segments (RFC 3986 5.2.4).
    package let url: String
    /// The path of `url`. The signature contains this path as its canonical URI.
    package let path: String
    /// The value of the field `Host`: the host in lower case, and the port unless the port is the default of the
    /// scheme.
    package let host: String

    /// The region if none is configured.
    package static let defaultRegion = "us-east-1"
    /// Maximum length of a key in bytes ("Naming Amazon S3 objects", Amazon S3 User Guide).
    static let longestKey = 1_024

    /// True if the path has a `.` or `..` segment. A client that resolves these segments would request another
    /// object.
    package var hasDotSegments: Bool {
        path.utf8.split(separator: ASCII.slash).contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }

    /// Parses the address `s3://bucket/key`.
    ///
    /// - `endpoint`: The URL of the server: `https://host` or `http://host`, with a port and a path if needed. Nil
    ///   means AWS's endpoint of `region`.
    /// - `pathStyle`: True to put the bucket in the path of the URL. The bucket is also in the path if its name has
    ///   a dot, because AWS's certificate covers one label only, or if the endpoint's host is an IP address.
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
            throw .endpoint(
                endpoint ?? server.host, expected: "expected a host that gives a valid URL together with the bucket")
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

    /// Reports whether `text` has 1 to 64 letters, digits, hyphens and underscores. The signature puts the region
    /// between slashes, and AWS's host name contains the region. Other characters could change the meaning of both.
    private static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}
