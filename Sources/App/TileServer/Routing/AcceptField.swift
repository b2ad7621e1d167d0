import Bytes
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

    /// Whether an animation is to be an image, not JSON. Where both are as welcome as the other, the one named first; a range
    /// with `*` names neither.
    var prefersAPNG: Bool {
        guard let apng = ranges.firstIndex(where: { $0.name == "image/apng" }), ranges[apng].quality > 0 else {
            return false
        }
        let names = ["application/json", "application/*", "*/*"]
        guard let json = names.lazy.compactMap({ name in ranges.firstIndex { $0.name == name } }).first else {
            return true
        }
        if ranges[apng].quality != ranges[json].quality { return ranges[apng].quality > ranges[json].quality }
        return apng < json || ranges[json].name != "application/json"
    }

    /// Whether a page is wanted, as browsers ask for one: it is named, and JSON is not as welcome before it.
    var prefersHTML: Bool {
        guard let html = ranges.firstIndex(where: { $0.name == "text/html" }), ranges[html].quality > 0 else {
            return false
        }
        guard let json = ranges.firstIndex(where: { $0.name == "application/json" }) else { return true }
        if ranges[html].quality != ranges[json].quality { return ranges[html].quality > ranges[json].quality }
        return html < json
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
