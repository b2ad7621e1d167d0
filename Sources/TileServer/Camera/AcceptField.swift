import Bytes
import HTTPServer

/// Which of the two forms of an animation a client would have (RFC 9110 12.5.1): JSON, unless it names `image/apng`.
struct AcceptField {
    /// Media ranges in lower case with their qualities, in their order.
    private var ranges: [(name: Substring, quality: Double)] = []

    init(_ request: Request) {
        var texts: [String] = []
        request.forEachField("accept") { texts.append(String(decoding: $0, as: UTF8.self).lowercased()) }
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

    /// Where both are as welcome as the other, the one named first; a range with `*` names neither.
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
