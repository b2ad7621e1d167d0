import CLibcurl

/// The URL of a transfer in libcurl's parts. Of a URL of the same origin as the one before only path and query are set, since
/// libcurl reads a whole URL, and writes it anew, at a tenth of the cost of a request.
///
/// Thread rule: that of the transfer.
struct TargetURL {
    private let parts: OpaquePointer
    /// The text of scheme and authority; empty where the next URL must be read whole.
    private var origin: [UInt8] = []

    /// Nil if libcurl has no memory.
    init?() {
        guard let parts = curl_url() else { return nil }
        self.parts = parts
    }

    /// Nothing may use the parts any more.
    func free() {
        curl_url_cleanup(parts)
    }

    /// The parts of `url`, until the next call; nil for what is not an absolute URL.
    mutating func parts(of url: String) -> OpaquePointer? {
        var url = url
        let target = url.withUTF8 { bytes in
            Self.plainTarget(of: bytes).flatMap { $0 == origin.count && bytes.starts(with: origin) ? $0 : nil }
        }
        if let target {
            return url.withUTF8 { set($0[target...]) } ? parts : nil
        }
        origin = []
        // Else a relative reference would be resolved.
        _ = curl_url_set(parts, CURLUPART_URL, nil, 0)
        guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
        url.withUTF8 { bytes in
            if let target = Self.plainTarget(of: bytes) { origin = Array(bytes[..<target]) }
        }
        return parts
    }

    /// Where path and query begin; nil where libcurl would not take them as they are.
    private static func plainTarget(of url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let authority = colon + 3
        // Of a host that is empty, or ends otherwise, the rest is no path.
        let ends = "/?#\\".utf8
        guard let target = url[authority...].firstIndex(where: { ends.contains($0) }), target > authority,
            url[target] == UInt8(ascii: "/")
        else {
            return nil
        }
        var last = UInt8(ascii: "/")
        for byte in url[target...].dropFirst() {
            switch byte {
            // Segments of dots are resolved.
            case UInt8(ascii: ".") where last == UInt8(ascii: "/"): return nil
            case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "\\"): return nil
            case 0x21...0x7E: last = byte
            default: return nil
            }
        }
        return target
    }

    private func set(_ target: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: target.count + 1) { text in
            for (index, byte) in target.enumerated() { text[index] = CChar(truncatingIfNeeded: byte) }
            text[target.count] = 0
            let mark = text.firstIndex(of: CChar(UInt8(ascii: "?")))
            if let mark { text[mark] = 0 }
            let query = mark.flatMap { text.baseAddress?.advanced(by: $0 + 1) }
            return curl_url_set(parts, CURLUPART_PATH, text.baseAddress, 0) == CURLUE_OK
                && curl_url_set(parts, CURLUPART_QUERY, query, 0) == CURLUE_OK
        }
    }
}
