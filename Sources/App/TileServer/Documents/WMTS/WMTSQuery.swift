/// The parameters in the query of a WMTS request (OGC 06-121r3, 11.5). Upper and lower case in names are equal.
struct WMTSQuery {
    private var values: [String: String] = [:]
    /// Names that appear twice.
    private var repeated: Set<String> = []

    /// True if the query has no parameters.
    var isEmpty: Bool { values.isEmpty }

    /// Reads the query. Skips parameters that have no `=` or cannot be decoded.
    init(_ query: UnsafeRawBufferPointer?) {
        for pair in query?.split(separator: UInt8(ascii: "&")) ?? [] {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PathSegments.decoded(UnsafeRawBufferPointer(rebasing: parts[0])),
                let value = PathSegments.decoded(UnsafeRawBufferPointer(rebasing: parts[1]))
            else { continue }
            let key = name.lowercased()
            if values.updateValue(value, forKey: key) != nil { repeated.insert(key) }
        }
    }

    /// Returns the value of the parameter `name`. Nil if the parameter is missing. Throws if the parameter is given
    /// twice. `name` has the spelling of the standard, for error texts.
    func optional(_ name: String) throws(ExceptionReport) -> String? {
        guard !repeated.contains(name.lowercased()) else {
            throw ExceptionReport(code: .invalidParameter, locator: name, text: "The parameter \(name) is given twice.")
        }
        return values[name.lowercased()]
    }

    func required(_ name: String) throws(ExceptionReport) -> String {
        guard let value = try optional(name) else {
            throw ExceptionReport(code: .missingParameter, locator: name, text: "The parameter \(name) is missing.")
        }
        return value
    }

    /// Throws unless the parameter is `value`, in upper or lower case.
    func require(_ name: String, _ value: String) throws(ExceptionReport) {
        guard try required(name).lowercased() == value.lowercased() else {
            throw .invalid(name, "The parameter \(name) must be \(value).")
        }
    }
}

extension ExceptionReport {
    static func invalid(_ name: String, _ text: String) -> ExceptionReport {
        ExceptionReport(code: .invalidParameter, locator: name, text: text)
    }
}
