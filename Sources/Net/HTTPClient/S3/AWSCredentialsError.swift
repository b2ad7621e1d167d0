/// The reason why credentials are invalid. The description contains neither the secret nor the token.
package enum AWSCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The configuration key or environment variable `present` is set without `missing`, which is required too.
    case incomplete(present: String, missing: String)
    /// A configuration key has an empty value. The associated value is the name of the key.
    case empty(String)
    /// The value of the configuration key or environment variable `name` is empty, too long or has an invalid
    /// character. `expected` describes a valid value.
    case invalid(name: String, expected: String)

    package var description: String {
        switch self {
        case .incomplete(let present, let missing):
            "\(present) is set and \(missing) is missing; set both, or none for a public bucket"
        case .empty(let name): "\(name) is empty; set it, or remove all keys of the credentials for a public bucket"
        case .invalid(let name, let expected): "the value of \(name) is invalid: expected \(expected)"
        }
    }
}
