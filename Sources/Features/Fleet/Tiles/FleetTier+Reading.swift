import RedisClient
import TileCache

/// Reads tiles from Redis, and checks that they may be used.
extension FleetTier {
    package func record(for key: StoreKey) async -> TileRecord? {
        guard redis.isAvailable, stamps.stamp(of: key.namespace.layer) != nil else { return nil }
        return counted(await value(for: key), key)
    }

    /// Returns the tile in `reply`, an answer to `GETRANGE`. Returns nil if there is no tile that may be used. Updates
    /// the counts like `record(for:)`.
    func record(in reply: RedisReply, for key: StoreKey) -> TileRecord? {
        counted(found(in: reply, key), key)
    }

    /// Counts a read from Redis that did not find the tile.
    func noteMiss() { state.withLock { $0.counts[.miss, default: 0] += 1 } }

    private func counted(_ found: Found, _ key: StoreKey) -> TileRecord? {
        state.withLock { state in
            switch found {
            case .present: state.counts[.hit, default: 0] += 1
            case .absent: state.counts[.miss, default: 0] += 1
            case .corrupt: state.counts[.corrupt, default: 0] += 1
            case .unknown: break
            }
        }
        switch found {
        case .present(let record): return record
        case .corrupt:
            onCorrupt(key.namespace.layer)
            delete(key)
            return nil
        case .absent, .unknown: return nil
        }
    }

    package func peek(_ key: StoreKey) async -> TileRecord? {
        guard redis.isAvailable, case .present(let record) = await value(for: key) else { return nil }
        return record
    }

    private enum Found {
        case present(TileRecord)
        case absent
        case corrupt
        /// Redis gave no usable answer.
        case unknown
    }

    private func value(for key: StoreKey) async -> Found {
        let place = FleetKey(key, prefix: prefix)
        let reply: RedisReply
        do throws(RedisError) {
            // Limits the length: a longer value is not from this program, and could exceed the connection's limit.
            let end = RedisArgument(FleetValue.mostEncoded)
            reply = try await redis.send(RedisCommand("GETRANGE", [RedisArgument(place.tile), "0", end]))
        } catch {
            return .unknown
        }
        return found(in: reply, key)
    }

    private func found(in reply: RedisReply, _ key: StoreKey) -> Found {
        switch reply {
        case .null: return .absent
        case .bytes([]): return .absent
        case .bytes(let bytes):
            guard let value = FleetValue(bytes), value.name == FleetKey(key, prefix: prefix).name else {
                return .corrupt
            }
            return judged(value, key)
        // WRONGTYPE: the key holds another kind of value.
        case .error: return reply.errorCode == "WRONGTYPE" ? .corrupt : .unknown
        case .integer, .status, .array: return .corrupt
        }
    }

    private func judged(_ value: FleetValue, _ key: StoreKey) -> Found {
        guard value.generation == key.generation else { return .absent }
        let record = value.record
        switch stamps.verdict(on: key.coordinate, of: key.namespace.layer, stamp: value.stamp) {
        case .gone: return .absent
        case .valid: return .present(record)
        case .stale:
            var life = record.life
            let (age, isOverflow) = wall().subtractingReportingOverflow(record.born)
            life.lifetime = min(life.lifetime, isOverflow ? 0 : UInt32(clamping: age))
            return .present(
                TileRecord(
                    content: record.content, validators: record.validators, born: record.born, life: life,
                    date: record.date))
        }
    }
}
