import Keys
import Runtime

/// An entry of a Redis stream. A stream is a list of entries in Redis to which clients append.
package struct RedisStreamEntry: Sendable, Equatable {
    /// The stream's key.
    package let stream: String
    /// The entry's id, such as `1700000000000-0`.
    package let id: String
    /// Names and values, alternating.
    package let fields: [[UInt8]]

    /// Returns the value of the field `name`, or nil if there is none.
    package subscript(_ name: String) -> [UInt8]? {
        stride(from: 0, to: fields.count - 1, by: 2).first { fields[$0].elementsEqual(name.utf8) }.map {
            fields[$0 + 1]
        }
    }
}

/// Reads new entries of Redis streams as soon as they are added (`XREAD BLOCK`). The reader has its own connection. If
/// this connection is replaced, reading continues after the last entry. If a reply with one entry of each stream is too
/// large for `ReplyReader`, the reader skips existing entries in all streams.
///
/// A class because it owns the connection, which closes when the reader is released. Thread rule: any thread.
package final class RedisStreamReader: Sendable {
    private let loop: Loop

    /// - Parameters:
    ///   - streams: keys of the streams to read. `from` is the id of the last entry that is already known. `$` means
    ///     only new entries.
    ///   - timeout: seconds within which Redis must answer. The time for which Redis waits for new entries is added.
    ///   - onEntries: called on the reactor with entries, in order for each stream. Must not block.
    ///   - onState: called on the reactor, like `onChange` of `RedisClient`.
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

    /// Stops reading and closes the connection.
    package func close() {
        guard let link = loop.link else { return }
        link.reactor.post { [loop] in loop.close() }
    }

    /// Sends read commands without end: a command follows when the reply to the one before has arrived. Thread rule:
    /// the reactor's queue, except for `init`.
    private final class Loop: @unchecked Sendable {
        // Invariant behind @unchecked: `link` is set once by the owner, before anything runs. All other state is used
        // only on the reactor's queue.
        var link: RedisLink?
        private var streams: [(key: String, from: String)]
        private let timeout: Double
        private let onEntries: @Sendable ([RedisStreamEntry]) -> Void
        private var isClosed = false
        /// Number of entries per stream to request. Reduced if a reply was larger than `ReplyReader` accepts.
        private var count = Loop.most
        /// True if a reply that could not be made smaller was larger than `ReplyReader` accepts. Existing entries are
        /// then skipped, and `$` asks Redis for new entries only.
        private var leavesOut = false

        /// Maximum seconds for which Redis waits for entries.
        private static let block = 2.0
        /// Maximum number of entries per stream and reply.
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
            // With `$`, entries between two reads would be missed.
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

        /// Sends `command` and passes the reply to `take`. Then the loop continues with the next command. If `take`
        /// returns false, the connection ends.
        private func ask(
            _ connection: RedisConnection, _ command: RedisCommand, within seconds: Double,
            _ take: @escaping @Sendable (Loop, RedisReply) -> Bool
        ) {
            var bytes: [UInt8] = []
            command.write(to: &bytes)
            connection.submit(bytes, timeout: seconds) { [weak self] result in
                // If the connection has ended, the link reconnects, unless it is closed.
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
    /// Returns the entries of all streams in a reply to `XREAD`. Returns nil if the reply has another form.
    static func all(in reply: RedisReply) -> [RedisStreamEntry]? {
        guard case .array(let streams) = reply else { return nil }
        var all: [RedisStreamEntry] = []
        for stream in streams {
            guard case .array(let parts) = stream, parts.count == 2, let key = parts[0].text,
                case .array(let entries) = parts[1]
            else { return nil }
            for entry in entries {
                guard case .array(let parts) = entry, parts.count == 2, let id = parts[0].text else { return nil }
                // Skips an entry without fields.
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
