import Keys
import Runtime

/// An entry of a stream.
package struct RedisStreamEntry: Sendable, Equatable {
    /// The stream's key.
    package let stream: String
    /// Its id, such as `1700000000000-0`.
    package let id: String
    /// Names and values in turn.
    package let fields: [[UInt8]]

    /// The value of the field `name`; nil where there is none.
    package subscript(_ name: String) -> [UInt8]? {
        stride(from: 0, to: fields.count - 1, by: 2).first { fields[$0].elementsEqual(name.utf8) }.map {
            fields[$0 + 1]
        }
    }
}

/// Reads streams as they grow, over a connection of its own (`XREAD BLOCK`), and goes on where it was when that breaks.
///
/// A class to own the connection. Thread rule: any thread. Dropping the reader closes it.
package final class RedisStreamReader: Sendable {
    private let loop: Loop

    /// - Parameters:
    ///   - streams: keys, and the ids behind which to read; `$`: what comes from now on.
    ///   - timeout: seconds in which Redis must answer beyond the time that it waits for entries.
    ///   - onEntries: called on the reactor with entries in their order; must not block.
    ///   - onState: called on the reactor, as that of `RedisClient`.
    package init(
        _ address: RedisURL, reactor: Reactor, streams: [(key: String, from: String)], timeout: Double = 1,
        onEntries: @escaping @Sendable ([RedisStreamEntry]) -> Void,
        onState: @escaping @Sendable (RedisState) -> Void = { _ in }
    ) {
        let loop = Loop(streams, timeout: timeout, onEntries: onEntries)
        self.loop = loop
        loop.link = RedisLink(
            address, reactor: reactor, timeout: timeout, onReady: { [weak loop] in loop?.begin(on: $0) },
            onChange: onState)
        reactor.post { loop.link?.open() }
    }

    deinit {
        close()
    }

    /// Reads no more.
    package func close() {
        guard let link = loop.link else { return }
        link.reactor.post { [loop] in loop.close() }
    }

    /// One command after the other. Thread rule: the reactor's queue, but for its making.
    private final class Loop: @unchecked Sendable {
        // Invariant behind @unchecked: `link` is set once, by the only owner, before anything runs; all else is touched only on the
        // reactor's queue.
        var link: RedisLink?
        private var streams: [(key: String, from: String)]
        private let timeout: Double
        private let onEntries: @Sendable ([RedisStreamEntry]) -> Void
        private var isClosed = false
        /// How many entries of a stream are asked for at a time: fewer where those were more than is read of a reply.
        private var count = Loop.most
        /// One entry alone was more than is read of a reply: what is there is left out, and Redis itself says what is new.
        private var leavesOut = false

        /// Seconds that Redis waits for entries.
        private static let block = 2.0
        /// Entries of a stream at a time.
        private static let most = 64

        init(
            _ streams: [(key: String, from: String)], timeout: Double,
            onEntries: @escaping @Sendable ([RedisStreamEntry]) -> Void
        ) {
            self.streams = streams
            self.timeout = timeout
            self.onEntries = onEntries
        }

        func begin(on connection: RedisConnection) {
            // `$` would miss what comes between two reads.
            guard !leavesOut, let index = streams.firstIndex(where: { $0.from == "$" }) else {
                return read(on: connection)
            }
            let command = RedisCommand("XREVRANGE", [RedisArgument(streams[index].key), "+", "-", "COUNT", "1"])
            ask(connection, command, within: timeout) { loop, reply in
                guard case .array(let entries) = reply else { return false }
                guard let last = entries.first else {
                    loop.streams[index].from = "0-0"
                    return true
                }
                guard case .array(let parts) = last, let id = parts.first?.text else { return false }
                loop.streams[index].from = String(decoding: id, as: UTF8.self)
                return true
            }
        }

        private func read(on connection: RedisConnection) {
            let command = RedisCommand(
                "XREAD",
                ["COUNT", RedisArgument(count), "BLOCK", RedisArgument(Int(Self.block * 1_000)), "STREAMS"]
                    + streams.map { RedisArgument($0.key) } + streams.map { RedisArgument($0.from) })
            ask(connection, command, within: Self.block + timeout) { loop, reply in
                guard reply != .null else { return true }
                guard let entries = RedisStreamEntry.all(in: reply) else { return false }
                for entry in entries {
                    guard let index = loop.streams.firstIndex(where: { $0.key == entry.stream }) else { continue }
                    loop.streams[index].from = entry.id
                }
                loop.count = min(2 * loop.count, Self.most)
                loop.onEntries(entries)
                return true
            }
        }

        /// Goes on behind the reply, unless `take` says that it is none.
        private func ask(
            _ connection: RedisConnection, _ command: RedisCommand, within seconds: Double,
            _ take: @escaping @Sendable (Loop, RedisReply) -> Bool
        ) {
            var bytes: [UInt8] = []
            command.write(to: &bytes)
            connection.submit(bytes, timeout: seconds) { [weak self] result in
                // Where the connection has ended the link makes another.
                guard let self, !self.isClosed else { return }
                if result == .failure(.tooLarge) { self.tooLarge() }
                guard case .success(let reply) = result else { return }
                guard take(self, reply) else {
                    return connection.end(reply.errorCode.map { .refused($0) } ?? .garbage)
                }
                self.begin(on: connection)
            }
        }

        private func tooLarge() {
            guard count == 1 || streams.contains(where: { $0.from == "$" }) else { return count = max(count / 8, 1) }
            leavesOut = true
            for index in streams.indices { streams[index].from = "$" }
        }

        func close() {
            isClosed = true
            link?.close()
        }
    }
}

extension RedisStreamEntry {
    /// What `XREAD` answers: streams with their entries; nil where it is something else.
    static func all(in reply: RedisReply) -> [RedisStreamEntry]? {
        guard case .array(let streams) = reply else { return nil }
        var all: [RedisStreamEntry] = []
        for stream in streams {
            guard case .array(let parts) = stream, parts.count == 2, let key = parts[0].text,
                case .array(let entries) = parts[1]
            else { return nil }
            for entry in entries {
                guard case .array(let parts) = entry, parts.count == 2, let id = parts[0].text else { return nil }
                // An entry that was deleted has no fields.
                guard case .array(let fields) = parts[1] else { continue }
                all.append(
                    RedisStreamEntry(
                        stream: String(decoding: key, as: UTF8.self), id: String(decoding: id, as: UTF8.self),
                        fields: fields.map { $0.text ?? [] }))
            }
        }
        return all
    }
}
