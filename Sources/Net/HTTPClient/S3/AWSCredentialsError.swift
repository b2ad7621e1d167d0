/// The reason why credentials are invalid. The description contains neither the secret nor the token.
package enum AWSCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `present` is set, and `missing` is not. Holds keys of the configuration, or names of environment variables.
    case incomplete(present: String, missing: String)
    /// A key of the configuration has an empty value.
    case empty(String)
    /// The value of `name` has an invalid character, or too many characters. Holds the expected form.
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
