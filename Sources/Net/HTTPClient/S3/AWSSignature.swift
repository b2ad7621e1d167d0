import Bytes

/// Signs requests that read objects, with AWS Signature Version 4 ("Authenticating Requests: Using the Authorization
/// Header", Amazon S3 API Reference).
///
/// A signature costs about ten HMACs and hashes of short texts. The signing key, which is valid for one day, is
/// computed again for each request, so that requests share no state.
package struct AWSSignature: Sendable {
    private let credentials: AWSCredentials
    private let region: String
    private let service: String

    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
    }

    /// The value of `x-amz-content-sha256`: the hash of the request's empty body, or a word that declares no hash.
    package enum Payload: Sendable {
        /// The SHA-256 of no bytes. Every store accepts this hash.
        case empty
        /// `UNSIGNED-PAYLOAD`.
        case unsigned

        var text: String {
            switch self {
            case .empty: SHA256.hexadecimal(of: [])
            case .unsigned: "UNSIGNED-PAYLOAD"
            }
        }
    }

    /// Creates a signer for requests to all objects of the S3 region `region`.
    package init(credentials: AWSCredentials, region: String) {
        self.init(credentials: credentials, region: region, service: "s3")
    }

    init(credentials: AWSCredentials, region: String, service: String) {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    /// Returns the fields to add to a request for `location`: `x-amz-content-sha256`, `x-amz-date`,
    /// `x-amz-security-token` if the credentials have a token, and `Authorization`. Returns nil if memory runs out.
    ///
    /// - `fields`: Other fields of the request that the signature covers, such as `Range` and `If-Match`. A proxy
    ///   that changes a signed field makes the signature invalid.
    /// - `seconds`: The present time in seconds since 1970. S3 refuses a time that differs from its clock by more
    ///   than 15 minutes.
    package func fields(
        for location: S3Location, method: Method = .get, signing fields: [(name: String, value: String)] = [],
        payload: Payload = .empty, at seconds: Int
    ) -> [(name: String, value: String)]? {
        let time = basicTimestamp(secondsSince1970: seconds)
        var added = [(name: "x-amz-content-sha256", value: payload.text), (name: "x-amz-date", value: time)]
        if let token = credentials.sessionToken { added.append((name: "x-amz-security-token", value: token)) }
        let request = CanonicalRequest(
            method: method.rawValue, path: location.path, fields: [("host", location.host)] + fields + added,
            payload: payload.text)
        guard let value = authorization(of: request, at: time) else { return nil }
        return added + [(name: "Authorization", value: value)]
    }

    /// Returns the value of `Authorization`. `time` is the value of `x-amz-date`.
    func authorization(of request: CanonicalRequest, at time: String) -> String? {
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hexadecimal(of: Array(request.text.utf8)))"
        guard let key = key(of: day), let digest = SHA256.hmac(of: text, key: key) else { return nil }
        return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(request.signedNames), "
            + "Signature=\(String(decoding: ASCII.hexadecimal(digest), as: UTF8.self))"
    }

    private func key(of day: String) -> [UInt8]? {
        var key: [UInt8]? = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in [day, region, service, "aws4_request"] { key = key.flatMap { SHA256.hmac(of: part, key: $0) } }
        return key
    }
}

extension AWSSignature: CustomStringConvertible, CustomReflectable {
    package var description: String { "AWSSignature(\(credentials), \(region))" }

    package var customMirror: Mirror { Mirror(self, children: ["credentials": credentials, "region": region]) }
}
