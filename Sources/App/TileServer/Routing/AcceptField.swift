import HTTPServer

/// What a client would have of the forms that an answer has: the members of its `Accept` (RFC 9110 12.5.1) or its
/// `Accept-Encoding` (12.5.3).
struct AcceptField {
    /// Media ranges or codings in lower case with their qualities, in their order.
    private var ranges: [(name: Substring, quality: Double)] = []

    init(_ request: Request, _ name: StaticString = "accept") {
        var texts: [String] = []
        request.forEachField(name) { texts.append(String(decoding: $0, as: UTF8.self).lowercased()) }
        self.init(texts.joined(separator: ","))
    }

    /// `text` in lower case.
    init(_ text: String) {
        for range in text.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.drop(while: \.isSpace).trimmingSuffix(while: \.isSpace) }
            guard let name = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
            // What is no number is as if it was not said.
            ranges.append((name, quality.flatMap { Double(parameter: $0.dropFirst(2)) } ?? 1))
        }
    }

    /// Whether an animation is to be an image, not JSON. A range with `*` names neither.
    var prefersAPNG: Bool { prefers("image/apng", over: ["application/json", "application/*", "*/*"]) }

    /// Whether a page is wanted, as browsers ask for one.
    var prefersHTML: Bool { prefers("text/html", over: ["application/json"]) }

    /// Whether `wanted` is named, and the first of `others` that is there is less welcome. Of two that are as welcome, the one that is
    /// named first counts, and the first of `others` alone names its type.
    private func prefers(_ wanted: String, over others: [String]) -> Bool {
        guard let own = ranges.firstIndex(where: { $0.name == wanted }), ranges[own].quality > 0 else { return false }
        guard let other = others.lazy.compactMap({ name in ranges.firstIndex { $0.name == name } }).first else {
            return true
        }
        if ranges[own].quality != ranges[other].quality { return ranges[own].quality > ranges[other].quality }
        return own < other || ranges[other].name != others[0]
    }

    /// Of an `Accept-Encoding`: whether it takes gzip, by its name or else by `*`.
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
