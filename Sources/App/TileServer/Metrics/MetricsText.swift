/// Writes metrics in the text format of Prometheus (version 0.0.4), a program that collects metrics.
struct MetricsText {
    private(set) var text = ""

    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    /// One value of a metric. The labels distinguish the value from other values of the same metric.
    struct Sample {
        var labels: [(name: String, value: String)] = []
        var value: Double

        init(_ value: Double, _ labels: (name: String, value: String)...) {
            self.labels = labels
            self.value = value
        }

        init(_ value: Int, _ labels: (name: String, value: String)...) {
            self.labels = labels
            self.value = Double(value)
        }
    }

    /// Adds a family, unless it has no samples. `name` and `help` must not come from a client.
    mutating func add(_ name: String, _ kind: Kind, help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(name, kind, help)
        for sample in samples { add(name, sample.labels, sample.value) }
    }

    /// Adds a family with one sample without labels. Adds nothing if the value is nil.
    mutating func add(_ name: String, _ kind: Kind, help: String, _ value: Double?) {
        if let value { add(name, kind, help: help, [Sample(value)]) }
    }

    mutating func add(_ name: String, _ kind: Kind, help: String, _ value: Int?) {
        add(name, kind, help: help, value.map(Double.init))
    }

    /// Begins a family. The following calls add its samples.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func add(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// Formats a number. Whole numbers have no fraction, so that counts are exact.
    static func number(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return String(whole) }
        if value.isNaN { return "NaN" }
        return value.isInfinite ? value < 0 ? "-Inf" : "+Inf" : "\(value)"
    }

    /// Escapes backslashes, quotes and line feeds in the value of a label.
    static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
