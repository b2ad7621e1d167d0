import Tiles

/// A policy of a tile server that forbids bulk downloads. An export downloads many tiles, so the program refuses to
/// export tiles from this server, unless the settings of the layer allow the export.
package struct BulkPolicy: Hashable, Sendable {
    /// The host name of the server, such as `thunderforest.com`. The policy also covers all subdomains of this host.
    package let host: String
    /// The address of the policy.
    package let address: String
    /// The day on which a developer of this project read the policy, as `yyyy-mm-dd`.
    package let read: String
    /// A summary of the policy in one sentence, for the text of `refusal`.
    package let sentence: String

    /// Returns the policy that covers `host`. Returns nil if this program knows no policy for `host`: the host may
    /// still forbid bulk downloads. Ignores upper and lower case, and a dot at the end of `host`.
    package static func forbidding(_ host: String) -> BulkPolicy? {
        let labels = labels(host)
        return all.first { policy in labels.reversed().starts(with: Self.labels(policy.host).reversed()) }
    }

    /// Returns the reason why an export from `host` is refused, for the user. The text has `sentence`, and the address
    /// and date of the policy.
    package func refusal(of host: String) -> String {
        "\(PlainText.of(host, limit: 253)) does not allow bulk downloads: \(sentence) See \(address) (read \(read))."
    }

    /// Returns the labels of `host`: the parts between the dots, in lower case. `forbidding` compares whole labels, so
    /// a policy for `a.example` does not cover `ba.example`.
    private static func labels(_ host: String) -> [Substring] {
        var host = host.lowercased()[...]
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.split(separator: ".", omittingEmptySubsequences: false)
    }
}
