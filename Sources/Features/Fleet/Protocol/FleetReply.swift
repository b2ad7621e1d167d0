import RedisClient

/// Parses the answers of `FleetScript`. Each parser returns nil if the answer has another form.
extension FleetRequest {
    /// Parses a generation and an id for each layer of a clear. The line `*` stands for all of `layers` without a line
    /// of their own.
    package static func numbers(in reply: RedisReply, of layers: [String] = []) -> [Row]? {
        guard var rows = lines(in: reply) else { return nil }
        guard let common = rows.firstIndex(where: { $0.layer == "*" }) else { return rows }
        let number = rows.remove(at: common).number
        let others = Set(rows.map(\.layer))
        return rows + layers.filter { !others.contains($0) }.map { Row(layer: $0, number: number) }
    }

    private static func lines(in reply: RedisReply) -> [Row]? {
        reply.lines?.reduce(into: Optional<[Row]>([])) { all, line in
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, let generation = UInt32(canonical: parts[1]), let id = StreamID(parts[2]) else {
                return all = nil
            }
            all?.append(Row(layer: String(parts[0]), number: FleetNumber(generation: generation, clear: id)))
        }
    }

    /// Parses the id of each layer's purge, and the id of the purge before.
    package static func ids(in reply: RedisReply) -> [(layer: String, previous: StreamID, id: StreamID)]? {
        reply.lines?.reduce(into: Optional<[(layer: String, previous: StreamID, id: StreamID)]>([])) { all, line in
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, let previous = StreamID(parts[1]), let id = StreamID(parts[2]) else {
                return all = nil
            }
            all?.append((String(parts[0]), previous, id))
        }
    }
}

extension FleetMerge {
    /// Reports whether `last` and the numbers of all rows are at most ten years after `now`, in seconds since 1970.
    /// Otherwise one of the two clocks is wrong.
    package func isSane(now: Int) -> Bool {
        FleetHorizon.isSane(last, now: now) && rows.allSatisfy { $0.number.isSane(now: now) }
    }

    package init?(_ reply: RedisReply) {
        guard case .array(let parts) = reply, parts.count == 7, let last = parts[0].line.flatMap({ StreamID($0) }),
            case .integer(let now) = parts[1], case .integer(let more) = parts[2], let rows = parts[3].lines,
            let nodes = parts[4].lines, case .array(let entries) = parts[5], case .integer(let step) = parts[6],
            let step = Step(rawValue: Int(step))
        else { return nil }
        self.last = last
        self.step = step
        hasMore = more == 1
        self.rows = []
        for line in rows {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let number = FleetNumber(line: parts[1]) else { return nil }
            self.rows.append(FleetRequest.Row(layer: String(parts[0]), number: number))
        }
        // Skips unreadable nodes: a node of another version may have written the line.
        self.nodes = nodes.compactMap { Node($0, now: now) }
        self.entries = []
        for entry in entries {
            guard case .array(let parts) = entry, parts.count == 2, let id = parts[0].line.flatMap({ StreamID($0) })
            else {
                return nil
            }
            let values = parts[1].lines ?? []
            let fields = stride(from: 0, to: values.count - 1, by: 2).map { (name: values[$0], value: values[$0 + 1]) }
            self.entries.append(Entry(id: id, fields: fields))
        }
    }
}

extension FleetMerge.Node {
    /// Parses `name seen position about`. `seen` and `now` are milliseconds since 1970.
    fileprivate init?(_ line: String, now: Int64) {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, FleetMessage.isName(String(parts[0]), atMost: 64),
            let seen = StreamID("\(parts[1])-0")?.milliseconds, let position = StreamID(parts[2])
        else { return nil }
        let age = max(Double(now) - Double(seen), 0) / 1_000
        let isOld = !parts[3].hasSuffix(FleetScript.form)
        let about = parts[3].dropLast(isOld ? 0 : FleetScript.form.count)
        self.init(
            name: String(parts[0]), age: age, position: position, about: String(about.prefix(64)), isOld: isOld)
    }
}

extension FleetMerge.Entry {
    package init(id: StreamID, fields: [(name: String, value: String)]) {
        self.id = id
        if let message = FleetMessage(fields: fields, id: id) {
            content = .message(message)
        } else if let notice = FleetNotice(fields: fields) {
            content = .notice(notice)
        } else {
            content = .unknown
        }
    }
}

extension RedisReply {
    fileprivate var line: String? { text.flatMap { String(validating: $0, as: UTF8.self) } }

    fileprivate var lines: [String]? {
        guard case .array(let parts) = self else { return nil }
        let lines = parts.compactMap(\.line)
        return lines.count == parts.count ? lines : nil
    }
}
