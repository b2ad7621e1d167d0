/// The reason why an S3 location is invalid. The description is one line without control characters.
package enum S3LocationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address does not begin with `s3://`, or has no bucket or no key.
    case address(String)
    /// The bucket's name breaks a rule of AWS. Holds the rule.
    case bucket(String, rule: String)
    /// The key has this number of bytes. S3 allows fewer.
    case keyTooLong(bytes: Int)
    /// The endpoint is no URL of a server. Holds the expected form.
    case endpoint(String, expected: String)
    /// The region has invalid characters.
    case region(String)

    package var description: String {
        switch self {
        case .address(let address):
            "\(S3Text.quoted(address)) is no address of an S3 object; write s3://bucket/key"
        case .bucket(let name, let rule): "the bucket \(S3Text.quoted(name)) is no valid name of a bucket: \(rule)"
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
