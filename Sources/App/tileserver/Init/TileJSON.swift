import Bytes
import Foundation
import HTTPClient
import Runtime
import TileServer

/// Reads a TileJSON document, which describes a source of tiles (TileJSON 3.0.0 and before). A member with an
/// impossible value counts as missing.
struct TileJSON {
    private let members: JSONMembers
    private let called: String
    /// The URL of the document, for relative URLs.
    private let base: String?

    /// Returns nil if `bytes` are no object with `tiles` or `tilejson`.
    private init?(_ bytes: [UInt8], called: String, base: String?) {
        guard let members = JSONMembers(bytes), members.has("tiles") || members.has("tilejson") else { return nil }
        self.members = members
        self.called = called
        self.base = base
    }

    /// Maximum size of a document in bytes.
    private static let mostBytes = 1 << 20

    /// Returns nil if the file is no TileJSON, or is unreadable or too large.
    static func local(_ path: String, called: String) -> TileJSON? {
        // An unreadable file counts as GeoJSON, and is reported as such.
        contents(of: path, limit: mostBytes).flatMap { TileJSON($0, called: called, base: nil) }
    }

    /// Fetches the TileJSON document at `url`. Returns the source that the document describes.
    static func fetched(from url: String) async throws(CommandError) -> FoundSource {
        let shown = FoundSource.shown(url)
        let response: UpstreamResponse
        do {
            let client = HTTPClient(reactor: try Reactor(label: "init"))
            let profile = try UpstreamProfile(
                userAgent: "tileserver/\(serverVersion)", limits: UpstreamLimits(body: mostBytes))
            response = try await client.fetch(UpstreamRequest(url: url, profile: profile)).get()
        } catch {
            throw CommandError("\(shown): \(error)", status: EX_UNAVAILABLE)
        }
        guard response.status == 200 else {
            throw CommandError("\(shown): the server answered \(response.status)", status: EX_UNAVAILABLE)
        }
        guard let document = TileJSON(response.body.array, called: FoundSource.host(of: url), base: url) else {
            throw .data(
                "\(shown): expected a TileJSON, found other content; a tile URL needs {z}, {x} and {y}")
        }
        return try document.source(of: shown)
    }

    /// Returns the source that the document describes. Messages use `origin` as the name of the document.
    func source(of origin: String) throws(CommandError) -> FoundSource {
        let urls = (members.strings("tiles") ?? []).map(resolved)
        guard let first = urls.first else {
            throw .data("\(origin): expected URLs of tiles in the TileJSON, found none")
        }
        // A document from another server must not name files of this machine.
        guard base == nil || urls.allSatisfy({ $0.hasPrefix("http://") || $0.hasPrefix("https://") }) else {
            throw .data("\(origin): expected http or https URLs of tiles in the TileJSON")
        }
        let path = first.prefix { $0 != "?" }.lowercased()
        guard !members.has("vector_layers"), !path.hasSuffix(".pbf"), !path.hasSuffix(".mvt") else {
            throw .data("\(origin): expected raster tiles, found vector tiles")
        }
        let (template, subdomains) = Self.joined(urls)
        var source = FoundSource(.url(template), called: members.string("id") ?? members.string("name") ?? called)
        source.subdomains = subdomains
        (source.name, source.description) = (members.string("name"), members.string("description"))
        source.attribution = members.string("attribution")
        source.isTMS = members.string("scheme") == "tms"
        let low = whole("minzoom", 0...30)
        let high = whole("maxzoom", 0...30)
        if low != nil || high != nil, (low ?? 0) <= (high ?? 22) { source.zooms = (low ?? 0)...(high ?? 22) }
        source.tileSize = whole("tileSize", 64...4_096)
        source.bounds = bounds
        source.notes = ["From \(origin)"]
        return source
    }

    private func whole(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        members.number(name).flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// The box of the tiles. Nil also for the whole world.
    private var bounds: [Double]? {
        let numbers = members.numbers("bounds") ?? []
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[1] < numbers[3], numbers[0] != numbers[2],
            (-180...180).contains(numbers[0]), (-180...180).contains(numbers[2]), numbers[1] >= -90, numbers[3] <= 90
        else { return nil }
        let isWorld = numbers[0] <= -180 && numbers[2] >= 180 && numbers[1] <= -85 && numbers[3] >= 85
        return isWorld ? nil : numbers
    }

    /// Returns an absolute URL (RFC 3986 5.2), or `url` if the document has no URL. Braces and dot segments such as
    /// `..` stay unchanged.
    private func resolved(_ url: String) -> String {
        guard let base, !url.contains("://") else { return url }
        let path = base.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = path.range(of: "://") else { return url }
        if url.hasPrefix("//") { return path[..<scheme.lowerBound] + ":" + url }
        let slash = path[scheme.upperBound...].firstIndex(of: "/") ?? path.endIndex
        if url.hasPrefix("/") { return path[..<slash] + url }
        let last = path[slash...].lastIndex(of: "/") ?? path.endIndex
        return path[..<last] + "/" + url
    }

    /// Joins several URLs into one template if they differ only in one part of their host, such as `a` and `b` in
    /// `a.tile.example.org`. Otherwise returns the first URL.
    private static func joined(_ urls: [String]) -> (String, [String]) {
        guard let first = urls.first, urls.count > 1, let scheme = first.range(of: "://") else {
            return (urls.first ?? "", [])
        }
        let start = urls.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        let end = urls.dropFirst().map { String($0.reversed()) }
            .reduce(String(first.reversed())) { $0.commonPrefix(with: $1) }
        let names = urls.map { String($0.dropFirst(start.count).dropLast(end.count)) }
        let hasHost = start.count >= first.distance(from: first.startIndex, to: scheme.upperBound)
        let areLabels = names.allSatisfy { name in
            !name.isEmpty && name.count <= 63 && name.utf8.allSatisfy(ASCII.isLetterOrDigit)
        }
        let isWithinHost = !start.dropFirst("https://".count).contains("/") && String(end.reversed()).contains("/")
        guard hasHost, areLabels, isWithinHost, Set(names).count == names.count, names.count <= 64 else {
            return (first, [])
        }
        return (start + "{s}" + end.reversed(), names)
    }
}
