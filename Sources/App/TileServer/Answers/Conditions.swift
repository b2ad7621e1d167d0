import Bytes
import Glibc
import HTTPServer
import TileCache

/// The conditions under which a client has a representation already (RFC 9110 13.1). A view on a request, valid as long as it.
struct Conditions {
    private let fields: RequestFields

    init(_ fields: RequestFields) {
        self.fields = fields
    }

    /// Whether the client has what an answer with `entry` would send.
    func isUnchanged(_ entry: TileEntry) -> Bool {
        isUnchanged(etag: entry.etag, lastModified: entry.tile.lastModified)
    }

    /// `etag` with its quotation marks. If-None-Match wins over If-Modified-Since (RFC 9110 13.2.2).
    func isUnchanged(etag: UnsafeRawBufferPointer, lastModified: Int?) -> Bool {
        if fields.first("if-none-match") != nil {
            var isFound = false
            fields.forEach("if-none-match") { isFound = isFound || Self.list($0, contains: etag) }
            return isFound
        }
        guard let since = fields.first("if-modified-since") else { return false }
        return Self.isUnmodified(lastModified, since: since)
    }

    /// The conditions in a form that outlives the request; nil where there are none.
    var kept: Kept? {
        var tags: [SharedBytes] = []
        fields.forEach("if-none-match") { tags.append(SharedBytes($0)) }
        let since = fields.first("if-modified-since").map { SharedBytes($0) }
        return tags.isEmpty && since == nil ? nil : Kept(tags: tags, since: since)
    }

    /// Conditions that wait for a tile which is not there yet.
    struct Kept: Sendable {
        /// The values of If-None-Match.
        fileprivate let tags: [SharedBytes]
        /// The value of If-Modified-Since.
        fileprivate let since: SharedBytes?

        /// The same for something that has nothing but an entity tag.
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

    /// By weak comparison (RFC 9110 8.8.3.2): `W/` makes no difference. A comma inside a tag cannot be one of ours.
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
