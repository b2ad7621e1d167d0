import Bytes
import MapService

/// Formats the responses to clears as JSON. The code writes the text directly, because JSONSerialization needs a
/// quarter of a second for thousands of layers.
extension ClearReport {
    private typealias Member = (name: String, value: String)

    /// Returns the response for all layers. `tellsCaches` is true if caches in front of the server are purged
    /// afterwards.
    static func body(of reports: [ClearReport], tellsCaches: Bool) -> SharedBytes {
        let (entries, bytes) = (reports.reduce(0) { $0 + $1.entries }, reports.reduce(0) { $0 + $1.bytes })
        let layers = reports.map { object($0.members) }.joined(separator: ",")
        let members = [
            ("bytes", "\(bytes)"), ("entries", "\(entries)"), ("layer", "\"*\""), ("layers", "[\(layers)]"),
        ]
        return body(members + (reports.first?.fleetMembers ?? []), tellsCaches)
    }

    /// Returns the response for one layer. If `report` is nil, the response has no members of a report. `tiles` is the
    /// number of tiles in an expire list.
    static func body(of report: ClearReport?, tiles: Int? = nil, tellsCaches: Bool) -> SharedBytes {
        body((report?.members ?? []) + (tiles.map { [("tiles", "\($0)")] } ?? []), tellsCaches)
    }

    private static func body(_ members: [Member], _ tellsCaches: Bool) -> SharedBytes {
        SharedBytes(object(tellsCaches ? members + [("cdn", "\"pending\"")] : members) + "\n")
    }

    private static func object(_ members: [Member]) -> String {
        "{\(members.sorted { $0.name < $1.name }.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}"
    }

    private var members: [Member] {
        var members = [("bytes", "\(bytes)"), ("entries", "\(entries)"), ("generation", "\(cleared.generation)")]
        members.append(("layer", JSONBody.quoted(layer)))
        if !cleared.tiers.isEmpty {
            members.append(("memory", "{\"bytes\":\(cleared.memory.bytes),\"entries\":\(cleared.memory.entries)}"))
        }
        // The member `fleet` is used for the nodes that have the clear.
        for tier in cleared.tiers where "\(tier.name)" != "fleet" {
            let (usage, change) = (tier.change.usage, tier.change)
            members.append(
                (
                    "\(tier.name)",
                    "{\"bytes\":\(usage.bytes),\"complete\":\(change.isComplete),\"durable\":\(change.isDurable),"
                        + "\"entries\":\(usage.entries)}"
                ))
        }
        return members + fleetMembers
    }

    /// Number of nodes in the fleet, and number of nodes that have received the clear.
    private var fleetMembers: [Member] {
        fleet.map { [("fleet", "{\"nodes\":\($0.nodes),\"reached\":\($0.reached)}")] } ?? []
    }
}
