import Bytes
import Foundation
import GRDB
import Raster
import Tiles

/// A row of the table `tile`, without its key and its access time.
///
/// The row has a checksum of its values and its key. The checksum uses the names in the key instead of the number of
/// the space, so that a row under a wrong key is detected. It does not cover the access time. That time is written
/// often, and a wrong access time does no harm.
struct TileRow: Equatable {
    var epoch: Int64
    var born: Int64
    var expires: Int64
    var revalidating: Int64
    var error: Int64
    var life: Int64?
    /// The lifetime that clients may be told: see `ClientTerms`. Nil if there is none, and in rows of an older server.
    var told: Int64?
    var rules: Int64?
    var date: Int64?
    var etag: String?
    var modified: String?
    var image: Image?
    var checksum: Int64 = 0

    /// The columns that describe the image of a tile. The column `body` is the number of the row with the image's
    /// bytes.
    struct Image: Equatable {
        var format: Int64
        var width: Int64
        var height: Int64
        var changed: Int64?
        var size: Int64
        var high: Int64
        var low: Int64
        var body: Int64

        var hash: ContentHash { ContentHash(high: high, low: low) }
    }

    static let columns = [
        "epoch", "born", "expires", "revalidating", "error", "etag", "modified", "checksum", "image", "width", "height",
        "changed", "size", "high", "low", "body", "life", "told", "rules", "date",
    ]

    /// The columns of `tile` for a SELECT under the name `name`.
    static func selection(_ name: String) -> String {
        columns.map { "\(name).\($0)" }.joined(separator: ", ")
    }

    init(_ record: TileRecord, epoch: Int64, body: Int64?) {
        self.epoch = epoch
        born = Int64(record.born)
        expires = Int64(record.expires)
        revalidating = Int64(record.life.staleWhileRevalidate)
        error = Int64(record.life.staleIfError)
        life = record.life.stated.map(Int64.init)
        told = record.life.clients.lifetime.map(Int64.init)
        rules = Int64(record.life.clients.rules.rawValue)
        date = record.date.map(Int64.init)
        etag = record.validators?.etag
        modified = record.validators?.lastModified
        guard case .tile(let tile, let hash) = record.content, let body else { return }
        image = Image(
            format: Int64(tile.format.rawValue), width: Int64(tile.width), height: Int64(tile.height),
            changed: tile.lastModified.map(Int64.init), size: Int64(tile.bytes.count), high: hash.storedHigh,
            low: hash.storedLow, body: body)
    }

    /// Reads the columns of the row, beginning with the column number `start`. Returns nil if a required value is
    /// missing.
    init?(_ row: Row, from start: Int) {
        func number(_ column: Int) -> Int64? { row.number(start + column) }
        func text(_ column: Int) -> String? { row.text(start + column) }
        guard let epoch = number(0), let born = number(1), let expires = number(2), let revalidating = number(3),
            let error = number(4), let checksum = number(7)
        else { return nil }
        (self.epoch, self.born, self.expires) = (epoch, born, expires)
        (self.revalidating, self.error, self.checksum) = (revalidating, error, checksum)
        (life, told, rules, date) = (number(16), number(17), number(18), number(19))
        etag = text(5)
        modified = text(6)
        guard let format = number(8) else { return }
        guard let width = number(9), let height = number(10), let size = number(12), let high = number(13),
            let low = number(14), let body = number(15)
        else { return nil }
        image = Image(
            format: format, width: width, height: height, changed: number(11), size: size, high: high, low: low,
            body: body)
    }

    /// Returns the values of `columns`, with the checksum for `key`.
    func values(under key: StoreKey) -> [(any DatabaseValueConvertible)?] {
        [
            epoch, born, expires, revalidating, error, etag, modified, sum(under: key), image?.format, image?.width,
            image?.height, image?.changed, image?.size, image?.high, image?.low, image?.body,
            life, told, rules, date,
        ]
    }

    /// Reports whether the row is unchanged since it was written under `key`.
    func isIntact(under key: StoreKey) -> Bool {
        checksum == sum(under: key)
    }

    private func sum(under key: StoreKey) -> Int64 {
        var sum = RowChecksum()
        sum.add(key.namespace.layer)
        sum.add(key.namespace.fingerprint)
        let coordinate = key.coordinate
        for number in [Int(key.generation), coordinate.z, coordinate.x, coordinate.y, Int(key.scale)] {
            sum.add(Int64(number))
        }
        for number in [StoreKey.format, epoch, born, expires, revalidating, error] { sum.add(number) }
        sum.add(life)
        sum.add(etag)
        sum.add(modified)
        sum.add(image?.changed)
        // A row of an older server lacks these values, and keeps its old checksum.
        if let rules {
            sum.add(rules)
            sum.add(told)
            sum.add(date)
        }
        if let image {
            let numbers = [image.format, image.width, image.height, image.size, image.high, image.low, image.body]
            for number in numbers { sum.add(number) }
        }
        return sum.value
    }

    /// Returns the record with the image `bytes`. Returns nil if these bytes are not the image that was stored, or if
    /// its format is unknown.
    func record(_ bytes: SharedBytes?) -> TileRecord? {
        let content: TileRecord.Content
        if let image {
            guard let bytes, let format = UInt8(exactly: image.format).flatMap(ImageFormat.init),
                image.size == bytes.count, ContentHash(of: bytes) == image.hash
            else { return nil }
            let tile = Tile(
                bytes: bytes, format: format, width: Int(image.width), height: Int(image.height),
                lastModified: image.changed.map(Int.init))
            content = .tile(tile, image.hash)
        } else {
            content = .noTile
        }
        let (lifetime, isEndless) = expires.subtractingReportingOverflow(born)
        let life = TileLife(
            lifetime: isEndless ? (expires > born ? .max : 0) : UInt32(clamping: lifetime),
            staleWhileRevalidate: UInt32(clamping: revalidating), staleIfError: UInt32(clamping: error),
            stated: life.map(UInt32.init(clamping:)), clients: clients)
        return TileRecord(
            content: content, validators: Validators(etag: etag, lastModified: modified), born: Int(born), life: life,
            date: date.map(Int.init))
    }

    /// The terms for clients. A row without them gives the terms that its source gave to this cache.
    private var clients: ClientTerms {
        guard let rules else {
            return life.map {
                ClientTerms(
                    lifetime: UInt32(clamping: $0), rules: [.withoutStaleWhileRevalidate, .withoutStaleIfError])
            } ?? ClientTerms()
        }
        return ClientTerms(
            lifetime: told.map(UInt32.init(clamping:)),
            rules: ClientTerms.Rules(rawValue: UInt8(truncatingIfNeeded: rules)))
    }
}

extension StoreKey {
    /// The encoding of a stored tile. 0 is the encoding of its source, and so far the only one.
    static let format: Int64 = 0

    /// Returns the key's columns in the table `tile`.
    func arguments(space: Int64) -> [any DatabaseValueConvertible] {
        [space, coordinate.z, coordinate.x, coordinate.y, Int64(scale), Self.format]
    }

    static let condition = "space = ? AND z = ? AND x = ? AND y = ? AND scale = ? AND format = ?"
}

extension TileRecord {
    /// Size of the image in bytes.
    var size: Int {
        if case .tile(let tile, _) = content { tile.bytes.count } else { 0 }
    }

    /// Returns the record with a lifetime that ends at second `time` at the latest.
    func expired(at time: Int) -> TileRecord {
        var life = life
        let (lifetime, isEarly) = time.subtractingReportingOverflow(born)
        life.lifetime = min(life.lifetime, isEarly ? 0 : UInt32(clamping: lifetime))
        return TileRecord(content: content, validators: validators, born: born, life: life, date: date)
    }
}
