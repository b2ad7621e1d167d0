import Bytes
import CLibcrypto
import TileCache

/// Hashes of the secret, the settings and the layers of a node. All nodes of a fleet must have the same facts.
///
/// If there is a secret, each hash is an HMAC with this secret. A reader of Redis can therefore not guess the URLs of
/// sources or the keys in them. Without a secret, nodes compare only the names of their layers.
package struct FleetFacts: Sendable, Equatable {
    /// The digests by name: `secret`, `settings`, or `layer:` and an id. A digest has 16 hexadecimal digits, or is `-`
    /// without a secret.
    let digests: [String: String]
    /// The digests as text, one line each.
    let text: String
    /// A hash of all digests. Nodes with equal facts have equal sums.
    let sum: String

    /// Maximum number of layers and maps of a node.
    package static let mostLayers = 16_000
    /// Maximum size of a text in bytes. The maximum number of layers fits, each with an id of maximum length.
    static let mostBytes = (mostLayers + 2) * 96

    private init(_ digests: [String: String]) {
        self.digests = digests
        text = digests.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
        sum = ContentHash(of: SharedBytes(text)).hexadecimal
    }

    /// - Parameters:
    ///   - layers: layers and maps, each with a text that stands for the settings which determine its tiles.
    ///   - settings: other settings that must be the same.
    package init(layers: [(id: String, identity: String)], settings: String, secret: String) {
        let digest = { (text: String) in Self.digest(text, secret) }
        var digests = ["secret": digest("secret"), "settings": digest("settings\n\(settings)")]
        for layer in layers { digests["layer:\(layer.id)"] = digest("layer\n\(layer.id)\n\(layer.identity)") }
        self.init(digests)
    }

    private static func digest(_ text: String, _ secret: String) -> String {
        guard !secret.isEmpty else { return "-" }
        let (secret, text) = (Array(secret.utf8), Array(text.utf8))
        var bytes = [UInt8](repeating: 0, count: 32)
        guard sha256_hmac_of(secret, secret.count, text, text.count, &bytes) == 1 else { return "-" }
        return String(decoding: ASCII.hexadecimal(bytes.prefix(8)), as: UTF8.self)
    }

    // MARK: In Redis

    /// Parses facts that another node wrote to Redis as its `text`. Returns nil if the text is invalid.
    init?(text: [UInt8]) {
        guard text.count <= Self.mostBytes, let text = String(validating: text, as: UTF8.self) else { return nil }
        var digests: [String: String] = [:]
        let lines = text.split(separator: "\n", maxSplits: Self.mostLayers + 2)
        guard lines.count <= Self.mostLayers + 2 else { return nil }
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, 1...80 ~= words[0].utf8.count, 1...16 ~= words[1].utf8.count else { return nil }
            digests[String(words[0])] = String(words[1])
        }
        guard digests["secret"] != nil else { return nil }
        self.init(digests)
    }

    // MARK: Two nodes

    /// The most important difference between two nodes. The log and the metrics show this difference to the operator.
    enum Difference: Sendable, Equatable {
        /// The secrets differ, so the other digests cannot be compared.
        case secret
        /// Ids, at most the first eight, of layers and maps that only one node has, or whose tiles are made from
        /// something else.
        case layers([String])
        case settings

        var name: String {
            switch self {
            case .secret: "secret"
            case .layers: "layers"
            case .settings: "settings"
            }
        }
    }

    /// Returns ids of layers and maps that this node serves and the other node does not.
    func layers(notIn other: FleetFacts) -> Set<String> {
        Set(digests.keys.filter { other.digests[$0] == nil && $0.hasPrefix("layer:") }.map { String($0.dropFirst(6)) })
    }

    func difference(from other: FleetFacts) -> Difference? {
        if digests["secret"] != other.digests["secret"] { return .secret }
        let names = Set(digests.keys).union(other.digests.keys).filter { digests[$0] != other.digests[$0] }
        let layers = names.filter { $0.hasPrefix("layer:") }.map { String($0.dropFirst(6)) }
        if !layers.isEmpty { return .layers(Array(layers.sorted().prefix(8))) }
        return names.isEmpty ? nil : .settings
    }
}
