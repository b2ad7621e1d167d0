import HTTPServer
import MapService

/// Formats events as server-sent events, the text format of the browser's `EventSource` (WHATWG HTML 9.2.5).
enum ServerSentEvent {
    /// A comment without content, which keeps the connection alive.
    static let heartbeat = StreamPiece(":\n\n")

    /// Tells a client its current event id without an event. A client that loses the connection before its first event
    /// then misses nothing.
    static func position(_ id: String) -> String { "id: \(id)\n\n" }

    static func text(_ event: TileServerEvent) -> String {
        "id: \(event.id)\ndata: {\(members(event.kind))}\n\n"
    }

    /// Returns the members of the event's JSON object as text. Layer ids need no escapes, and Swift's numbers are valid
    /// in JSON.
    private static func members(_ kind: TileServerEvent.Kind) -> String {
        switch kind {
        case .reset: return #""type":"reset""#
        case .changed(let change):
            return #""type":"layer","layer":"\#(change.layer)","change":"\#(change.kind.rawValue)""#
        case .cleared(let area):
            var text = #""type":"clear","layer":"\#(area.layer ?? "*")""#
            if let generation = area.generation { text += #","generation":\#(generation)"# }
            if let tile = area.tile { text += #","tile":[\#(tile.z),\#(tile.x),\#(tile.y)]"# }
            if let box = area.bounds { text += #","bbox":[\#(box.west),\#(box.south),\#(box.east),\#(box.north)]"# }
            if let zooms = area.zooms { text += #","zoom":[\#(zooms.lowerBound),\#(zooms.upperBound)]"# }
            return text + #","soft":\#(area.isSoft)"#
        }
    }
}
