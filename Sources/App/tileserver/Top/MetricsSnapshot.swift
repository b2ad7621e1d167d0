import Runtime

/// The values of all metrics at one time, from a response in Prometheus' text format (exposition formats, 0.0.4). Lines
/// without a value, and buckets of histograms, are skipped.
struct MetricsSnapshot {
    struct Sample {
        let labels: [String: String]
        let value: Double

        subscript(label: String) -> String { labels[label] ?? "" }
    }

    /// The time at which the response was read.
    let time: MonotonicTime
    /// The samples by the metric's name.
    private var samples: [Substring: [Sample]] = [:]

    init(_ text: String, time: MonotonicTime) {
        self.time = time
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            // Skips comments. `sample(in:)` skips buckets of histograms, which are not shown.
            guard line.first != UInt8(ascii: "#"), let (name, sample) = Self.sample(in: line) else { continue }
            samples[name, default: []].append(sample)
        }
    }

    subscript(name: String) -> [Sample] { samples[Substring(name)] ?? [] }

    /// Returns the sum of the samples that have all of `labels`.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        self[name].reduce(0) { sum, sample in
            labels.allSatisfy { sample[$0.key] == $0.value } ? sum + sample.value : sum
        }
    }

    /// Parses one line of metrics: `name{label="value",…} value`, with an optional time at the end. Returns nil for
    /// other lines, and for the buckets of histograms.
    static func sample(in line: Substring.UTF8View) -> (Substring, Sample)? {
        let name = line.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: " ") }
        guard !name.isEmpty, !name.reversed().starts(with: "_bucket".utf8.reversed()) else { return nil }
        var rest = line[name.endIndex...]
        var labels: [String: String] = [:]
        if rest.first == UInt8(ascii: "{") {
            rest = rest.dropFirst()
            while rest.first != UInt8(ascii: "}") {
                guard let label = label(in: &rest) else { return nil }
                labels[label.name] = label.value
            }
            rest = rest.dropFirst()
        }
        guard let number = Substring(rest).split(separator: " ").first, let value = Double(number) else { return nil }
        return (Substring(name), Sample(labels: labels, value: value))
    }

    /// Parses the label `name="value"` at the start of `rest`, and removes the label and a following comma. In a value,
    /// `\\` stands for a backslash, `\"` for a quote, and `\n` for a line feed.
    private static func label(in rest: inout Substring.UTF8View) -> (name: String, value: String)? {
        let name = rest.prefix { $0 != UInt8(ascii: "=") }
        rest = rest[name.endIndex...]
        guard !name.isEmpty, rest.starts(with: "=\"".utf8) else { return nil }
        rest = rest.dropFirst(2)
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
        }
        if rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
        guard rest.first != nil else { return nil }
        return (String(Substring(name)), String(decoding: value, as: UTF8.self))
    }
}
