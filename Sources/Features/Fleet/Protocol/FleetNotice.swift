import TileCache

/// An entry of the stream about many layers. Older nodes ignore it and learn from rows: `FleetScript` writes no
/// `.clears` while such a node is there, and such a node reads all rows each second.
package enum FleetNotice: Sendable, Equatable {
    /// The layers were cleared, all under one generation. `node` was asked.
    case clears([String], generation: UInt32, node: String)
    /// The rows of the layers have changed more than messages tell; nil: perhaps all rows.
    case rows([String]?)

    /// The most layers that it names.
    private static let mostLayers = 10_000

    /// As names and values. `name`: tells a clear from every other.
    package func fields(name: String = "", node: String) -> [(name: String, value: String)] {
        switch self {
        case .clears(let layers, let generation, let node):
            [
                ("kind", "clears"), ("node", node), ("name", name), ("generation", "\(generation)"),
                ("layers", layers.joined(separator: " ")),
            ]
        case .rows(let layers): [("kind", "rows"), ("node", node), ("layers", layers?.joined(separator: " ") ?? "*")]
        }
    }

    /// Nil where `fields` are not exactly those of a notice, in their order.
    package init?(fields: [(name: String, value: String)]) {
        let (names, values) = (fields.map(\.name), fields.map(\.value))
        guard values.allSatisfy({ $0.utf8.count <= FleetMessage.longestValue }), values.count >= 3 else { return nil }
        switch values[0] {
        case "clears" where names == ["kind", "node", "name", "generation", "layers"]:
            guard FleetMessage.isName(values[1], atMost: 64), let generation = UInt32(canonical: values[3]),
                let layers = Self.layers(values[4])
            else { return nil }
            self = .clears(layers, generation: generation, node: values[1])
        case "rows" where names == ["kind", "node", "layers"]:
            guard values[2] != "*" else {
                self = .rows(nil)
                return
            }
            guard let layers = Self.layers(values[2]) else { return nil }
            self = .rows(layers)
        default: return nil
        }
    }

    private static func layers(_ text: String) -> [String]? {
        let layers = text.split(separator: " ", maxSplits: mostLayers, omittingEmptySubsequences: false).map(
            String.init)
        return layers.count <= mostLayers && layers.allSatisfy { FleetMessage.isName($0, atMost: 64) } ? layers : nil
    }
}
