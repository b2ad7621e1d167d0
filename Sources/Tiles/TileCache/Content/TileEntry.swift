import Bytes
import Tiles

/// A tile with all that an answer with it needs, made once and shared by every answer.
///
/// A class, so that handing it out costs one reference. Immutable.
package final class TileEntry: Sendable {
    package let tile: Tile
    /// The hash of the tile's bytes.
    package let hash: ContentHash
    /// What the tile's source can tell this version of it by; nil: nothing.
    package let validators: Validators?
    /// When its source sent it, by the source's clock, in seconds since 1970: the `Date` that `fields` say (RFC 9110 6.6.1).
    /// Nil where they say none.
    package let date: Int?
    /// The field lines that describe the tile.
    package let fields: SharedBytes
    /// Where in `fields` the entity tag lies, with its quotation marks (RFC 9110 8.8.3).
    private let tag: Range<Int>

    /// `tag` must lie in `fields`.
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

    /// The same with further field lines, each with its CRLF.
    package func adding(_ lines: SharedBytes) -> TileEntry {
        TileEntry(
            tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(fields.array + lines.array),
            tag: tag)
    }

    /// The entity tag with its quotation marks, valid as long as this entry.
    package var etag: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: fields.buffer[tag])
    }

    /// Bytes of memory beside the node: the body, the field lines, and the objects around them as the allocator rounds them.
    var cost: Int {
        let validation = (validators?.etag?.utf8.count ?? 0) + (validators?.lastModified?.utf8.count ?? 0)
        return tile.bytes.count + fields.count + Self.objects + (validation > 0 ? validation + Self.strings : 0)
    }

    private static let objects = 368
    /// What the allocator adds to two strings.
    private static let strings = 96
}
