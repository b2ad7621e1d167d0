import Fleet
import MapService
import Runtime
import TileCache
import TileSources

extension TileServerMetrics {
    /// The metrics in Prometheus' text format, for `/metrics`. docs/reference/metrics.md has a table of all families.
    var text: String {
        var text = MetricsText()
        text.add(
            "tileserver_build_info", .gauge, "The version that runs; the value is 1.", [.init(1, ("version", version))])
        addRequests(to: &text)
        addLayers(to: &text)
        addCaches(to: &text)
        addUpstreams(to: &text)
        addWork(to: &text)
        addMemory(to: &text)
        addCaching(to: &text)
        addEvents(to: &text)
        fleet?.add(to: &text)
        process.add(to: &text)
        return text.text
    }

    private func addRequests(to text: inout MetricsText) {
        text.add(
            "tileserver_http_requests_total", .counter, "Answers by the route's kind and the status code.",
            answers.map { .init($0.count, ("route", $0.route.name), ("code", String($0.status))) })
        text.add("tileserver_connections", .gauge, "Open connections.", connections)
        text.add("tileserver_connections_limit", .gauge, "The most connections that may be open.", connectionLimit)
        text.add(
            "tileserver_connections_accepted_total", .counter, "Connections that were accepted.", acceptedConnections)
        text.add("tileserver_streams", .gauge, "Clients that listen to events.", streams)
    }

    private func addLayers(to text: inout MetricsText) {
        text.add(
            "tileserver_tiles_total", .counter, "Answers to requests for tiles by how they came about.",
            // Adds all outcomes together with the first one, so that the rate of each outcome begins at 0.
            layers.filter { !$0.outcomes.isEmpty }.flatMap { layer in
                TileOutcome.allCases.map {
                    .init(layer.outcomes[$0] ?? 0, ("layer", layer.id), ("result", $0.name))
                }
            })
        guard layers.contains(where: { !$0.durations.isEmpty }) else { return }
        let name = "tileserver_tile_duration_seconds"
        text.begin(name, .histogram, "How long tiles took that memory did not have, by stage.")
        for layer in layers {
            for stage in TileStage.allCases {
                guard let durations = layer.durations[stage] else { continue }
                text.add(histogram: name, [("layer", layer.id), ("stage", stage.rawValue)], durations)
            }
        }
    }

    private func addCaches(to text: inout MetricsText) {
        func samples(_ value: (CacheMetrics) -> Int) -> [MetricsText.Sample] {
            caches.map { .init(value($0), ("tier", $0.tier)) }
        }
        text.add("tileserver_cache_bytes", .gauge, "Bytes that a tier of the cache takes.", samples(\.bytes))
        text.add("tileserver_cache_limit_bytes", .gauge, "The most bytes that a tier may take.", samples(\.limit))
        text.add("tileserver_cache_entries", .gauge, "Tiles or images that a tier holds.", samples(\.entries))
        text.add(
            "tileserver_cache_evictions_total", .counter, "Entries that made room for others.", samples(\.evictions))
        text.add(
            "tileserver_cache_writing", .gauge, "Whether a tier takes new entries.", samples { $0.isWriting ? 1 : 0 })
    }

    private func addUpstreams(to text: inout MetricsText) {
        text.add(
            "tileserver_upstream_requests_total", .counter, "Requests to a source's host by how they ended.",
            upstreams.flatMap { upstream in
                UpstreamOutcome.allCases.map {
                    .init(upstream.outcomes[$0] ?? 0, ("host", upstream.host), ("result", $0.rawValue))
                }
            })
        text.add(
            "tileserver_upstream_refused_total", .counter, "Requests that did not go out to a source's host, and why.",
            upstreams.flatMap { upstream in
                UpstreamRefusal.allCases.map {
                    .init(upstream.refusals[$0] ?? 0, ("host", upstream.host), ("reason", $0.rawValue))
                }
            })
        text.add(
            "tileserver_upstream_in_flight", .gauge, "Requests to a source's host that are under way.",
            upstreams.map { .init($0.inFlight, ("host", $0.host)) })
        text.add(
            "tileserver_upstream_waiting", .gauge, "Requests to a source's host that wait for their turn.",
            upstreams.map { .init($0.waiting, ("host", $0.host)) })
        text.add(
            "tileserver_circuit_state", .gauge, "The circuit to a source's host: 0 closed, 1 half open, 2 open.",
            upstreams.map { .init($0.circuit.rawValue, ("host", $0.host)) })
    }

    private func addWork(to text: inout MetricsText) {
        text.add(
            "tileserver_work_running", .gauge, "Pieces of work that run, by class.",
            work.map { .init($0.running, ("class", $0.name)) })
        text.add(
            "tileserver_work_waiting", .gauge, "Pieces of work that wait for their turn, by class.",
            work.map { .init($0.waiting, ("class", $0.name)) })
        let name = "tileserver_work_wait_seconds"
        text.begin(name, .summary, "How long pieces of work waited before they were begun, by class.")
        for work in work {
            text.add(name + "_sum", [("class", work.name)], work.waitSeconds)
            text.add(name + "_count", [("class", work.name)], Double(work.begun))
        }
        text.add(
            "tileserver_work_refused_total", .counter,
            "Pieces of work that were not begun, by class: the queue was full, their turn came too late, or memory was short.",
            work.flatMap {
                [
                    .init($0.full, ("class", $0.name), ("reason", "full")),
                    .init($0.late, ("class", $0.name), ("reason", "late")),
                    .init($0.memory, ("class", $0.name), ("reason", "memory")),
                ]
            })
    }

    /// Adds metrics of purges, if caches in front of the server are purged.
    private func addCaching(to text: inout MetricsText) {
        guard let caching else { return }
        text.add(
            "tileserver_cdn_purges_total", .counter, "Requests that told caches in front of clears, by how they ended.",
            [.init(caching.succeeded, ("result", "ok")), .init(caching.failed, ("result", "failed"))])
    }

    private func addMemory(to text: inout MetricsText) {
        text.add("tileserver_memory_limit_bytes", .gauge, "What the process uses at most.", memory.limit)
        text.add("tileserver_memory_clients_limit_bytes", .gauge, "What of that is for clients.", memory.clientLimit)
        text.add(
            "tileserver_memory_bytes", .gauge, "What of that is taken, by use.",
            memory.uses.map { .init($0.bytes, ("use", $0.name)) })
        text.add(
            "tileserver_memory_use_limit_bytes", .gauge, "The most that a use may take.",
            memory.uses.map { .init($0.limit, ("use", $0.name)) })
    }

    private func addEvents(to text: inout MetricsText) {
        text.add(
            "tileserver_events_total", .counter, "Events of the log, those included whose lines were left out.",
            events.sorted { $0.key < $1.key }.map { .init($0.value, ("event", $0.key)) })
        text.add(
            "tileserver_log_lines_dropped_total", .counter, "Lines of the log that were lost because nobody read them.",
            droppedLogLines)
    }
}

extension FleetMetrics {
    fileprivate func add(to text: inout MetricsText) {
        text.add("tileserver_fleet_nodes", .gauge, "Servers that were heard of, this one included.", nodes.count)
        text.add(
            "tileserver_fleet_node_up", .gauge, "Whether a node was heard of in the last ten seconds.",
            nodes.map { .init($0.isUp ? 1 : 0, ("node", $0.name)) })
        text.add(
            "tileserver_fleet_node_differs", .gauge,
            "1 if a node has another secret, clock, layers or settings than this one for a minute.",
            nodes.map { .init($0.difference == nil ? 0 : 1, ("node", $0.name)) })
        text.add("tileserver_fleet_redis_up", .gauge, "Whether Redis did what the fleet asked last.", isRedisUp ? 1 : 0)
        text.add(
            "tileserver_fleet_lag_seconds", .gauge, "Since Redis said what others have cleared.", lag)
        text.add(
            "tileserver_fleet_clears_unreached", .gauge, "Clears that not all servers have.", unreachedClears)
        text.add(
            "tileserver_fleet_tiles_total", .counter, "Tiles that were looked for in Redis, or put there.",
            TileResult.allCases.map { .init(tiles[$0] ?? 0, ("result", $0.rawValue)) })
        text.add(
            "tileserver_fleet_lock_total", .counter, "Questions who fetches a tile, by what became of them.",
            LockResult.allCases.map { .init(locks[$0] ?? 0, ("result", $0.rawValue)) })
    }
}

extension ProcessFigures {
    /// Uses the names of Prometheus' own client libraries.
    fileprivate func add(to text: inout MetricsText) {
        text.add("process_cpu_seconds_total", .counter, "Processor time of user and system.", cpuSeconds)
        text.add("process_resident_memory_bytes", .gauge, "Memory in RAM.", residentBytes)
        text.add("process_virtual_memory_bytes", .gauge, "Address space.", virtualBytes)
        text.add("process_open_fds", .gauge, "Open descriptors.", openDescriptors)
        text.add("process_max_fds", .gauge, "The most descriptors that may be open.", mostDescriptors)
        text.add("process_threads", .gauge, "Threads.", threads)
        text.add("process_start_time_seconds", .gauge, "When the process began, since 1970.", startSeconds)
    }
}

extension MetricsText {
    /// Adds a histogram to the family `name` that was begun before. Each bucket counts all durations up to its bound.
    fileprivate mutating func add(
        histogram name: String, _ labels: [(name: String, value: String)], _ durations: Durations
    ) {
        var count = 0
        for (bound, more) in zip(Durations.bounds + [.infinity], durations.counts) {
            count += more
            add(name + "_bucket", labels + [("le", Self.number(bound))], Double(count))
        }
        add(name + "_sum", labels, durations.sum)
        add(name + "_count", labels, Double(count))
    }
}
