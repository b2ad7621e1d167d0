import HTTPServer

/// Reads the preferences of a client: the media types in `Accept` (RFC 9110 12.5.1), or the codings in
/// `Accept-Encoding` (12.5.3).
struct AcceptField {
    /// Media ranges or codings in lower case with their qualities, in the order of the field.
    private var ranges: [(name: Substring, quality: Double)] = []

    init(_ request: Request, _ name: StaticString = "accept") {
        var texts: [String] = []
        request.forEachField(name) { texts.append(String(decoding: $0, as: UTF8.self).lowercased()) }
        self.init(texts.joined(separator: ","))
    }

    /// Reads `text`, which must be in lower case.
    init(_ text: String) {
        for range in text.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.drop(while: \.isSpace).trimmingSuffix(while: \.isSpace) }
            guard let name = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
            // An invalid quality is ignored.
            ranges.append((name, quality.flatMap { Double(parameter: $0.dropFirst(2)) } ?? 1))
        }
    }

    /// True if the client prefers an animation as an image over JSON. A range with `*` selects JSON only if its quality
    /// is higher than that of `image/apng`.
    var prefersAPNG: Bool { prefers("image/apng", over: ["application/json", "application/*", "*/*"]) }

    /// True if the client prefers a page, as browsers do.
    var prefersHTML: Bool { prefers("text/html", over: ["application/json"]) }

    /// Reports whether the field names `wanted` with a higher quality than the first of `others` that it names, or
    /// names none of `others`. If the qualities are equal, the type that the field names first wins. A range with a
    /// wildcard in `others` does not win then.
    private func prefers(_ wanted: String, over others: [String]) -> Bool {
        guard let own = ranges.firstIndex(where: { $0.name == wanted }), ranges[own].quality > 0 else { return false }
        guard let other = others.lazy.compactMap({ name in ranges.firstIndex { $0.name == name } }).first else {
            return true
        }
        if ranges[own].quality != ranges[other].quality { return ranges[own].quality > ranges[other].quality }
        return own < other || ranges[other].name != others[0]
    }

    /// For `Accept-Encoding`: true if the client accepts gzip, by name or by `*`.
    var takesGzip: Bool {
        let range = ranges.first { $0.name == "gzip" } ?? ranges.first { $0.name == "*" }
        return range.map { $0.quality > 0 } ?? false
    }
}

extension Character {
    fileprivate var isSpace: Bool { self == " " || self == "\t" }
}

extension Substring {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isCut(last) { rest.removeLast() }
        return rest
    }
}
