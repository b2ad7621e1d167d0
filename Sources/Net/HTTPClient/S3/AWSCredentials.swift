/// An access key of AWS or of a compatible store. The descriptions of a value never show the secret or the token.
package struct AWSCredentials: Sendable, Hashable {
    /// The public identifier of the access key. Each signed request contains this identifier.
    package let accessKeyID: String
    let secretAccessKey: String
    /// The session token of temporary credentials. Nil if the access key does not expire.
    let sessionToken: String?

    /// Creates credentials from values of a configuration. If a value is invalid, the error has the name of its
    /// configuration key.
    package init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil
    ) throws(AWSCredentialsError) {
        try self.init(accessKeyID, secretAccessKey, sessionToken, names: .configuration)
    }

    private init(
        _ id: String, _ secret: String, _ token: String?, names: Names
    ) throws(AWSCredentialsError) {
        try Self.check(id, named: names.id, limit: 128, without: "/,")
        try Self.check(secret, named: names.secret, limit: 1_024)
        // S3 accepts at most 8 KB of header fields ("Common request headers", Amazon S3 API Reference).
        if let token { try Self.check(token, named: names.token, limit: 8_192) }
        accessKeyID = id
        secretAccessKey = secret
        sessionToken = token
    }

    /// Returns the credentials of the configuration, or else the credentials of the environment variables in
    /// `environment`. Returns nil if neither has credentials: requests are then not signed. Never mixes values of
    /// the configuration and of the environment. An empty environment variable counts as unset.
    package static func chosen(
        accessKeyID: String? = nil, secretAccessKey: String? = nil, sessionToken: String? = nil,
        environment: [String: String]
    ) throws(AWSCredentialsError) -> AWSCredentials? {
        let values = [accessKeyID, secretAccessKey, sessionToken]
        for (name, value) in zip(Names.configuration.all, values) where value?.isEmpty == true { throw .empty(name) }
        if let own = try pair(values, .configuration) { return own }
        return try pair(
            Names.environment.all.map { name in environment[name].flatMap { $0.isEmpty ? nil : $0 } }, .environment)
    }

    /// Returns the AWS region from the environment variable `AWS_REGION`, or else from `AWS_DEFAULT_REGION`. Returns
    /// nil if neither variable is set.
    package static func region(in environment: [String: String]) -> String? {
        ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    private static func pair(_ values: [String?], _ names: Names) throws(AWSCredentialsError) -> AWSCredentials? {
        let present = zip(names.all, values).first { $0.1 != nil }?.0
        guard let present else { return nil }
        guard let id = values[0] else { throw .incomplete(present: present, missing: names.id) }
        guard let secret = values[1] else { throw .incomplete(present: present, missing: names.secret) }
        return try AWSCredentials(id, secret, values[2], names: names)
    }

    /// Throws `.invalid` if `value` is empty, is longer than `limit` bytes, or has a character that is not visible
    /// ASCII or is in `separators`. `name` is the configuration key or environment variable of `value`. A common
    /// mistake is a line feed at the end of a value that was read from a file.
    private static func check(
        _ value: String, named name: String, limit: Int, without separators: String = ""
    ) throws(AWSCredentialsError) {
        let isSound = value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !separators.utf8.contains($0) }
        guard isSound, (1...limit).contains(value.utf8.count) else {
            let others = separators.map { ", no \($0)" }.joined()
            throw .invalid(
                name: name, expected: "1 to \(limit) visible ASCII characters (no space or line end\(others))")
        }
    }

    /// The names of the values, for errors.
    private struct Names {
        let id, secret, token: String
        var all: [String] { [id, secret, token] }

        static let configuration = Names(id: "accessKeyID", secret: "secretAccessKey", token: "sessionToken")
        static let environment = Names(
            id: "AWS_ACCESS_KEY_ID", secret: "AWS_SECRET_ACCESS_KEY", token: "AWS_SESSION_TOKEN")
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first four characters of the access key ID and an ellipsis. Only an ellipsis if the ID has fewer than 16
    /// bytes. The rest stays hidden, because an operator may have swapped the ID and the secret.
    private var shownID: String { accessKeyID.utf8.count < 16 ? "…" : "\(accessKeyID.prefix(4))…" }

    package var description: String { "AWSCredentials(\(shownID))" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["accessKeyID": shownID]) }
}
