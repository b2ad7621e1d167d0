import Bytes
import TileCache

/// A request that a node sends to Redis. The Lua script in `FleetScript` runs in Redis and answers the request.
package enum FleetRequest: Sendable, Equatable {
    /// One layer, and its number: in a request the number at the node, in an answer the number in Redis.
    package struct Row: Sendable, Equatable {
        package let layer: String
        package let number: FleetNumber
    }

    /// Asks for a generation and an id for the clear of each layer.
    case clear(name: String, [Row])
    /// Asks for one generation and one id for the clear of many layers. The clear is one message. A layer whose
    /// generation is more than a day ahead of the clock gets numbers and a message of its own, but at most 400 layers
    /// do. If another node does not know this kind of message, `FleetScript` clears nothing and returns an empty
    /// answer.
    case clears(name: String, [Row])
    /// Asks for an id for the purge of each layer.
    case purge(name: String, TileArea, isSoft: Bool, [Row])
    /// Exchanges numbers with Redis and asks for the messages since `after`. Nil asks for messages from now on.
    /// `applied` is the last message whose effects are all in force at the node. `about` describes the node for other
    /// nodes.
    case merge(after: StreamID?, applied: StreamID?, about: String, [Row])
    /// Tells Redis the layers that this node serves, at most `mostRows`. `page` is the page of rows in which Redis
    /// looks for layers that no node serves; nil skips this. The answer is the next page, or "0" after the last page.
    case sweep(page: String?, [String])

    /// Maximum number of layers in one request, except `clears`. The answer to a clear or a purge has an element for
    /// each layer.
    package static let mostRows = 500
    /// Maximum number of layers that one message clears, and maximum number of bytes of their names. Redis is blocked
    /// while its script handles the request.
    package static let mostCleared = 5_000
    static let mostNames = 100_000

    /// Splits a list of layers, because a `clears` request can name only a limited number of layers.
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

    /// Returns the arguments of the script. `now`: seconds since 1970.
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

/// The answer of Redis to `FleetRequest.merge`. It has new messages, the numbers of layers that differ, and the nodes.
package struct FleetMerge: Sendable, Equatable {
    /// A node, this one included, at the time of its last merge.
    package struct Node: Sendable, Equatable {
        package let name: String
        /// Seconds since the node's last merge.
        package let age: Double
        /// The last message that the node has applied.
        package let position: StreamID
        package let about: String
        /// True for a node of an older version, which sends all its rows each second and does not know `FleetNotice`.
        package var isOld = false
    }

    package struct Entry: Sendable, Equatable {
        package let id: StreamID
        package let content: Content

        package enum Content: Sendable, Equatable {
            case message(FleetMessage)
            case notice(FleetNotice)
            /// Junk, or an entry of a later version.
            case unknown
        }

        package init(id: StreamID, _ content: Content) {
            self.id = id
            self.content = content
        }

        /// The message about one layer, or nil if the entry has another content.
        package var message: FleetMessage? {
            if case .message(let message) = content { message } else { nil }
        }
    }

    /// Tells whether the messages describe all changes of rows.
    package enum Step: Int, Sendable {
        /// The messages since `after` contain all changes of rows since `after`.
        case inStep = 0
        /// Messages or rows may be lost, or the node has no position yet. The node must forget what it knows about
        /// Redis' rows.
        case lost
        /// Some nodes change rows without a message. The answer stays the same until these nodes have left.
        case mixed
    }

    /// The last message of the stream, or zero if the stream is empty.
    package var last: StreamID
    /// True if the node must ask for further messages.
    package var hasMore: Bool
    /// The requested layers of which Redis knows more than the node.
    package var rows: [FleetRequest.Row]
    package var nodes: [Node]
    package var entries: [Entry]
    package var step: Step
}

extension FleetNumber {
    /// The number in the form in which Redis stores it.
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
    /// Parses decimal digits without leading zeros. Returns nil for other texts and for numbers above `UInt32.max`.
    package init?(canonical text: some StringProtocol) {
        guard let value = ASCII.canonicalDecimal(Array(text.utf8)).flatMap(UInt32.init(exactly:)) else { return nil }
        self = value
    }
}
