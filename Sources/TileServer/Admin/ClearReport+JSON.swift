import MapService

extension ClearReport {
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
    static func document(of reports: [ClearReport]) -> [String: Any] {
        [
            "layer": "*", "entries": reports.reduce(0) { $0 + $1.entries },
            "bytes": reports.reduce(0) { $0 + $1.bytes }, "layers": reports.map(\.document),
        ]
    }
}
