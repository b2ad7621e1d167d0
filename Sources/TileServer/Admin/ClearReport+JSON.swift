import MapService

extension ClearReport {
    var document: [String: Any] {
        var document: [String: Any] = [
            "layer": layer, "generation": Int(cleared.generation), "entries": entries, "bytes": bytes,
        ]
        if !cleared.tiers.isEmpty {
            document["memory"] = ["entries": cleared.memory.entries, "bytes": cleared.memory.bytes]
        }
        for tier in cleared.tiers {
            let change = tier.change
            document["\(tier.name)"] = [
                "entries": change.usage.entries, "bytes": change.usage.bytes, "complete": change.isComplete,
                "durable": change.isDurable,
            ]
        }
        document["fleet"] = fleetDocument
        return document
    }

    /// The same for all layers.
    static func document(of reports: [ClearReport]) -> [String: Any] {
        var document: [String: Any] = [
            "layer": "*", "entries": reports.reduce(0) { $0 + $1.entries },
            "bytes": reports.reduce(0) { $0 + $1.bytes }, "layers": reports.map(\.document),
        ]
        document["fleet"] = reports.first?.fleetDocument
        return document
    }

    /// How many servers of the fleet there are, and how many have it.
    private var fleetDocument: [String: Int]? { fleet.map { ["nodes": $0.nodes, "reached": $0.reached] } }
}
