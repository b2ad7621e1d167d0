import Bytes
import Glibc
import HTTPServer
import TileCache

/// The conditions of a request, such as `If-None-Match`: the client wants the content only if it has changed (RFC 9110
/// 13.1). The value points into the memory of the request, and is valid only during the request.
struct Conditions {
    private let fields: RequestFields

    init(_ fields: RequestFields) {
        self.fields = fields
    }

    /// Reports whether the client already has the response for `entry`.
    func isUnchanged(_ entry: TileEntry) -> Bool {
        isUnchanged(etag: entry.etag, lastModified: entry.tile.lastModified)
    }

    /// Reports whether the client already has the representation. `etag` includes its quotation marks. If-None-Match
    /// has priority over If-Modified-Since (RFC 9110 13.2.2).
    func isUnchanged(etag: UnsafeRawBufferPointer, lastModified: Int?) -> Bool {
        if fields.first("if-none-match") != nil {
            var isFound = false
            fields.forEach("if-none-match") { isFound = isFound || Self.list($0, contains: etag) }
            return isFound
        }
        guard let since = fields.first("if-modified-since") else { return false }
        return Self.isUnmodified(lastModified, since: since)
    }

    /// The conditions in a form that outlives the request. Nil if there are none.
    var kept: Kept? {
        var tags: [SharedBytes] = []
        fields.forEach("if-none-match") { tags.append(SharedBytes($0)) }
        let since = fields.first("if-modified-since").map { SharedBytes($0) }
        return tags.isEmpty && since == nil ? nil : Kept(tags: tags, since: since)
    }

    /// A copy of the conditions, which stays valid while the tile is fetched.
    struct Kept: Sendable {
        /// The values of If-None-Match.
        fileprivate let tags: [SharedBytes]
        /// The value of If-Modified-Since.
        fileprivate let since: SharedBytes?

        /// Reports whether the client already has a representation that only has an entity tag.
        func isUnchanged(etag: UnsafeRawBufferPointer) -> Bool {
            tags.contains { Conditions.list($0.buffer, contains: etag) }
        }

        func isUnchanged(_ entry: TileEntry) -> Bool {
            if !tags.isEmpty { return tags.contains { Conditions.list($0.buffer, contains: entry.etag) } }
            guard let since else { return false }
            return withExtendedLifetime(since) { Conditions.isUnmodified(entry.tile.lastModified, since: since.buffer) }
        }
    }

    private static func isUnmodified(_ lastModified: Int?, since: UnsafeRawBufferPointer) -> Bool {
        guard let lastModified, let date = HTTPDate.parse(since, now: time(nil)) else { return false }
        return lastModified <= date
    }

    /// Compares weakly (RFC 9110 8.8.3.2): `W/` is ignored. The list is split at each comma. A tag with a comma cannot
    /// be one of our tags.
    private static func list(_ list: UnsafeRawBufferPointer, contains etag: UnsafeRawBufferPointer) -> Bool {
        if list.equals("*") { return true }
        var isFound = false
        list.forEachListMember { member in
            let opaque = member.starts(with: "W/".utf8) ? UnsafeRawBufferPointer(rebasing: member[2...]) : member
            isFound = isFound || opaque.elementsEqual(etag)
        }
        return isFound
    }
}
