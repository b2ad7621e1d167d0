import Bytes
import Tiles

/// A tile together with its hash, its validators and the header fields that describe it. Responses with the tile share
/// the entry.
///
/// This is a class, so that sharing costs only one reference. Immutable.
package final class TileEntry: Sendable {
    package let tile: Tile
    /// The hash of the tile's bytes.
    package let hash: ContentHash
    /// The validators for asking the source whether the tile has changed. Nil if there are none.
    package let validators: Validators?
    /// The `Date` in `fields`, in seconds since 1970 (RFC 9110 6.6.1). This is the time when the source sent or
    /// confirmed the tile, by the source's clock. If the source gave no date, this is the time when the tile was made
    /// or confirmed, by the clock of the server that fetched the tile. Nil if `fields` has no date.
    package let date: Int?
    /// The HTTP field lines that describe the tile.
    package let fields: SharedBytes
    /// The range of the entity tag in `fields`, including its quotation marks (RFC 9110 8.8.3).
    private let tag: Range<Int>

    /// `tag` must be a range of `fields`.
    package init(
        tile: Tile, hash: ContentHash, validators: Validators?, date: Int? = nil, fields: SharedBytes, tag: Range<Int>
    ) {
        precondition(tag.upperBound <= fields.count, "the entity tag is part of the fields")
        self.tile = tile
        self.hash = hash
        self.validators = validators
        self.date = date
        self.fields = fields
        self.tag = tag
    }

    /// Returns the entry with further field lines. Each of them must end with CRLF.
    package func adding(_ lines: SharedBytes) -> TileEntry {
        TileEntry(
            tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(fields.array + lines.array),
            tag: tag)
    }

    /// The entity tag with its quotation marks. The pointer is valid while this entry exists.
    package var etag: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: fields.buffer[tag])
    }

    /// Bytes of memory without the node: the body, the field lines, the validators, and the objects around them in the
    /// allocator's sizes.
    var cost: Int {
        let validation = (validators?.etag?.utf8.count ?? 0) + (validators?.lastModified?.utf8.count ?? 0)
        return tile.bytes.count + fields.count + Self.objects + (validation > 0 ? validation + Self.strings : 0)
    }

    private static let objects = 368
    /// Bytes that the allocator adds for two strings.
    private static let strings = 96
}
