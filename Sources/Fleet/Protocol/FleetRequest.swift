import Bytes
import TileCache

/// What a node asks Redis for by `FleetScript`.
package enum FleetRequest: Sendable, Equatable {
    /// One layer, and what the node knows of it.
    package struct Row: Sendable, Equatable {
        package let layer: String
        package let number: FleetNumber

        package init(layer: String, number: FleetNumber) {
            self.layer = layer
            self.number = number
        }
    }

    /// A generation and an id for the clear of each layer.
    case clear(name: String, [Row])
    /// An id for the purge of each layer.
    case purge(name: String, TileArea, isSoft: Bool, [Row])
    /// What Redis knows of the layers that the node does not, and the other way round, and the messages since `after`; nil: from
    /// now on. `about`: what others are told of the node.
    case merge(after: StreamID?, about: String, [Row])

    /// The most layers of one request: an answer has an element for each.
    package static let mostRows = 500

    /// `now`: seconds since 1970.
    package func arguments(node: String, now: Int) -> [String] {
        switch self {
        case .clear(let name, let rows): ["clear", "\(now)", node, name] + Self.lines(rows)
        case .purge(let name, let area, let isSoft, let rows):
            ["purge", "\(now)", node, name, isSoft ? "1" : "0", area.fleetText] + Self.lines(rows)
        case .merge(let after, let about, let rows):
            ["merge", "\(now)", node, about, after?.description ?? ""] + Self.lines(rows)
        }
    }

    private static func lines(_ rows: [Row]) -> [String] { rows.flatMap { [$0.layer, $0.number.line] } }
}

/// What `FleetRequest.merge` answers.
package struct FleetMerge: Sendable, Equatable {
    /// Another node, or this one, as it was when it asked last.
    package struct Node: Sendable, Equatable {
        package let name: String
        /// Seconds since it asked.
        package let age: Double
        /// The last message that it has applied.
        package let position: StreamID
        package let about: String

        package init(name: String, age: Double, position: StreamID, about: String) {
            self.name = name
            self.age = age
            self.position = position
            self.about = about
        }
    }

    package struct Entry: Sendable, Equatable {
        package let id: StreamID
        /// Nil: not to be understood.
        package let message: FleetMessage?

        package init(id: StreamID, message: FleetMessage?) {
            self.id = id
            self.message = message
        }
    }

    /// The last message of the stream; zero where it has none.
    package var last: StreamID
    /// Further messages are to be asked for.
    package var hasMore: Bool
    /// The layers of the request of which Redis knows more than the node.
    package var rows: [FleetRequest.Row]
    package var nodes: [Node]
    package var entries: [Entry]

    package init(last: StreamID, hasMore: Bool, rows: [FleetRequest.Row], nodes: [Node], entries: [Entry]) {
        self.last = last
        self.hasMore = hasMore
        self.rows = rows
        self.nodes = nodes
        self.entries = entries
    }
}

extension FleetNumber {
    /// As it stands in Redis.
    package var line: String { "\(generation) \(clear) \(purge)" }

    package init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let generation = UInt32(canonical: parts[0]), let clear = StreamID(parts[1]),
            let purge = StreamID(parts[2])
        else { return nil }
        self.init(generation: generation, clear: clear, purge: purge)
    }
}

extension UInt32 {
    /// Decimal digits without leading zeros.
    package init?(canonical text: some StringProtocol) {
        guard let value = ASCII.canonicalDecimal(Array(text.utf8)).flatMap(UInt32.init(exactly:)) else { return nil }
        self = value
    }
}
