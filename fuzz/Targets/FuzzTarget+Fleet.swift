import TileCache

@testable import Fleet
@testable import MapService
@testable import RedisClient

extension FuzzTarget {
    /// Reads replies of Redis. The result must be the same in one piece and byte by byte.
    static func readReplies(_ bytes: UnsafeRawBufferPointer) {
        let (whole, ends) = replies(bytes, step: max(bytes.count, 1))
        let (split, endsSplit) = replies(bytes, step: 1)
        check(whole == split && ends == endsSplit, "\(whole.count) replies in one piece, \(split.count) in many")
        for reply in whole {
            _ = reply.errorCode
            _ = RedisStreamEntry.all(in: reply).map { entries in entries.map { $0["t"] } }
        }
    }

    private static func replies(_ bytes: UnsafeRawBufferPointer, step: Int) -> (replies: [RedisReply], isBroken: Bool) {
        guard let reader = ReplyReader() else { return ([], true) }
        var found: [RedisReply] = []
        do throws(RedisError) {
            for start in stride(from: 0, to: bytes.count, by: step) {
                try reader.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + step, bytes.count)]))
                while let reply = try reader.next() { found.append(reply) }
            }
        } catch {
            return (found, true)
        }
        return (found, false)
    }

    /// Reads a tile of Redis, with a correct checksum in front of the bytes. A value that is read must survive
    /// encoding.
    static func readFleetValue(_ bytes: UnsafeRawBufferPointer) {
        let hash = ContentHash(of: bytes)
        var writer = ByteWriter(Array("tsf1".utf8))
        writer.put(hash.high)
        writer.put(hash.low)
        writer.put(bytes)
        guard let value = FleetValue(writer.bytes) else { return }
        guard let again = FleetValue(value.encoded) else { return check(false, "what was read cannot be written") }
        check(again.name == value.name && again.stamp == value.stamp, "it is another value")
    }

    /// Reads a batch that another node has signed. A batch that is read must survive encoding.
    static func readFleetBatch(_ bytes: UnsafeRawBufferPointer) {
        guard let batch = FleetBatch(body: Array(bytes)) else { return }
        check(FleetBatch(body: batch.body) == batch, "it is another batch")
    }
}
