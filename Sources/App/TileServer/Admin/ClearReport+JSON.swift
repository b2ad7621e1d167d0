import Bytes
import MapService

/// The bodies of answers to clears. They are written here: of thousands of layers JSONSerialization takes a quarter of a second.
extension ClearReport {
    private typealias Member = (name: String, value: String)

    /// The answer for all layers. `tellsCaches`: caches in front are told of the clear after that.
    static func body(of reports: [ClearReport], tellsCaches: Bool) -> SharedBytes {
        let (entries, bytes) = (reports.reduce(0) { $0 + $1.entries }, reports.reduce(0) { $0 + $1.bytes })
        let layers = reports.map { object($0.members) }.joined(separator: ",")
        let members = [
            ("bytes", "\(bytes)"), ("entries", "\(entries)"), ("layer", "\"*\""), ("layers", "[\(layers)]"),
        ]
        return body(members + (reports.first?.fleetMembers ?? []), tellsCaches)
    }

    /// The answer for one layer. `report`: nil if the layer is gone. `tiles`: how many an expire list names.
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
        return members + fleetMembers
    }

    /// How many servers of the fleet there are, and how many have the clear.
    private var fleetMembers: [Member] {
        fleet.map { [("fleet", "{\"nodes\":\($0.nodes),\"reached\":\($0.reached)}")] } ?? []
    }
}
