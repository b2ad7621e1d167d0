import Bytes
import TileCache

/// What a node asks Redis for by `FleetScript`.
package enum FleetRequest: Sendable, Equatable {
    /// One layer, and what the node knows of it.
    package struct Row: Sendable, Equatable {
        package let layer: String
        package let number: FleetNumber
    }

    /// A generation and an id for the clear of each layer.
    case clear(name: String, [Row])
    /// One generation and one id for the clear of many layers: one message. The answer is empty, and nothing is done, where
    /// `FleetScript` knows a node that does not know this message.
    case clears(name: String, [Row])
    /// An id for the purge of each layer.
    case purge(name: String, TileArea, isSoft: Bool, [Row])
    /// What Redis knows of the layers that the node does not, and the other way round, and the messages since `after`; nil: from
    /// now on. `applied`: the last message of which all is in force at the node. `about`: what others are told of the node.
    case merge(after: StreamID?, applied: StreamID?, about: String, [Row])
    /// The layers that this node serves, at most `mostRows`, and the page of rows to look through for layers that no node serves; nil:
    /// none. The answer is the next page, "0" behind the last one.
    case sweep(page: String?, [String])

    /// The most layers of one request: an answer has an element for each.
    package static let mostRows = 500
    /// The most layers that one message clears, and the most bytes of their names: Redis does nothing else meanwhile.
    package static let mostCleared = 5_000
    static let mostNames = 100_000

    /// The layers in parts, each of which one `clears` may have.
    package static func parts(of layers: [String]) -> [[String]] {
        var (parts, part, size) = ([[String]](), [String](), 0)
        for layer in layers {
            if part.count == mostCleared || size + layer.utf8.count >= mostNames {
                parts.append(part)
                (part, size) = ([], 0)
            }
            part.append(layer)
            size += layer.utf8.count + 1
        }
        return part.isEmpty ? parts : parts + [part]
    }

    /// `now`: seconds since 1970.
    package func arguments(node: String, now: Int) -> [String] {
        switch self {
        case .clear(let name, let rows): ["clear", "\(now)", node, name] + Self.lines(rows)
        case .clears(let name, let rows): ["clears", "\(now)", node, name] + Self.lines(rows)
        case .purge(let name, let area, let isSoft, let rows):
            ["purge", "\(now)", node, name, isSoft ? "1" : "0", area.fleetText] + Self.lines(rows)
        case .merge(let after, let applied, let about, let rows):
            ["merge", "\(now)", node, about, after?.description ?? "", applied?.description ?? ""] + Self.lines(rows)
        case .sweep(let page, let layers): ["sweep", "\(now)", node, page ?? ""] + layers
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
        /// It sends all its rows each second, and knows no `FleetNotice`: a node of before these.
        package var isOld = false
    }

    package struct Entry: Sendable, Equatable {
        package let id: StreamID
        package let content: Content

        package enum Content: Sendable, Equatable {
            case message(FleetMessage)
            case notice(FleetNotice)
            /// Junk, or of a later version.
            case unknown
        }

        package init(id: StreamID, _ content: Content) {
            self.id = id
            self.content = content
        }

        /// Nil: it is no message about one layer.
        package var message: FleetMessage? {
            if case .message(let message) = content { message } else { nil }
        }
    }

    /// Takes the changes of rows from messages.
    package enum Step: Int, Sendable {
        /// All changes of rows since `after` stand in the messages since `after`.
        case inStep = 0
        /// Messages are lost, or Redis has lost rows: what the node took Redis' rows for is void.
        case lost
        /// So it is as long as nodes are there that change rows silently.
        case mixed
    }

    /// The last message of the stream; zero where it has none.
    package var last: StreamID
    /// Further messages are to be asked for.
    package var hasMore: Bool
    /// The layers of the request of which Redis knows more than the node.
    package var rows: [FleetRequest.Row]
    package var nodes: [Node]
    package var entries: [Entry]
    package var step: Step
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
