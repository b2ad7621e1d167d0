import Bytes
import Reactor
import TileLayers

/// What can be stored: a tile or the knowledge that there is none. "Unavailable" cannot be, and the compiler says so.
public enum StoredTile: Sendable {
    case tile(TileEntry)
    case noTile
}

/// A tile with all that an answer with it needs, made once and shared by every answer.
///
/// A class, so that handing it out costs one reference. Immutable.
public final class TileEntry: Sendable {
    public let tile: Tile
    /// The field lines that describe the tile.
    public let fields: SharedBytes
    /// Where in `fields` the entity tag lies, with its quotation marks (RFC 9110 8.8.3).
    private let tag: Range<Int>

    /// `tag` must lie in `fields`.
    public init(tile: Tile, fields: SharedBytes, tag: Range<Int>) {
        precondition(tag.upperBound <= fields.count, "the entity tag is part of the fields")
        self.tile = tile
        self.fields = fields
        self.tag = tag
    }

    /// The entity tag with its quotation marks, valid as long as this entry.
    public var etag: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: fields.buffer[tag])
    }

    /// Bytes of memory beside the node: the body, the field lines, and the objects around them as the allocator rounds them.
    var cost: Int {
        tile.bytes.count + fields.count + Self.objects
    }

    private static let objects = 304
}

/// A stored tile and its times.
public struct CachedTile: Sendable {
    public let content: StoredTile
    public let storedAt: MonotonicTime
    /// From here on it is no longer served without asking the layer again.
    public let expires: MonotonicTime

    public init(content: StoredTile, storedAt: MonotonicTime, expires: MonotonicTime) {
        self.content = content
        self.storedAt = storedAt
        self.expires = expires
    }
}
