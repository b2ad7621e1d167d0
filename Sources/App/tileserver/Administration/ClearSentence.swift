/// Writes the server's response to a clear as a sentence, such as `Cleared 311 tiles (4.1 MiB) of 11 layers.`
struct ClearSentence {
    private let answer: JSONMembers

    /// Returns nil if `body` is not the response to a clear.
    init?(_ body: String) {
        guard let answer = JSONMembers(Array(body.utf8)), answer.integer("entries") != nil else { return nil }
        self.answer = answer
    }

    /// True if the clear survives a restart. Each layer of the response, or the response itself, has the state of its
    /// disk cache.
    var isDurable: Bool {
        (answer.objects("layers") ?? [answer]).allSatisfy { $0.object("disk")?.boolean("durable") != false }
    }

    /// Returns the sentence. `isSoft`: the server made the tiles stale and keeps them until it has new ones.
    func text(isSoft: Bool) -> String {
        let tiles = counted(answer.integer("entries") ?? 0, "cached tile")
        let size = byteText(answer.number("bytes") ?? 0)
        let cleared = "\(tiles) (\(size)) of \(place)"
        let done = isSoft ? "Marked \(cleared) as stale." : "Cleared \(cleared)."
        return ([done] + notes).joined(separator: " ")
    }

    private var place: String {
        if let layers = answer.objects("layers") { return counted(layers.count, "layer") }
        return answer.string("layer") ?? "the layer"
    }

    private var notes: [String] {
        var notes: [String] = []
        if let listed = answer.integer("tiles") {
            notes.append("The list and its zooms name \(counted(listed, "tile")).")
        }
        if let fleet = answer.object("fleet"), let nodes = fleet.integer("nodes"),
            let reached = fleet.integer("reached")
        {
            notes.append("\(reached) of \(counted(nodes, "node")) of the fleet have the clear.")
        }
        if answer.string("cdn") != nil { notes.append("The server now asks the CDN to remove the tiles.") }
        return notes
    }
}
