/// A response as the client received it. The parser finds the body's end by `Content-Length` only, because the server
/// under test always sends that field.
public struct RawResponse: Sendable, Equatable {
    public var status: Int
    /// Fields in the order of arrival, with names in lower case.
    public var fields: [Field]
    public var body: [UInt8]

    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String
    }

    /// Returns the value of the field `name` (lower case). Returns nil if the field is missing or occurs more than
    /// once.
    public subscript(name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the first response in `bytes` and its length in bytes. Returns nil if the response is not complete
    /// yet.
    public static func parse(_ bytes: [UInt8], toHead: Bool = false) throws -> (response: RawResponse, length: Int)? {
        guard let end = headEnd(bytes) else { return nil }
        var lines = String(decoding: bytes[..<(end - 4)], as: UTF8.self).components(ofCRLF: ())
        let statusLine = lines.removeFirst()
        guard statusLine.hasPrefix("HTTP/1.1 "), let status = Int(statusLine.dropFirst(9).prefix(3)) else {
            throw RawClient.Failure.malformed(statusLine)
        }
        let fields = try lines.map { line in
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw RawClient.Failure.malformed(line)
            }
            let value = line[line.utf8.index(after: colon)...].drop { $0 == " " }
            return Field(name: line[..<colon].lowercased(), value: String(value))
        }
        var response = RawResponse(status: status, fields: fields, body: [])
        guard !toHead, status >= 200, status != 204, status != 304 else { return (response, end) }
        guard let length = response["content-length"].flatMap({ Int($0) }) else {
            throw RawClient.Failure.malformed("no Content-Length: \(statusLine)")
        }
        guard bytes.count >= end + length else { return nil }
        response.body = Array(bytes[end..<(end + length)])
        return (response, end + length)
    }

    /// Returns all responses in `bytes`. Throws if other bytes remain.
    public static func parseAll(_ bytes: [UInt8]) throws -> [RawResponse] {
        var rest = bytes
        var responses: [RawResponse] = []
        while !rest.isEmpty {
            guard let (response, length) = try parse(rest) else { throw RawClient.Failure.ended(rest) }
            responses.append(response)
            rest.removeFirst(length)
        }
        return responses
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count
        where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10 && bytes[index - 3] == 13 {
            return index + 1
        }
        return nil
    }
}

extension String {
    /// Splits a text at CRLF. Swift treats CRLF as one character.
    fileprivate func components(ofCRLF: Void) -> [String] {
        split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }
}
