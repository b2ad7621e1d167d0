import TileCache

/// What a clear did to one layer, as the answer tells it: in all, and by tier.
struct ClearReport: Sendable {
    let layer: String
    let cleared: TileLoader.Cleared

    /// Tiles. What lies in memory lies on disk too, so the tier with more of them has them all.
    var entries: Int { max(cleared.memory.entries, cleared.disk?.usage.entries ?? 0) }
    /// Of both tiers together.
    var bytes: Int { cleared.memory.bytes + (cleared.disk?.usage.bytes ?? 0) }

    /// It outlives a restart.
    var isDurable: Bool { cleared.disk?.isDurable ?? true }

    var document: [String: Any] {
        var document: [String: Any] = [
            "layer": layer, "generation": Int(cleared.generation), "entries": entries, "bytes": bytes,
        ]
        if let disk = cleared.disk {
            document["memory"] = ["entries": cleared.memory.entries, "bytes": cleared.memory.bytes]
            document["disk"] = [
                "entries": disk.usage.entries, "bytes": disk.usage.bytes, "complete": disk.isComplete,
                "durable": disk.isDurable,
            ]
        }
        return document
    }

    /// The same for all layers.
    static func all(_ reports: [ClearReport]) -> [String: Any] {
        [
            "layer": "*", "entries": reports.reduce(0) { $0 + $1.entries },
            "bytes": reports.reduce(0) { $0 + $1.bytes }, "layers": reports.map(\.document),
        ]
    }
}
