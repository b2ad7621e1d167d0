/// The reason why an S3 location is invalid. The description is one line without control characters.
package enum S3LocationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address does not begin with `s3://`, or the bucket or the key is missing. The associated value is the
    /// address.
    case address(String)
    /// The bucket's name breaks a naming rule of AWS. The first value is the name, and `rule` describes the rule.
    case bucket(String, rule: String)
    /// The key has `bytes` bytes, which is more than S3 allows (`S3Location.longestKey`).
    case keyTooLong(bytes: Int)
    /// The endpoint is not the URL of a server. The first value is the endpoint, and `expected` describes a valid
    /// endpoint.
    case endpoint(String, expected: String)
    /// The region has invalid characters.
    case region(String)

    package var description: String {
        switch self {
        case .address(let address):
            "\(S3Text.quoted(address)) is not the address of an S3 object; write s3://bucket/key"
        case .bucket(let name, let rule): "the name of the bucket \(S3Text.quoted(name)) is invalid: \(rule)"
        case .keyTooLong(let bytes):
            "the key has \(bytes) bytes, and S3 allows at most \(S3Location.longestKey); use a shorter key"
        case .endpoint(let endpoint, let expected):
            "the endpoint \(S3Text.quoted(endpoint)) is invalid: \(expected)"
        case .region(let region):
            "the region \(S3Text.quoted(region)) is invalid: expected 1 to 64 letters, digits, - or _, such as "
                + "eu-central-1"
        }
    }
}
