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
            "tileserver_build_info", .gauge, help: "Version of the server; the value is 1.",
            [.init(1, ("version", version))])
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
            "tileserver_http_requests_total", .counter, help: "Responses by kind of route and status code.",
            answers.map { .init($0.count, ("route", $0.route.name), ("code", String($0.status))) })
        text.add("tileserver_connections", .gauge, help: "Open connections.", connections)
        text.add("tileserver_connections_limit", .gauge, help: "Maximum number of open connections.", connectionLimit)
        text.add(
            "tileserver_connections_accepted_total", .counter, help: "Accepted connections.", acceptedConnections)
        addHTTPS(to: &text)
        text.add("tileserver_streams", .gauge, help: "Open event streams.", streams)
    }

    private func addHTTPS(to text: inout MetricsText) {
        text.add(
            "tileserver_http2_connections_total", .counter, help: "Connections that spoke HTTP/2.", http2.connections)
        text.add("tileserver_http2_requests_total", .counter, help: "Requests over HTTP/2.", http2.requests)
        text.add(
            "tileserver_http2_resets_total", .counter,
            help: "Streams of HTTP/2 that the client or the server reset, by cause.",
            http2.resets.sorted { $0.key < $1.key }.map { .init($0.value, ("cause", $0.key)) })
        guard !certificates.isEmpty else { return }
        text.add(
            "tileserver_tls_handshakes_total", .counter, help: "TLS handshakes by result.",
            handshakes.sorted { $0.key < $1.key }.map { .init($0.value, ("result", $0.key)) })
        text.add(
            "tileserver_certificate_expires_timestamp_seconds", .gauge,
            help: "Time at which a certificate of HTTPS expires.",
            certificates.map { .init($0.expires, ("path", $0.path)) })
    }

    private func addLayers(to text: inout MetricsText) {
        text.add(
            "tileserver_tiles_total", .counter, help: "Responses to tile requests, by result.",
            // Adds all outcomes together with the first one, so that the rate of each outcome begins at 0.
            layers.filter { !$0.outcomes.isEmpty }.flatMap { layer in
                TileOutcome.allCases.map {
                    .init(layer.outcomes[$0] ?? 0, ("layer", layer.id), ("result", $0.name))
                }
            })
        guard layers.contains(where: { !$0.durations.isEmpty }) else { return }
        let name = "tileserver_tile_duration_seconds"
        text.begin(name, .histogram, "Time to produce tiles that were not in memory, by stage.")
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
        text.add("tileserver_cache_bytes", .gauge, help: "Bytes in a cache tier.", samples(\.bytes))
        text.add("tileserver_cache_limit_bytes", .gauge, help: "Maximum bytes in a cache tier.", samples(\.limit))
        text.add("tileserver_cache_entries", .gauge, help: "Tiles or images in a cache tier.", samples(\.entries))
        text.add(
            "tileserver_cache_evictions_total", .counter, help: "Entries evicted from a cache tier.",
            samples(\.evictions))
        text.add(
            "tileserver_cache_writing", .gauge, help: "1 if a cache tier accepts new entries.",
            samples { $0.isWriting ? 1 : 0 })
    }

    private func addUpstreams(to text: inout MetricsText) {
        text.add(
            "tileserver_upstream_requests_total", .counter, help: "Requests to an upstream host, by result.",
            upstreams.flatMap { upstream in
                UpstreamOutcome.allCases.map {
                    .init(upstream.outcomes[$0] ?? 0, ("host", upstream.host), ("result", $0.rawValue))
                }
            })
        text.add(
            "tileserver_upstream_refused_total", .counter,
            help: "Requests to an upstream host that were not sent, by reason.",
            upstreams.flatMap { upstream in
                UpstreamRefusal.allCases.map {
                    .init(upstream.refusals[$0] ?? 0, ("host", upstream.host), ("reason", $0.rawValue))
                }
            })
        text.add(
            "tileserver_upstream_in_flight", .gauge, help: "Requests in flight to an upstream host.",
            upstreams.map { .init($0.inFlight, ("host", $0.host)) })
        text.add(
            "tileserver_upstream_waiting", .gauge, help: "Requests waiting for an upstream host.",
            upstreams.map { .init($0.waiting, ("host", $0.host)) })
        text.add(
            "tileserver_circuit_state", .gauge,
            help: "State of the circuit breaker of an upstream host: 0 closed, 1 half open, 2 open.",
            upstreams.map { .init($0.circuit.rawValue, ("host", $0.host)) })
    }

    private func addWork(to text: inout MetricsText) {
        text.add(
            "tileserver_work_running", .gauge, help: "Running work items, by class.",
            work.map { .init($0.running, ("class", $0.name)) })
        text.add(
            "tileserver_work_waiting", .gauge, help: "Waiting work items, by class.",
            work.map { .init($0.waiting, ("class", $0.name)) })
        let name = "tileserver_work_wait_seconds"
        text.begin(name, .summary, "Time that work items waited before they started, by class.")
        for work in work {
            text.add(name + "_sum", [("class", work.name)], work.waitSeconds)
            text.add(name + "_count", [("class", work.name)], Double(work.begun))
        }
        text.add(
            "tileserver_work_refused_total", .counter,
            help: "Work items that were refused, by class and reason: queue full, too late, or not enough memory.",
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
            "tileserver_cdn_purges_total", .counter, help: "Purge requests to caches in front, by result.",
            [.init(caching.succeeded, ("result", "ok")), .init(caching.failed, ("result", "failed"))])
    }

    private func addMemory(to text: inout MetricsText) {
        text.add("tileserver_memory_limit_bytes", .gauge, help: "Memory limit of the process.", memory.limit)
        text.add(
            "tileserver_memory_clients_limit_bytes", .gauge, help: "Part of the memory limit that is for clients.",
            memory.clientLimit)
        text.add(
            "tileserver_memory_bytes", .gauge, help: "Memory used for clients, by use.",
            memory.uses.map { .init($0.bytes, ("use", $0.name)) })
        text.add(
            "tileserver_memory_use_limit_bytes", .gauge, help: "Memory limit of a use.",
            memory.uses.map { .init($0.limit, ("use", $0.name)) })
    }

    private func addEvents(to text: inout MetricsText) {
        text.add(
            "tileserver_events_total", .counter, help: "Log events, including events whose lines were left out.",
            events.sorted { $0.key < $1.key }.map { .init($0.value, ("event", $0.key)) })
        text.add(
            "tileserver_log_lines_dropped_total", .counter,
            help: "Log lines lost because the reader of the log was too slow.",
            droppedLogLines)
    }
}

extension FleetMetrics {
    fileprivate func add(to text: inout MetricsText) {
        text.add(
            "tileserver_fleet_nodes", .gauge, help: "Nodes of the fleet that were heard from, including this node.",
            nodes.count)
        text.add(
            "tileserver_fleet_node_up", .gauge, help: "1 if a node was heard from in the last ten seconds.",
            nodes.map { .init($0.isUp ? 1 : 0, ("node", $0.name)) })
        text.add(
            "tileserver_fleet_node_differs", .gauge,
            help: "1 if a node's secret, clock, layers or settings have differed from this node's for a minute.",
            nodes.map { .init($0.difference == nil ? 0 : 1, ("node", $0.name)) })
        text.add(
            "tileserver_fleet_redis_up", .gauge, help: "1 if the last request to Redis succeeded.", isRedisUp ? 1 : 0)
        text.add(
            "tileserver_fleet_lag_seconds", .gauge, help: "Time since Redis last reported other nodes' clears.", lag)
        text.add(
            "tileserver_fleet_clears_unreached", .gauge, help: "Clears that have not reached all nodes.",
            unreachedClears)
        text.add(
            "tileserver_fleet_tiles_total", .counter, help: "Tiles read from Redis or written to Redis, by result.",
            TileResult.allCases.map { .init(tiles[$0] ?? 0, ("result", $0.rawValue)) })
        text.add(
            "tileserver_fleet_lock_total", .counter, help: "Requests for the lock of a tile's fetch, by result.",
            LockResult.allCases.map { .init(locks[$0] ?? 0, ("result", $0.rawValue)) })
    }
}

extension ProcessFigures {
    /// Uses the names of Prometheus' own client libraries.
    fileprivate func add(to text: inout MetricsText) {
        text.add("process_cpu_seconds_total", .counter, help: "User and system processor time.", cpuSeconds)
        text.add("process_resident_memory_bytes", .gauge, help: "Resident memory.", residentBytes)
        text.add("process_virtual_memory_bytes", .gauge, help: "Virtual memory.", virtualBytes)
        text.add("process_open_fds", .gauge, help: "Open file descriptors.", openDescriptors)
        text.add("process_max_fds", .gauge, help: "Maximum number of open file descriptors.", mostDescriptors)
        text.add("process_threads", .gauge, help: "Threads.", threads)
        text.add(
            "process_start_time_seconds", .gauge, help: "Start time of the process in seconds since 1970.", startSeconds
        )
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
