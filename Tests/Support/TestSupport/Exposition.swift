/// Metrics in Prometheus' text format, version 0.0.4. Parses the text by the format's grammar, independently of the
/// server's code.
public struct Exposition: Sendable {
    /// A line with a metric's value.
    public struct Sample: Sendable, Equatable {
        public var name: String
        public var labels: [String: String]
        public var value: Double
    }

    /// A line that breaks a rule, with the reason.
    public struct Fault: Error {
        public let line: String
        public let reason: String
    }

    /// The type of each metric family: `counter`, `gauge`, `histogram` or `summary`.
    public private(set) var types: [String: String] = [:]
    public private(set) var samples: [Sample] = []

    /// Parses `text`. Throws a `Fault` if `text` breaks a rule of the format or of Prometheus' practice:
    /// - Each family has one HELP and one TYPE line, and its samples follow in one block.
    /// - No sample appears twice.
    /// - Names of counters, and only these, end in `_total`.
    /// - Bucket bounds and counts grow up to `+Inf`, whose count equals the histogram's count.
    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Fault(line: "", reason: "the last line has no end") }
        var helped: Set<String> = []
        var family = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            func fault(_ reason: String) -> Fault { Fault(line: String(line), reason: reason) }
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, helped.insert(words[2]).inserted else { throw fault("HELP") }
                family = words[2]
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, words[2] == family, types[family] == nil,
                    ["counter", "gauge", "histogram", "summary"].contains(words[3])
                else { throw fault("TYPE") }
                types[family] = words[3]
            } else {
                let sample = try Self.sample(String(line))
                let suffixes: [String] =
                    switch types[family] {
                    case "histogram": ["_bucket", "_sum", "_count"]
                    case "summary": ["_sum", "_count"]
                    default: [""]
                    }
                guard suffixes.contains(where: { family + $0 == sample.name }) else { throw fault("another family") }
                samples.append(sample)
            }
        }
        try check()
    }

    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// Returns all values of a label in a family.
    public func values(of label: String, in name: String) -> Set<String> {
        Set(samples.filter { $0.name == name }.compactMap { $0.labels[label] })
    }

    private func check() throws {
        var known: Set<String> = []
        for sample in samples {
            let series = "\(sample.name) \(sample.labels.sorted { $0.key < $1.key })"
            guard known.insert(series).inserted else { throw Fault(line: series, reason: "there twice") }
        }
        for (family, type) in types {
            guard (type == "counter") == family.hasSuffix("_total") else { throw Fault(line: family, reason: type) }
            if type == "histogram" { try checkBuckets(family) }
        }
    }

    private func checkBuckets(_ family: String) throws {
        var last: [[String: String]: (bound: Double, count: Double)] = [:]
        for sample in samples where sample.name == family + "_bucket" {
            var labels = sample.labels
            guard let text = labels.removeValue(forKey: "le"), let bound = text == "+Inf" ? .infinity : Double(text)
            else { throw Fault(line: family, reason: "a bucket without a bound") }
            let before = last[labels] ?? (-.infinity, 0)
            guard bound > before.bound, sample.value >= before.count else {
                throw Fault(line: family, reason: "buckets that do not grow")
            }
            last[labels] = (bound, sample.value)
        }
        for (labels, end) in last {
            guard end.bound == .infinity, value(family + "_count", labels) == end.count else {
                throw Fault(line: family, reason: "a count that is not that of all buckets")
            }
        }
    }

    /// Parses a line of the form `name{label="value",…} number`.
    private static func sample(_ line: String) throws -> Sample {
        func fault(_ reason: String) -> Fault { Fault(line: line, reason: reason) }
        var rest = line.unicodeScalars[...]
        func name(_ rest: inout Substring.UnicodeScalarView) throws -> String {
            let text = String(String.UnicodeScalarView(rest.prefix { isNamed($0) }))
            guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else { throw fault("a name") }
            rest = rest.dropFirst(text.unicodeScalars.count)
            return text
        }
        var sample = Sample(name: try name(&rest), labels: [:], value: 0)
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = try name(&rest)
                guard rest.starts(with: "=\"".unicodeScalars) else { throw fault("a label without a value") }
                rest = rest.dropFirst(2)
                var value = ""
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.unicodeScalars.append(scalar)
                        continue
                    }
                    switch rest.popFirst() {
                    case "n": value += "\n"
                    case "\"": value += "\""
                    case "\\": value += "\\"
                    default: throw fault("an escape")
                    }
                }
                guard sample.labels.updateValue(value, forKey: label) == nil else { throw fault("a label twice") }
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.popFirst() == " ", let value = Double(String(String.UnicodeScalarView(rest))) else {
            throw fault("no number")
        }
        sample.value = value
        return sample
    }

    private static func isNamed(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
    }
}
