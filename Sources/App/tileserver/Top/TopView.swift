import Foundation

/// Formats the difference between two readings of the metrics as lines of text for `tileserver top`. Reads nothing else
/// but the time of day.
struct TopView {
    private let before: MetricsSnapshot
    private let now: MetricsSnapshot
    private let server: String
    private let seconds: Double

    /// Maximum number of layers, and of sources, in a view.
    private static let most = 10

    init(_ before: MetricsSnapshot, _ now: MetricsSnapshot, server: String) {
        (self.before, self.now, self.server) = (before, now, server)
        seconds = max(now.time.seconds(since: before.time), 0.001)
    }

    /// Returns the lines. Control characters are replaced, because names come from the network.
    func lines() -> [String] {
        ([head] + requests + tiles + memory + caches + work + fleet + sources + layers + slowest).map(Self.printable)
    }

    private static func printable(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: "?"
                    default: scalar
                    }
                }))
    }

    // MARK: Numbers

    /// Returns the growth of a counter per second. A counter with a lower value than before has restarted at zero, for
    /// example with the server.
    private func rate(_ name: String, _ labels: [String: String] = [:]) -> Double {
        let (old, new) = (before.sum(name, labels), now.sum(name, labels))
        return (new >= old ? new - old : new) / seconds
    }

    private func count(_ value: Double) -> String {
        value.isFinite ? String(Int(clamping: Int64(min(max(value, -9e15), 9e15)))) : "?"
    }

    private func perSecond(_ value: Double) -> String {
        value >= 100 ? count(value.rounded()) : String(format: "%.1f", value)
    }

    private func percent(_ part: Double, of whole: Double) -> String {
        whole > 0 ? String(format: "%.1f %%", 100 * part / whole) : "–"
    }

    // MARK: Lines

    private var head: String {
        let version = now["tileserver_build_info"].first?["version"] ?? "?"
        let start = now["process_start_time_seconds"].first?.value
        let age = start.map { Int(clamping: Int64(max(Date.now.timeIntervalSince1970 - min(max($0, 0), 9e12), 0))) }
        let time = age.map { ", up \($0 / 3_600) h \($0 / 60 % 60) min" } ?? ""
        return "tileserver \(version) at \(server)\(time)"
    }

    private var requests: [String] {
        let name = "tileserver_http_requests_total"
        let classes = ["2", "3", "4", "5"].map { first in
            let codes = Set(now[name].map { $0["code"] }.filter { $0.hasPrefix(first) })
            return "\(first)xx \(perSecond(codes.reduce(0) { $0 + rate(name, ["code": $1]) }))"
        }
        let open = count(now.sum("tileserver_connections"))
        let limit = count(now.sum("tileserver_connections_limit"))
        return [
            row(
                "requests",
                "\(perSecond(rate(name)))/s: \(classes.joined(separator: ", ")); \(open) of \(limit) connections")
        ]
    }

    private static let results = ["hit", "stale", "miss", "collapsed", "notile", "offline", "error", "shed"]

    private var tiles: [String] {
        let name = "tileserver_tiles_total"
        let all = rate(name)
        let parts = Self.results.map { ($0, rate(name, ["result": $0])) }.filter { $0.0 == "hit" || $0.1 > 0 }
        let text = parts.map { "\($0.0) \(percent($0.1, of: all))" }.joined(separator: ", ")
        return [row("tiles", "\(perSecond(all))/s: \(text)")]
    }

    private var memory: [String] {
        let resident = now["process_resident_memory_bytes"].first.map { byteText($0.value) } ?? "?"
        let uses = now["tileserver_memory_bytes"].filter { $0.value > 0 }.map { "\($0["use"]) \(byteText($0.value))" }
        return [
            row("memory", "\(resident) of \(byteText(now.sum("tileserver_memory_limit_bytes")))")
                + (uses.isEmpty ? "" : "; for clients: \(uses.joined(separator: ", "))")
        ]
    }

    private var caches: [String] {
        now["tileserver_cache_bytes"].map { sample in
            let tier = ["tier": sample["tier"]]
            let limit = now.sum("tileserver_cache_limit_bytes", tier)
            let evicted = rate("tileserver_cache_evictions_total", tier)
            return row(
                "cache",
                "\(sample["tier"]): \(byteText(sample.value))" + (limit > 0 ? " of \(byteText(limit))" : "")
                    + ", \(count(now.sum("tileserver_cache_entries", tier))) entries, \(perSecond(evicted))/s evicted")
        }
    }

    private var work: [String] {
        let classes = now["tileserver_work_running"].map { sample in
            let name = ["class": sample["class"]]
            let refused = rate("tileserver_work_refused_total", name)
            return "\(sample["class"]) \(count(sample.value))+\(count(now.sum("tileserver_work_waiting", name)))"
                + (refused > 0 ? " (\(perSecond(refused))/s refused)" : "")
        }
        return classes.isEmpty ? [] : [row("work", "running+waiting: \(classes.joined(separator: ", "))")]
    }

    /// The line about the fleet's nodes, if there is a fleet.
    private var fleet: [String] {
        let nodes = now["tileserver_fleet_node_up"]
        guard !nodes.isEmpty else { return [] }
        let down = nodes.filter { $0.value == 0 }.map { "\($0["node"]) is down" }
        let other = now["tileserver_fleet_node_differs"].filter { $0.value > 0 }.map { "\($0["node"]) differs" }
        let unreached = now.sum("tileserver_fleet_clears_unreached")
        let clears = unreached > 0 ? ["\(count(unreached)) clears have not reached all nodes"] : []
        let redis = now.sum("tileserver_fleet_redis_up") > 0 ? "Redis up" : "Redis down"
        let words =
            ["\(nodes.count - down.count) of \(nodes.count) nodes up", redis] + down.sorted() + other.sorted() + clears
        return [row("fleet", words.joined(separator: ", "))]
    }

    private static let circuits = ["closed", "half open", "open"]

    private var sources: [String] {
        let name = "tileserver_upstream_requests_total"
        let hosts = now["tileserver_upstream_in_flight"].map { sample -> (order: Double, line: String) in
            let host = ["host": sample["host"]]
            let all = rate(name, host)
            let results = Set(now[name].filter { $0["host"] == sample["host"] }.map { $0["result"] })
            let failed = results.filter { !["tile", "notile", "not_modified"].contains($0) }
                .reduce(0) { $0 + rate(name, ["host": sample["host"], "result": $1]) }
            let circuit = Int(clamping: Int64(min(max(now.sum("tileserver_circuit_state", host), 0), 9)))
            let refused = rate("tileserver_upstream_refused_total", host)
            let cells = [
                circuit < Self.circuits.count ? Self.circuits[circuit] : "?", count(sample.value),
                count(now.sum("tileserver_upstream_waiting", host)), perSecond(all), perSecond(failed),
                perSecond(refused),
            ]
            return (-(Double(circuit) * 1e9 + failed * 1e6 + all), table(sample["host"], cells))
        }
        guard !hosts.isEmpty else { return [] }
        let sorted = hosts.sorted { $0.order < $1.order }.prefix(Self.most).map(\.line)
        return ["", table("SOURCE", ["circuit", "in flight", "waiting", "asked/s", "failed/s", "refused/s"])] + sorted
    }

    private var layers: [String] {
        let name = "tileserver_tiles_total"
        let ids = Set(now[name].map { $0["layer"] })
        let rows = ids.map { id -> (order: Double, line: String) in
            let all = rate(name, ["layer": id])
            func part(_ result: String) -> Double { rate(name, ["layer": id, "result": result]) }
            let cells = [
                perSecond(all), percent(part("hit"), of: all), perSecond(part("miss")), perSecond(part("stale")),
                perSecond(part("error")), perSecond(part("shed")),
            ]
            return (-all, table(id, cells))
        }
        guard !rows.isEmpty else { return [] }
        let sorted = rows.sorted { ($0.order, $0.line) < ($1.order, $1.line) }.prefix(Self.most).map(\.line)
        return ["", table("LAYER", ["tiles/s", "hits", "miss/s", "stale/s", "error/s", "shed/s"])] + sorted
    }

    /// The five slowest layers: the average time of tiles that were not in memory, and its parts.
    private var slowest: [String] {
        let name = "tileserver_tile_duration_seconds"
        let ids = Set(now["\(name)_count"].map { $0["layer"] })
        let rows = ids.compactMap { id -> (order: Double, line: String)? in
            func mean(_ stage: String) -> (milliseconds: Double, tiles: Double) {
                let labels = ["layer": id, "stage": stage]
                let tiles = rate("\(name)_count", labels)
                return (tiles > 0 ? rate("\(name)_sum", labels) / tiles * 1_000 : 0, tiles)
            }
            let total = mean("total")
            guard total.tiles > 0 else { return nil }
            let parts = [total.milliseconds] + ["source", "rendition", "disk"].map { mean($0).milliseconds }
            return (-total.milliseconds, table(id, parts.map { String(format: "%.1f", $0) } + [perSecond(total.tiles)]))
        }
        guard !rows.isEmpty else { return [] }
        let sorted = rows.sorted { ($0.order, $0.line) < ($1.order, $1.line) }.prefix(5).map(\.line)
        return ["", table("SLOWEST LAYERS, ms on average", ["total", "source", "rendition", "disk", "tiles/s"])]
            + sorted
    }

    private func row(_ name: String, _ text: String) -> String { name.padded(to: 10) + text }

    /// Returns a row with a name, shortened to its column, and right-aligned numbers.
    private func table(_ name: String, _ cells: [String]) -> String {
        let width = 34
        let cut = name.count > width ? name.prefix(width - 1) + "…" : Substring(name)
        return String(cut).padded(to: width)
            + cells.map { String(repeating: " ", count: max(11 - $0.count, 1)) + $0 }.joined()
    }
}
