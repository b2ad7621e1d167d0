import Configuration

/// Checks whether this machine has enough memory and file descriptors for the configuration. Also checks the trusted
/// proxies and the public URL. Pure.
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
            "the server uses at most \(total): \(Measure.bytes(plan.tiles)) for tiles, "
            + "\(Measure.bytes(plan.clients)) for clients"
        var finding: Finding
        if let room, plan.total > room {
            finding = .fault(
                "server.memory", "\(text); this is more than \(place) (\(Measure.bytes(room)))",
                "server.memory: at most \(Measure.bytes(room / 10 * 9)), and cache.memory below that")
        } else if let room, plan.total > room / 10 * 9 {
            finding = .warning(
                "server.memory",
                "\(text); this leaves less than a tenth of \(place) (\(Measure.bytes(room))) to other programs",
                "server.memory: at most \(Measure.bytes(room / 10 * 9))")
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
                "one tile can use \(Measure.bytes(plan.tile)) while it is made. That is too little for: "
                    + named.joined(separator: "; ") + more + "; these answer 400 unsupported-scale",
                "server.memory: a larger size, or a smaller cache.memory")
        ]
    }

    /// Maximum number of layers that one finding names.
    private static let mostNamed = 8

    private static func tiles(_ configuration: Configuration, _ plan: MemoryPlan) -> [Finding] {
        guard let wanted = configuration.cache.memory, plan.tiles < wanted else { return [] }
        return [
            .warning(
                "cache.memory",
                "tiles get \(Measure.bytes(plan.tiles)) of the configured \(Measure.bytes(wanted)): server.memory "
                    + "is too small",
                "server.memory: \(Measure.bytes(wanted / 4 * 5 + (256 << 20))), or cache.memory: "
                    + "\(Measure.bytes(plan.tiles))"
            )
        ]
    }

    // MARK: Descriptors

    private static func descriptors(_ configuration: Configuration, _ facts: MachineFacts) -> Finding {
        let key = "server.limits.connections"
        let wanted = configuration.server.limits.connections ?? ServerLimits.standardConnections
        guard let limit = facts.descriptors else {
            return .ok(key, "\(wanted) connections; the number of descriptors is unlimited")
        }
        let most = max(limit / 2 - 128, 1)
        var finding: Finding
        if most >= wanted {
            finding = .ok(key, "\(wanted) connections; \(limit) descriptors allow \(most)")
        } else {
            finding = .warning(
                key, "\(limit) descriptors (RLIMIT_NOFILE) allow only \(most) of \(wanted) connections",
                "set LimitNOFILE of the service or ulimit -n to \(2 * (wanted + 128)), or \(key) to \(most)")
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
                    "server.trustedProxies",
                    "every address is a trusted proxy: any client can change the URLs that the server sends",
                    "server.trustedProxies: only the addresses of your proxies"))
        }
        guard let url = server.publicURL else {
            let text =
                server.trustedProxies.isEmpty
                ? "documents have the URL of the request; if a proxy such as nginx is in front of the server, set "
                    + "server.publicURL and server.trustedProxies"
                : "documents have the URL that the proxy sends in X-Forwarded-Proto and X-Forwarded-Host; if it sends "
                    + "none, set server.publicURL"
            return findings + [.ok("server.publicURL", text)]
        }
        let isLocal = server.host == "localhost" || server.host == "::1" || server.host.hasPrefix("127.")
        let host = url.split(separator: "/").dropFirst().first.map { String($0) } ?? ""
        if !isLocal, host.hasPrefix("localhost") || host.hasPrefix("127.") || host.hasPrefix("[::1]") {
            findings.append(
                .warning(
                    "server.publicURL", "\(url) does not lead clients on other machines to this server",
                    "server.publicURL: the URL that clients use"))
        } else {
            findings.append(.ok("server.publicURL", url))
        }
        return findings
    }
}
