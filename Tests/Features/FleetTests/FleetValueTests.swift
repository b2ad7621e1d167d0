import Bytes
import Raster
import TestSupport
import TileCache
import Tiles
import Testing

@testable import Fleet

/// Threat T51: a value that differs from the written value is not a tile.
@Suite struct FleetValueTests {
    private func value(_ record: TileRecord) -> FleetValue {
        FleetValue(
            name: FleetKey(.sample(), prefix: "p").name, generation: 7,
            stamp: StreamID(milliseconds: 1_700_000_000_000, sequence: 3), record: record)
    }

    private static let records: [TileRecord] = {
        var life = TileLife(lifetime: .max, staleWhileRevalidate: 60, staleIfError: 86_400, stated: 0)
        life.clients = ClientTerms(lifetime: 5, rules: [.mustRevalidate, .withoutStaleIfError])
        let plain = Tile(bytes: SharedBytes([1, 2, 3]), format: .png, width: 256, height: 256)
        return [
            .sample(), .sample([], born: -5, life: life),
            TileRecord(content: .noTile, validators: nil, born: 1, life: TileLife(lifetime: 0)),
            TileRecord(
                content: .noTile, validators: Validators(etag: "\"é\"", lastModified: nil), born: .max, life: life),
            TileRecord(
                content: .tile(plain, ContentHash(of: plain.bytes)),
                validators: Validators(etag: nil, lastModified: ""),
                born: .min, life: life, date: .max),
        ]
    }()

    @Test func decodesEncodedValue() throws {
        for record in Self.records {
            let written = value(record)
            let read = try #require(FleetValue(written.encoded))
            #expect(read.name == written.name && read.generation == 7 && read.stamp == written.stamp)
            let found = read.record
            #expect(found.born == record.born && found.life == record.life && found.date == record.date)
            #expect(found.validators == record.validators && found.text == record.text)
            guard case .tile(let tile, let hash) = record.content else { continue }
            guard case .tile(let same, let sameHash) = found.content else {
                Issue.record("no tile")
                continue
            }
            #expect(same.bytes == tile.bytes && same.format == tile.format && sameHash == hash)
            #expect(same.width == tile.width && same.height == tile.height && same.lastModified == tile.lastModified)
        }
    }

    /// Another number would change the format of tiles that another node has stored.
    @Test(arguments: [(.png, 0), (.jpeg, 1), (.webp, 2), (.gif, 3)] as [(ImageFormat, UInt8)])
    func encodesNumberOfFormat(format: ImageFormat, number: UInt8) {
        let tile = Tile(bytes: SharedBytes([9]), format: format, width: 1, height: 1)
        let record = TileRecord(
            content: .tile(tile, ContentHash(of: tile.bytes)), validators: nil, born: 1, life: TileLife(lifetime: 1))
        // The fields after the format are width, height, hash, size, and the single byte of the tile.
        #expect(value(record).encoded.dropLast(2 + 2 + 16 + 4 + 1).last == number)
    }

    @Test func rejectsAnyFlippedBit() {
        for record in Self.records {
            let bytes = value(record).encoded
            for bit in 0..<bytes.count * 8 {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                #expect(FleetValue(damaged) == nil, "bit \(bit)")
            }
        }
    }

    @Test func rejectsTruncatedOrExtendedValue() {
        let bytes = value(.sample()).encoded
        for count in 0..<bytes.count { #expect(FleetValue(Array(bytes[..<count])) == nil) }
        #expect(FleetValue(bytes + [0]) == nil && FleetValue(bytes + bytes) == nil)
    }

    /// A program that can write into Redis can also write a valid checksum. Its data must not crash the process.
    @Test func survivesInvalidDataWithValidChecksum() {
        var random = SeededRandom(seed: 15)
        let bytes = value(.sample()).encoded
        for _ in 0..<20_000 {
            var junk = Array(bytes[20...])
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                junk[Int.random(in: 0..<junk.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { junk.removeLast(Int.random(in: 0...junk.count, using: &random)) }
            let hash = junk.withUnsafeBytes { ContentHash(of: $0) }
            var head = ByteWriter(Array(bytes[..<4]))
            head.put(hash.high)
            head.put(hash.low)
            _ = FleetValue(head.bytes + junk)
        }
    }

    @Test func acceptsTilesUpToOneMebibyte() {
        let limit = FleetValue.mostBytes
        #expect(FleetValue.takes(.sample([UInt8](repeating: 1, count: limit))))
        #expect(!FleetValue.takes(.sample([UInt8](repeating: 1, count: limit + 1))))
        #expect(FleetValue(value(.sample([UInt8](repeating: 1, count: limit))).encoded) != nil)
        let text = String(repeating: "e", count: 65_536)
        let record = TileRecord(
            content: .noTile, validators: Validators(etag: text, lastModified: nil), born: 1, life: .none)
        #expect(!FleetValue.takes(record))
    }

    @Test func buildsKeysOfTileLockAndWaiters() {
        let key = FleetKey(.sample(), prefix: "tiles")
        let print = String(repeating: "0a", count: 16)
        #expect(key.tile == "tiles:t:\(print):osm:8/1/3@2")
        #expect(key.lock == "tiles:l:\(print):osm:8/1/3@2" && key.waiters == "tiles:w:\(print):osm:8/1/3@2")
    }
}
