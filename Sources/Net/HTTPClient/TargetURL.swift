import Bytes
import CLibcurl
import Glibc

/// The URL of a transfer, in the parsed form that libcurl uses. If the next URL has the same origin, only the path and
/// the query are replaced. This saves CPU time.
///
/// A class because it owns the parsed URL, which `free` releases. Thread rule: like the transfer.
final class TargetURL {
    private let parts: OpaquePointer
    /// The text of scheme and authority. Empty if the next URL must be parsed completely.
    private var origin: [UInt8] = []

    /// Returns nil if libcurl has no memory.
    init?() {
        guard let parts = curl_url() else { return nil }
        self.parts = parts
    }

    /// Frees the parts. They must not be used after this call.
    func free() {
        curl_url_cleanup(parts)
    }

    /// Returns `url` in libcurl's parsed form, which is valid until the next call. Returns nil if libcurl cannot parse
    /// `url` as an absolute URL. Resolves segments of dots (RFC 3986 5.2.4) unless `keepsDots`.
    func parts(of url: String, keepsDots: Bool = false) -> OpaquePointer? {
        var url = url
        let isSet: Bool? = url.withUTF8 { bytes in
            guard isOfSameOrigin(bytes), Self.isPlain(bytes, from: origin.count) else { return nil }
            return set(UnsafeBufferPointer(rebasing: bytes[origin.count...]))
        }
        if let isSet { return isSet ? parts : nil }
        origin = []
        // Otherwise libcurl would resolve a relative reference.
        _ = curl_url_set(parts, CURLUPART_URL, nil, 0)
        let flags = keepsDots ? UInt32(CURLU_PATH_AS_IS) : 0
        guard curl_url_set(parts, CURLUPART_URL, url, flags) == CURLUE_OK else { return nil }
        url.withUTF8 { bytes in
            if let target = Self.plainTarget(of: bytes) { origin = Array(bytes[..<target]) }
        }
        return parts
    }

    /// Reports whether scheme and authority equal those of the previous URL, and a path follows.
    private func isOfSameOrigin(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = origin.count
        guard count > 0, url.count > count, url[count] == ASCII.slash, let start = url.baseAddress else { return false }
        return origin.withUnsafeBufferPointer { $0.baseAddress.map { memcmp($0, start, count) == 0 } ?? false }
    }

    /// Returns the index in `url` at which the path begins. Returns nil if no path follows the host, or if libcurl
    /// might change the path or the query when it parses the URL.
    private static func plainTarget(of url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let authority = colon + 3
        // If the host is empty or does not end at a slash, no path follows.
        let ends = "/?#\\".utf8
        guard let target = url[authority...].firstIndex(where: { ends.contains($0) }), target > authority,
            url[target] == ASCII.slash, isPlain(url, from: target)
        else {
            return nil
        }
        return target
    }

    /// Reports whether libcurl certainly leaves the path and the query unchanged when it parses `url`. The path begins
    /// with the slash at `start`.
    private static func isPlain(_ url: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var last = ASCII.slash
        for index in start + 1..<url.count {
            let byte = url[index]
            switch byte {
            // libcurl resolves segments of dots.
            case UInt8(ascii: ".") where last == ASCII.slash: return false
            case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "\\"): return false
            case 0x21...0x7E: last = byte
            default: return false
            }
        }
        return true
    }

    private func set(_ target: UnsafeBufferPointer<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: target.count + 1) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: UnsafeRawBufferPointer(target))
            text[target.count] = 0
            let query = text.baseAddress.flatMap { strchr($0, Int32(UInt8(ascii: "?"))) }
            query?.pointee = 0
            return curl_url_set(parts, CURLUPART_PATH, text.baseAddress, 0) == CURLUE_OK
                && curl_url_set(parts, CURLUPART_QUERY, query.map { $0 + 1 }, 0) == CURLUE_OK
        }
    }
}
