import Bytes
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

    /// The body of the answer for all layers. Each stands there as its `document`. Written at once: of thousands of layers JSONSerialization
    /// takes a quarter of a second. `tellsCaches`: caches in front are told of the clear after that.
    static func body(of reports: [ClearReport], tellsCaches: Bool) -> SharedBytes {
        let fleet = reports.first?.fleetMember ?? ""
        let (entries, bytes) = (reports.reduce(0) { $0 + $1.entries }, reports.reduce(0) { $0 + $1.bytes })
        let layers = reports.map(\.text).joined(separator: ",")
        let cdn = tellsCaches ? "\"cdn\":\"pending\"," : ""
        return SharedBytes(
            "{\"bytes\":\(bytes),\(cdn)\"entries\":\(entries),\(fleet)\"layer\":\"*\",\"layers\":[\(layers)]}\n")
    }

    private var text: String {
        var members = [("bytes", "\(bytes)"), ("entries", "\(entries)"), ("generation", "\(cleared.generation)")]
        members.append(("layer", JSONBody.quoted(layer)))
        if !cleared.tiers.isEmpty {
            members.append(("memory", "{\"bytes\":\(cleared.memory.bytes),\"entries\":\(cleared.memory.entries)}"))
        }
        // That name says who has it.
        for tier in cleared.tiers where "\(tier.name)" != "fleet" {
            let (usage, change) = (tier.change.usage, tier.change)
            members.append(
                (
                    "\(tier.name)",
                    "{\"bytes\":\(usage.bytes),\"complete\":\(change.isComplete),\"durable\":\(change.isDurable),"
                        + "\"entries\":\(usage.entries)}"
                ))
        }
        if let fleet { members.append(("fleet", "{\"nodes\":\(fleet.nodes),\"reached\":\(fleet.reached)}")) }
        return "{\(members.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
    }

    private var fleetMember: String? {
        fleet.map { "\"fleet\":{\"nodes\":\($0.nodes),\"reached\":\($0.reached)}," }
    }

    /// How many servers of the fleet there are, and how many have it.
    private var fleetDocument: [String: Int]? { fleet.map { ["nodes": $0.nodes, "reached": $0.reached] } }
}
