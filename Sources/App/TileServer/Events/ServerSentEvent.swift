import HTTPServer
import MapService

/// Events as the format of server-sent events writes them (WHATWG HTML 9.2.6).
enum ServerSentEvent {
    /// A comment, which says nothing.
    static let heartbeat = StreamPiece(":\n\n")

    /// Tells a client under which id to come back, without an event: whoever loses the connection before the first one misses
    /// nothing.
    static func position(_ id: String) -> String { "id: \(id)\n\n" }

    static func text(_ event: TileServerEvent) -> String {
        "id: \(event.id)\ndata: {\(members(event.kind))}\n\n"
    }

    /// Of the JSON object. Ids of layers need no escapes, and numbers of Swift are numbers of JSON.
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
