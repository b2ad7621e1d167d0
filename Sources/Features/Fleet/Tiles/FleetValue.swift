import Bytes
import Raster
import TileCache
import Tiles

/// The form in which Redis stores a tile, or the fact that there is no tile. A value also contains the tile's name, its
/// generation and a stamp. A reader can therefore detect a value that is damaged, has a wrong key, or is older than a
/// clear.
///
/// All numbers are little-endian. The order of the fields is:
/// 1. `magic`, and an XXH3-128 hash of all following bytes
/// 2. name, generation and stamp
/// 3. time of birth, lifetimes, rules for clients, and `Parts`
/// 4. the optional fields that `Parts` names, in the order of `Parts`
/// 5. for a tile its format, width, height, hash, length and bytes
package struct FleetValue: Sendable {
    /// The name of the tile, as in `FleetKey.name`.
    package let name: String
    package let generation: UInt32
    /// The id up to which the writer had applied all clears and purges of the layer when its fetch began.
    package let stamp: StreamID
    package let record: TileRecord

    /// Maximum size of a tile in bytes.
    package static let mostBytes = 1 << 20
    /// Maximum size of a value in bytes. Each text in a value has at most 65,535 bytes.
    static let mostEncoded = mostBytes + (256 << 10)

    /// The magic number, which includes the version of the format.
    private static let magic = Array("tsf1".utf8)
    private static let headCount = 20

    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let tile = Parts(rawValue: 1)
        static let stated = Parts(rawValue: 2)
        static let clients = Parts(rawValue: 4)
        static let date = Parts(rawValue: 8)
        static let etag = Parts(rawValue: 16)
        static let lastModified = Parts(rawValue: 32)
        static let modified = Parts(rawValue: 64)
        static let all = Parts(rawValue: 127)
    }

    /// Reports whether Redis may keep `record`: it is small enough, and its tile is in the form in which its source
    /// delivered it.
    package static func takes(_ record: TileRecord) -> Bool {
        let texts = [record.validators?.etag, record.validators?.lastModified].compactMap { $0?.utf8.count }
        guard texts.allSatisfy({ $0 <= Int(UInt16.max) }) else { return false }
        guard case .tile(let tile, _) = record.content else { return true }
        return tile.derivation == nil && tile.bytes.count <= mostBytes
    }
}

/// Encodes and decodes values.
extension FleetValue {
    package var encoded: [UInt8] {
        var writer = ByteWriter(Self.magic + [UInt8](repeating: 0, count: Self.headCount - Self.magic.count))
        writer.put(name)
        writer.put(generation)
        writer.put(stamp.milliseconds)
        writer.put(stamp.sequence)
        writer.put(Int64(record.born))
        let life = record.life
        for seconds in [life.lifetime, life.staleWhileRevalidate, life.staleIfError] { writer.put(seconds) }
        writer.put(life.clients.rules.rawValue)
        writer.put(parts.rawValue)
        if let stated = life.stated { writer.put(stated) }
        if let lifetime = life.clients.lifetime { writer.put(lifetime) }
        if let date = record.date { writer.put(Int64(date)) }
        if let etag = record.validators?.etag { writer.put(etag) }
        if let lastModified = record.validators?.lastModified { writer.put(lastModified) }
        if case .tile(let tile, let hash) = record.content {
            if let modified = tile.lastModified { writer.put(Int64(modified)) }
            writer.put(tile.format.rawValue)
            writer.put(UInt16(clamping: tile.width))
            writer.put(UInt16(clamping: tile.height))
            writer.put(hash.high)
            writer.put(hash.low)
            writer.put(UInt32(clamping: tile.bytes.count))
            withExtendedLifetime(tile.bytes) { writer.put($0.buffer) }
        }
        var bytes = writer.bytes
        let checksum = Self.checksum(bytes)
        var head = ByteWriter(Self.magic)
        head.put(checksum.high)
        head.put(checksum.low)
        bytes.replaceSubrange(..<Self.headCount, with: head.bytes)
        return bytes
    }

    private var parts: Parts {
        var parts: Parts = []
        if record.life.stated != nil { parts.insert(.stated) }
        if record.life.clients.lifetime != nil { parts.insert(.clients) }
        if record.date != nil { parts.insert(.date) }
        if record.validators?.etag != nil { parts.insert(.etag) }
        if record.validators?.lastModified != nil { parts.insert(.lastModified) }
        guard case .tile(let tile, _) = record.content else { return parts }
        parts.insert(.tile)
        if tile.lastModified != nil { parts.insert(.modified) }
        return parts
    }

    private static func checksum(_ bytes: [UInt8]) -> ContentHash {
        bytes.withUnsafeBytes { ContentHash(of: UnsafeRawBufferPointer(rebasing: $0[headCount...])) }
    }

    // MARK: Reading

    /// Decodes a value from Redis. Returns nil if the hash is wrong, or if the bytes have another form.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.headCount, bytes.starts(with: Self.magic) else { return nil }
        var reader = ByteReader(bytes[Self.magic.count...])
        guard let high: UInt64 = reader.take(), let low: UInt64 = reader.take() else { return nil }
        guard Self.checksum(bytes) == ContentHash(high: high, low: low) else { return nil }
        guard let name = reader.text(), let generation: UInt32 = reader.take(),
            let milliseconds: UInt64 = reader.take(), let sequence: UInt64 = reader.take(),
            let record = Self.record(&reader), reader.isAtEnd
        else { return nil }
        self.init(
            name: name, generation: generation, stamp: StreamID(milliseconds: milliseconds, sequence: sequence),
            record: record)
    }

    private static func record(_ reader: inout ByteReader) -> TileRecord? {
        guard let born: Int64 = reader.take(), let lifetime: UInt32 = reader.take(),
            let whileRevalidating: UInt32 = reader.take(), let ifError: UInt32 = reader.take(),
            let rules: UInt8 = reader.take(), let flags: UInt8 = reader.take(), flags & ~Parts.all.rawValue == 0
        else { return nil }
        let parts = Parts(rawValue: flags)
        var life = TileLife(
            lifetime: lifetime, staleWhileRevalidate: whileRevalidating, staleIfError: ifError,
            clients: ClientTerms(rules: ClientTerms.Rules(rawValue: rules)))
        var date: Int64?
        var (etag, lastModified): (String?, String?)
        guard reader.take(into: &life.stated, if: parts.contains(.stated)),
            reader.take(into: &life.clients.lifetime, if: parts.contains(.clients)),
            reader.take(into: &date, if: parts.contains(.date)),
            reader.text(into: &etag, if: parts.contains(.etag)),
            reader.text(into: &lastModified, if: parts.contains(.lastModified))
        else { return nil }
        var content = TileRecord.Content.noTile
        if parts.contains(.tile) {
            guard let tile = tile(&reader, isModified: parts.contains(.modified)) else { return nil }
            content = tile
        }
        let hasValidators = etag != nil || lastModified != nil
        return TileRecord(
            content: content, validators: hasValidators ? Validators(etag: etag, lastModified: lastModified) : nil,
            born: Int(born), life: life, date: date.map { Int($0) })
    }

    private static func tile(_ reader: inout ByteReader, isModified: Bool) -> TileRecord.Content? {
        var modified: Int64?
        guard reader.take(into: &modified, if: isModified), let number: UInt8 = reader.take(),
            let format = ImageFormat(rawValue: number), let width: UInt16 = reader.take(),
            let height: UInt16 = reader.take(), let high: UInt64 = reader.take(), let low: UInt64 = reader.take(),
            let count: UInt32 = reader.take(), count <= mostBytes, let bytes = reader.bytes(Int(count))
        else { return nil }
        let hash = ContentHash(high: high, low: low)
        let image = SharedBytes(bytes)
        guard ContentHash(of: image) == hash else { return nil }
        let tile = Tile(
            bytes: image, format: format, width: Int(width), height: Int(height), lastModified: modified.map { Int($0) }
        )
        return .tile(tile, hash)
    }
}
