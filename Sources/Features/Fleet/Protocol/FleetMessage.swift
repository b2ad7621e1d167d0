import Bytes
import Foundation
import MapGeometry
import TileCache

/// A message that tells other nodes about a clear of a layer, or about a purge of a part of the layer. The message
/// reaches them through the Redis stream, as a list of names and values. Between two nodes it is a JSON object with the
/// same members, and with the message's id if there is one.
package struct FleetMessage: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// A clear of the whole layer. `generation` is the layer's generation after the clear.
        case clear(generation: UInt32)
        /// A purge of some tiles. `previous` is the id of the layer's purge before this one. A node without that purge
        /// has missed messages. In a batch, `previous` is zero and has no meaning.
        case purge(previous: StreamID, TileArea, isSoft: Bool)
    }

    package let layer: String
    package let content: Content
    /// The name of the node that made the message. This node got the clear or purge from a client, or asked Redis for
    /// its number.
    package let node: String
    /// In a batch, the unique name of the message: the name of the clear or purge, a dot and the layer. In the stream,
    /// the name of the clear or purge alone, which the messages of several layers share. Empty if the message was made
    /// from a notice.
    package let name: String
    /// The id of the message's entry in the stream, which `fields` does not contain. Nil if Redis has not numbered the
    /// message yet.
    package var id: StreamID?

    /// Maximum number of bytes of a value.
    package static let longestValue = 128 << 10

    /// The name without the layer. The messages of one purge of several layers share this name.
    var nameWithoutLayer: String {
        name.hasSuffix(".\(layer)") ? String(name.dropLast(layer.utf8.count + 1)) : name
    }

}

/// Converts a message to names and values, and back.
extension FleetMessage {
    package var fields: [(name: String, value: String)] {
        switch content {
        case .clear(let generation):
            [("kind", "clear"), ("layer", layer), ("node", node), ("name", name), ("generation", "\(generation)")]
        case .purge(let previous, let area, let isSoft):
            [
                ("kind", "purge"), ("layer", layer), ("node", node), ("name", name), ("previous", "\(previous)"),
                ("soft", isSoft ? "1" : "0"), ("area", area.fleetText),
            ]
        }
    }

    /// Parses a message. Returns nil if `fields` are not the fields of a message in their exact order, or if a value is
    /// invalid. Such fields may come from another version of the server.
    package init?(fields: [(name: String, value: String)], id: StreamID? = nil) {
        guard fields.count >= 5, fields.allSatisfy({ $0.value.utf8.count <= Self.longestValue }),
            fields.prefix(4).map(\.name) == ["kind", "layer", "node", "name"]
        else { return nil }
        let values = fields.map(\.value)
        let names = fields.dropFirst(4).map(\.name)
        guard Self.isName(values[1], atMost: 64), Self.isName(values[2], atMost: 64), Self.isName(values[3], atMost: 96)
        else { return nil }
        (layer, node, name) = (values[1], values[2], values[3])
        self.id = id
        switch values[0] {
        case "clear" where names == ["generation"]:
            guard let generation = UInt32(canonical: values[4]) else { return nil }
            content = .clear(generation: generation)
        case "purge" where names == ["previous", "soft", "area"]:
            guard let previous = StreamID(values[4]), values[5] == "0" || values[5] == "1",
                let area = TileArea(fleetText: values[6])
            else { return nil }
            content = .purge(previous: previous, area, isSoft: values[5] == "1")
        default: return nil
        }
    }

    /// Reports whether `text` has only letters, digits and `._-`, and 1 to `length` bytes. Ids, host names and random
    /// parts of names consist of these characters.
    package static func isName(_ text: String, atMost length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }
}

extension TileArea {
    /// The area as text: `box 3-5 W,E,N,S W,E,N,S W,E,N,S` with the columns and rows of each zoom, or `set` and the set
    /// in base64.
    package var fleetText: String {
        switch self {
        case .box(let box):
            let spans = box.spans.map { "\($0.west),\($0.east),\($0.north),\($0.south)" }
            return "box \(box.zooms.lowerBound)-\(box.zooms.upperBound) \(spans.joined(separator: " "))"
        case .set(let set): return "set \(Data(set.encoded).base64EncodedString())"
        }
    }

    package init?(fleetText text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        switch parts[0] {
        case "box":
            let ends = Self.numbers(parts[1], separator: "-", below: TileCoordinate.maxZoom + 1)
            guard let ends, ends.count == 2, ends[0] <= ends[1], parts.count == ends[1] - ends[0] + 3 else {
                return nil
            }
            var spans: [TileBox.Span] = []
            for (zoom, part) in zip(ends[0]...ends[1], parts.dropFirst(2)) {
                guard let edges = Self.numbers(part, separator: ",", below: 1 << zoom), edges.count == 4 else {
                    return nil
                }
                spans.append(.init(west: edges[0], east: edges[1], north: edges[2], south: edges[3]))
            }
            self = .box(TileBox(zooms: ends[0]...ends[1], spans: spans))
        case "set" where parts.count == 2:
            guard let bytes = Data(base64Encoded: String(parts[1])), let set = TileSet(encoded: bytes) else {
                return nil
            }
            self = .set(set)
        default: return nil
        }
    }

    private static func numbers(_ text: Substring, separator: Character, below end: Int) -> [Int]? {
        let numbers = text.split(separator: separator, omittingEmptySubsequences: false).map {
            ASCII.canonicalDecimal(Array($0.utf8))
        }
        return numbers.reduce(into: Optional<[Int]>([])) { all, number in
            if let number, number < end { all?.append(number) } else { all = nil }
        }
    }
}

/// One entry of the Redis stream that can concern many layers. It saves the fleet one message for each layer.
///
/// Nodes of older versions do not know notices. They compare all rows with Redis each second instead. While such a node
/// is in the fleet, `FleetScript` writes no `.clears`.
package enum FleetNotice: Sendable, Equatable {
    /// A clear of the layers, all with the same generation. `node` is the node that asked Redis for the generation.
    case clears([String], generation: UInt32, node: String)
    /// The rows of the layers have changed in ways that no message describes. Nil: all rows may have changed.
    case rows([String]?)

    /// Maximum number of layers in a notice.
    private static let mostLayers = 10_000

    /// Returns the notice as names and values. `name` is the name of a clear. `node` is the node that writes a `.rows`.
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

    /// Parses a notice. Returns nil if `fields` are not the fields of a notice in their exact order, if a value is
    /// too long, or if a value that the notice keeps is invalid.
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
