import Configuration

/// Checks whether this machine has enough memory and file descriptors for the configuration. Pure.
enum MachineCheck {
    static func findings(_ configuration: Configuration, _ facts: MachineFacts) -> [Finding] {
        memory(configuration, facts) + [descriptors(configuration, facts)] + addresses(configuration)
    }

    // MARK: Memory

    private static func memory(_ configuration: Configuration, _ facts: MachineFacts) -> [Finding] {
        let plan = configuration.memoryPlan(limit: facts.groupMemory)
        let room = [facts.groupMemory, facts.memory].compactMap(\.self).min()
        let isGroup = facts.groupMemory != nil && facts.groupMemory == room
        let place = isGroup ? "the control group's limit" : "the machine's memory"
        let total = Measure.bytes(plan.total)
        let text =
            "the server uses \(total) at most, \(Measure.bytes(plan.tiles)) of it for tiles and "
            + "\(Measure.bytes(plan.clients)) for clients"
        var finding: Finding
        if let room, plan.total > room {
            finding = .fault(
                "server.memory", "\(text); that is more than \(place), \(Measure.bytes(room))",
                "server.memory: \(Measure.bytes(room / 10 * 9)) at most, and cache.memory less than that")
        } else if let room, plan.total > room / 10 * 9 {
            finding = .warning(
                "server.memory",
                "\(text); that leaves less than a tenth of \(place), \(Measure.bytes(room)), to all else",
                "server.memory: \(Measure.bytes(room / 10 * 9)) at most")
        } else {
            finding = .ok("server.memory", text + (room.map { "; \(place) is \(Measure.bytes($0))" } ?? ""))
        }
        finding.figures = [
            "totalBytes": .number(Double(plan.total)), "tileBytes": .number(Double(plan.tiles)),
            "clientBytes": .number(Double(plan.clients)),
        ]
        if let room { finding.figures["roomBytes"] = .number(Double(room)) }
        return [finding] + tiles(configuration, plan) + scales(configuration, plan)
    }

    /// Warns if layers cannot offer some scales or image formats, because a tile would need too much memory.
    private static func scales(_ configuration: Configuration, _ plan: MemoryPlan) -> [Finding] {
        let leftOut = TileMemory(most: plan.tile).leftOut(of: configuration)
        guard !leftOut.isEmpty else { return [] }
        let named = leftOut.prefix(mostNamed).map { "\($0.id) \($0.leftOut.joined(separator: ", "))" }
        let more = leftOut.count > mostNamed ? "; and \(leftOut.count - mostNamed) more layers" : ""
        return [
            .warning(
                "server.memory",
                "a tile may take \(Measure.bytes(plan.tile)) while it is made, which is too little for: "
                    + named.joined(separator: "; ") + more + "; these answer 400 unsupported-scale",
                "more server.memory, or less cache.memory")
        ]
    }

    /// Maximum number of layers that one finding names.
    private static let mostNamed = 8

    private static func tiles(_ configuration: Configuration, _ plan: MemoryPlan) -> [Finding] {
        guard let wanted = configuration.cache.memory, plan.tiles < wanted else { return [] }
        return [
            .warning(
                "cache.memory",
                "of \(Measure.bytes(wanted)) tiles get \(Measure.bytes(plan.tiles)): server.memory leaves no more",
                "server.memory: \(Measure.bytes(wanted / 4 * 5 + (256 << 20))), or cache.memory: \(Measure.bytes(plan.tiles))"
            )
        ]
    }

    // MARK: Descriptors

    private static func descriptors(_ configuration: Configuration, _ facts: MachineFacts) -> Finding {
        let key = "server.limits.connections"
        let wanted = configuration.server.limits.connections ?? ServerLimits.standardConnections
        guard let limit = facts.descriptors else {
            return .ok(key, "\(wanted) connections; descriptors are not limited")
        }
        let most = max(limit / 2 - 128, 1)
        var finding: Finding
        if most >= wanted {
            finding = .ok(key, "\(wanted) connections; \(limit) descriptors allow \(most)")
        } else {
            finding = .warning(
                key, "\(limit) descriptors (RLIMIT_NOFILE) allow \(most) connections of \(wanted)",
                "LimitNOFILE of the service, or ulimit -n: \(2 * (wanted + 128)); else \(key): \(most)")
        }
        finding.figures = ["descriptors": .number(Double(limit)), "connections": .number(Double(min(most, wanted)))]
        return finding
    }

    // MARK: Addresses

    private static func addresses(_ configuration: Configuration) -> [Finding] {
        let server = configuration.server
        var findings: [Finding] = []
        if server.trustedProxies.contains(where: { $0.prefixLength == 0 }) {
            findings.append(
                .warning(
                    "server.trustedProxies", "every address is a trusted proxy: any client says what its URLs are",
                    "server.trustedProxies: the addresses of your proxies alone"))
        }
        guard let url = server.publicURL else { return findings }
        let isLocal = server.host == "localhost" || server.host == "::1" || server.host.hasPrefix("127.")
        let host = url.split(separator: "/").dropFirst().first.map { String($0) } ?? ""
        if !isLocal, host.hasPrefix("localhost") || host.hasPrefix("127.") || host.hasPrefix("[::1]") {
            findings.append(
                .warning(
                    "server.publicURL", "\(url) leads clients on other machines to themselves",
                    "server.publicURL: what they see"))
        } else {
            findings.append(.ok("server.publicURL", url))
        }
        return findings
    }
}
