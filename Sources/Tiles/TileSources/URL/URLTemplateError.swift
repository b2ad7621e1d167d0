/// The reason why a text is not a valid URL template. An error may contain the invalid part of the text. It never
/// contains the whole template, because the template may have a secret key.
package enum URLTemplateError: Error, Hashable, Sendable {
    /// The scheme is not `http`, `https` or `file`. Nil if the text does not begin with the characters of a scheme and
    /// a colon.
    case unsupportedScheme(String?)
    /// A byte that no URL may contain, at this offset of the text or of one of the layer's values.
    case controlByte(UInt8, offset: Int)
    /// An unmatched brace at this offset.
    case unbalancedBrace(offset: Int)
    /// A name that is neither a placeholder in `URLTemplate.placeholders` nor one of the layer's values.
    case unknownPlaceholder(String)
    /// A placeholder between `//` and the path. Only `{s}` is allowed there.
    case placeholderInHost(String)
    /// The missing placeholders. A template needs all of `z`, `x` and `y`, or `quadkey`, or `bbox-epsg-3857`.
    case missingCoordinates([String])
    /// `{s}` occurs, but there are no subdomains.
    case missingSubdomains
    /// A subdomain that is empty, or has bytes other than letters, digits, `-`, `_` and `.`.
    case badSubdomain(String)
    /// A value with the name of a placeholder.
    case reservedValue(String)
    /// The host is missing or has a backslash, or a `file:` template has a host.
    case badHost
    /// The text is not a URL.
    case malformed
}

extension URLTemplateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unsupportedScheme(nil): "expected http:, https: or file:, found no scheme"
        case .unsupportedScheme(let scheme?): "expected http:, https: or file:, found \(scheme):"
        case .controlByte(let byte, let offset): "expected printable text, found byte \(byte) at offset \(offset)"
        case .unbalancedBrace(let offset): "expected { and } in pairs, found an unpaired brace at offset \(offset)"
        case .unknownPlaceholder(let name):
            "expected a placeholder or one of the layer's values, found {\(name)}\(Self.hint(for: name))"
        case .placeholderInHost(let name):
            "expected only the placeholder {s} in the host, found {\(name)}\(Self.hint(for: name))"
        case .missingCoordinates(let names):
            "expected {z}, {x} and {y}, found no " + names.map { "{\($0)}" }.joined(separator: ", ")
        case .missingSubdomains: "expected subdomains for {s}, found none"
        case .badSubdomain(let text): "expected letters, digits, -, _ and . in a subdomain, found \"\(text)\""
        case .reservedValue(let name): "expected a name that is no built-in placeholder, found {\(name)}"
        case .badHost: "expected http://host/…, https://host/… or file:path"
        case .malformed: "expected a URL, found text that is not a URL after its placeholders are filled in"
        }
    }

    /// Suggests the correct spelling for a placeholder of another program: `{a-c}` of OpenLayers or `{switch:a,b,c}` of
    /// JOSM. Returns an empty text for all other placeholders.
    static func hint(for name: String) -> String {
        let ends = name.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false)
        var labels: [String] = []
        if ends.count == 2, let first = ends[0].first, let last = ends[1].first, ends[0].count == 1, ends[1].count == 1,
            first.value <= last.value,
            [("a", "z"), ("A", "Z"), ("0", "9")].contains(where: { $0 <= first && last <= $1 })
        {
            labels = (first.value...last.value).compactMap(Unicode.Scalar.init).map { "\($0)" }
        } else if name.hasPrefix("switch:") {
            labels = name.dropFirst(7).split(separator: ",").map(String.init)
        }
        guard !labels.isEmpty else { return "" }
        let isShort = labels.allSatisfy { $0.utf8.count == 1 }
        return "; write {s}, and subdomains: \(isShort ? labels.joined() : "[\(labels.joined(separator: ", "))]")"
    }
}
