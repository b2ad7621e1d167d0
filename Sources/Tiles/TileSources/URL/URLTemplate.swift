import HTTPClient
import MapGeometry
import Tiles

/// A URL with placeholders, from which the URL of each tile is made. It is the text form of `GMSTileURLConstructor`
/// (docs/spec/model.md 3.3). The text is parsed and checked once, so making a tile's URL cannot fail.
///
/// A layer can define its own placeholders. The others are:
///
/// - `{z}` or `{zoom}`, `{x}`, `{y}`, `{-y}` (the row counted from the south), `{quadkey}`
/// - `{bbox-epsg-3857}`: west, south, east and north in metres
/// - `{s}`: one of the subdomains
/// - `{r}`: nothing at scale 1, `@2x` at scale 2 and so on
/// - `{scale}`: 1…4
package struct URLTemplate: Sendable {
    /// The protocol of a template.
    package enum Scheme: String, Sendable {
        /// HTTP without encryption.
        case http
        /// HTTP over TLS.
        case https
        /// Local files.
        case file
    }

    /// The names of all built-in placeholders.
    package static let placeholders = Placeholder.allCases.map(\.rawValue) + ["zoom"]

    /// The scheme at the beginning of the text.
    package let scheme: Scheme
    /// True if the URL depends on the scale.
    package let hasScale: Bool
    /// The scheme, the host in lower case with its `{s}`, and the port, like `https://{s}.example.org:443`. Empty for
    /// `file`.
    let origin: String
    /// The template with `***` in place of secrets, for logs.
    package var redacted: String { Redaction(values: ownValues).redacted(text) }

    /// The values of the layer's own placeholders.
    let ownValues: [String]
    private let text: String
    let pieces: [Piece]
    private let subdomains: [String]
    private let flipsRows: Bool

    enum Placeholder: String, CaseIterable {
        case z, x, y
        case southernY = "-y"
        case subdomain = "s"
        case retina = "r"
        case scale, quadkey
        case box = "bbox-epsg-3857"
    }

    enum Piece {
        case literal(String)
        /// One of the layer's own values, encoded unless the scheme is `file`, and its name. The value may be secret.
        case value(String, name: String)
        case placeholder(Placeholder)
    }

    /// Returns the host of a template, with its placeholders and without the port. Nil for `file`.
    package static func host(of text: String) -> String? {
        let lowered = text.lowercased()
        guard lowered.hasPrefix("http:") || lowered.hasPrefix("https:") else { return nil }
        let authority = URLText.origin(of: text, scheme: lowered.hasPrefix("https:") ? .https : .http)
        guard let start = authority.range(of: "//"), let end = authority.lastIndex(of: ":") else { return nil }
        return start.upperBound < end ? String(authority[start.upperBound..<end]) : nil
    }

    /// Parses the template. `values` has the values of the layer's own placeholders. If `isTMS` is true, `{y}` is
    /// counted from the south.
    package init(
        _ text: String, values: [String: String] = [:], subdomains: [String] = [], isTMS: Bool = false
    ) throws(URLTemplateError) {
        let parser = try URLTemplateParser(text, values: values)
        scheme = parser.scheme
        pieces = parser.pieces
        let used = Set(pieces.compactMap(\.placeholder))
        try Self.requireCoordinates(used)
        if used.contains(.subdomain), subdomains.isEmpty { throw .missingSubdomains }
        for subdomain in subdomains where !Self.isHostText(subdomain) { throw .badSubdomain(subdomain) }
        self.subdomains = subdomains
        flipsRows = isTMS
        hasScale = used.contains(.retina) || used.contains(.scale)
        ownValues = Array(values.values)
        self.text = text
        origin = URLText.origin(of: text, scheme: scheme)
        if scheme != .file, !UpstreamURL.isValid(sample) { throw .malformed }
    }

    /// The URL of some tile.
    var sample: String {
        TileCoordinate(z: 0, x: 0, y: 0).map { url(at: $0, scale: 1) } ?? ""
    }

    /// Useful scales in pixels per point: 1…4 if the URL depends on the scale, otherwise only 1.
    package var scales: ClosedRange<Int> { hasScale ? TileSize.scales : 1...1 }

    /// Returns the URL of a tile at `scale` pixels per point, or its path for `file`.
    ///
    /// A tile always has the same URL, because its subdomain depends only on x + y.
    package func url(at tile: TileCoordinate, scale: Int) -> String {
        filled(at: tile, scale: scale, isMasked: false)
    }

    /// Returns the URL with `***` in place of each of the layer's own values, for people and for logs. Short values are
    /// hidden too.
    func maskedURL(at tile: TileCoordinate, scale: Int) -> String {
        filled(at: tile, scale: scale, isMasked: true)
    }

    private func filled(at tile: TileCoordinate, scale: Int, isMasked: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(128)
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal.utf8
            case .value(let value, _): text += (isMasked ? Redaction.mask : value).utf8
            case .placeholder(.z): text.append(decimal: tile.z)
            case .placeholder(.x): text.append(decimal: tile.x)
            case .placeholder(.y): text.append(decimal: flipsRows ? tile.tmsRow : tile.y)
            case .placeholder(.southernY): text.append(decimal: tile.tmsRow)
            case .placeholder(.subdomain):
                text += subdomains[(tile.x + tile.y) % subdomains.count].utf8
            case .placeholder(.retina): if scale > 1 { text += "@\(scale)x".utf8 }
            case .placeholder(.scale): text.append(decimal: scale)
            case .placeholder(.quadkey): text += tile.quadkey.utf8
            case .placeholder(.box):
                let box = tile.metres
                text += "\(box.minX),\(box.minY),\(box.maxX),\(box.maxY)".utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func requireCoordinates(_ used: Set<Placeholder>) throws(URLTemplateError) {
        guard !used.contains(.quadkey), !used.contains(.box) else { return }
        var missing: [String] = []
        if !used.contains(.z) { missing.append("z") }
        if !used.contains(.x) { missing.append("x") }
        if !used.contains(.y), !used.contains(.southernY) { missing.append("y") }
        if !missing.isEmpty { throw .missingCoordinates(missing) }
    }

    private static func isHostText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { URLText.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
}

extension URLTemplate.Piece {
    var placeholder: URLTemplate.Placeholder? {
        switch self {
        case .literal, .value: nil
        case .placeholder(let placeholder): placeholder
        }
    }
}

extension [UInt8] {
    /// Appends the digits of a number that is not negative.
    fileprivate mutating func append(decimal number: Int) {
        let start = count
        var rest = UInt(bitPattern: number)
        repeat {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // Reversing a slice would make a copy.
        var (first, last) = (start, count - 1)
        while first < last {
            swapAt(first, last)
            (first, last) = (first + 1, last - 1)
        }
    }
}
