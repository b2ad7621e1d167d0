import Tiles

/// A policy of a tile server that forbids bulk downloads, such as exports.
package struct BulkPolicy: Hashable, Sendable {
    /// The host of the server. The policy also covers all subdomains of this host.
    package let host: String
    /// The address of the policy.
    package let address: String
    /// The day on which the policy was read, as `yyyy-mm-dd`.
    package let read: String
    /// The content of the policy in one sentence.
    package let sentence: String

    /// Returns the policy that covers `host`. Nil means that no policy is known: the host may still forbid bulk
    /// downloads. Ignores upper and lower case, and a dot at the end of `host`.
    package static func forbidding(_ host: String) -> BulkPolicy? {
        let labels = labels(host)
        return all.first { policy in labels.reversed().starts(with: Self.labels(policy.host).reversed()) }
    }

    /// The reason why an export from `host` is refused, as a sentence.
    package func refusal(of host: String) -> String {
        "\(PlainText.of(host, limit: 253)) does not allow bulk downloads: \(sentence) See \(address) (read \(read))."
    }

    /// Splits a host at its dots. Whole labels are compared, so a policy for `a.example` does not cover
    /// `ba.example`.
    private static func labels(_ host: String) -> [Substring] {
        var host = host.lowercased()[...]
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.split(separator: ".", omittingEmptySubsequences: false)
    }
}
