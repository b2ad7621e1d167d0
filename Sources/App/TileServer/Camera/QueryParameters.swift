import Bytes
import MapGeometry
import MapService

/// The parameters in the query of a request for a camera, an image or a document. Unknown parameters are ignored.
struct QueryParameters {
    private var values: [String: [String]] = [:]

    /// Reads a query. A value that cannot be decoded becomes invalid. A parameter whose name has more than 64 bytes is
    /// ignored.
    init(_ query: UnsafeRawBufferPointer?) {
        for pair in query?.split(separator: UInt8(ascii: "&")) ?? [] {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].count <= 64 else { continue }
            let name = String(decoding: parts[0], as: UTF8.self)
            let text = parts.count == 2 ? PathSegments.decoded(UnsafeRawBufferPointer(rebasing: parts[1])) : ""
            // The replacement character makes every number and name invalid.
            values[name, default: []].append(text ?? "\u{FFFD}")
        }
    }

    /// Makes parameters that do not come from a query.
    init(_ values: [String: [String]]) {
        self.values = values
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns the value of a parameter. Nil if the parameter is missing. Throws if the parameter appears more than
    /// once.
    func text(_ name: String) throws(CameraRequestError) -> String? {
        guard let all = values[name] else { return nil }
        guard all.count == 1 else { throw .malformed(name, expected: "the parameter once") }
        return all[0]
    }

    /// Returns all values of a parameter in their order.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the value as a number. Nil if the parameter is missing.
    func number(_ name: String) throws(CameraRequestError) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Double(parameter: text[...]) else { throw .malformed(name, expected: "a finite number") }
        return number
    }

    func required(_ name: String) throws(CameraRequestError) -> Double {
        guard let number = try number(name) else { throw .missing(name) }
        return number
    }

    /// Returns numbers that are separated by commas. Nil if the parameter is missing.
    func numbers(_ name: String, count: Int, expected: StaticString) throws(CameraRequestError) -> [Double]? {
        guard let text = try text(name) else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double(parameter: $0) }
        guard numbers.count == count, text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == count - 1 else {
            throw .malformed(name, expected: expected)
        }
        return numbers
    }

    /// Reads a coordinate as `lat,lng`.
    func coordinate(_ name: String) throws(CameraRequestError) -> Coordinate {
        guard let numbers = try numbers(name, count: 2, expected: "lat,lng") else { throw .missing(name) }
        guard let coordinate = Coordinate(validating: numbers[0], longitude: numbers[1]) else {
            throw .malformed(name, expected: "a latitude in -90…90 and a longitude")
        }
        return coordinate
    }

    /// Reads `bounds=lat,lng,lat,lng` with two opposite corners in any order, or `sw=lat,lng` and `ne=lat,lng`. Throws
    /// `CameraRequestError` or `CameraError`.
    func bounds() throws -> CoordinateBounds {
        guard has("bounds") else {
            return try CoordinateBounds.checked(southWest: try coordinate("sw"), northEast: try coordinate("ne"))
        }
        guard !has("sw"), !has("ne") else {
            throw CameraRequestError.malformed("bounds", expected: "bounds, or sw and ne, not both")
        }
        guard let numbers = try numbers("bounds", count: 4, expected: "lat,lng,lat,lng"),
            let first = Coordinate(validating: numbers[0], longitude: numbers[1]),
            let second = Coordinate(validating: numbers[2], longitude: numbers[3])
        else { throw CameraRequestError.malformed("bounds", expected: "lat,lng,lat,lng with latitudes in -90…90") }
        return CoordinateBounds(first, second)
    }

    /// Reads four distances as `top,left,bottom,right`.
    func insets(_ name: String) throws(CameraRequestError) -> EdgeInsets? {
        try numbers(name, count: 4, expected: "top,left,bottom,right").map {
            EdgeInsets(top: $0[0], left: $0[1], bottom: $0[2], right: $0[3])
        }
    }
}

extension Double {
    /// Reads a number as `init(parameter:)` does for bytes.
    package init?(parameter text: Substring) {
        self.init(parameter: text.utf8)
    }

    /// Reads a finite decimal number of at most 40 bytes, with an optional exponent. Rejects `inf` and hexadecimal
    /// numbers.
    init?(parameter text: some Collection<UInt8>) {
        guard !text.isEmpty, text.count <= 40, text.allSatisfy(Self.isPartOfNumber),
            let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
        else { return nil }
        self = number
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || "+-.eE".utf8.contains(byte)
    }
}
