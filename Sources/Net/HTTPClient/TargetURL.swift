import Bytes
import CLibcurl
import Glibc

/// The URL of a transfer in libcurl's parts. Of a URL of the same origin as the one before only path and query are set, since
/// libcurl reads a whole URL, and writes it anew, at a tenth of the cost of a request.
///
/// A class to own libcurl's parts. Thread rule: that of the transfer.
final class TargetURL {
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
    func parts(of url: String) -> OpaquePointer? {
        var url = url
        let isSet: Bool? = url.withUTF8 { bytes in
            guard isOfSameOrigin(bytes), Self.isPlain(bytes, from: origin.count) else { return nil }
            return set(UnsafeBufferPointer(rebasing: bytes[origin.count...]))
        }
        if let isSet { return isSet ? parts : nil }
        origin = []
        // Else a relative reference would be resolved.
        _ = curl_url_set(parts, CURLUPART_URL, nil, 0)
        guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
        url.withUTF8 { bytes in
            if let target = Self.plainTarget(of: bytes) { origin = Array(bytes[..<target]) }
        }
        return parts
    }

    /// Whether scheme and authority are those of the URL before, and a path follows.
    private func isOfSameOrigin(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = origin.count
        guard count > 0, url.count > count, url[count] == ASCII.slash, let start = url.baseAddress else { return false }
        return origin.withUnsafeBufferPointer { $0.baseAddress.map { memcmp($0, start, count) == 0 } ?? false }
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
            url[target] == ASCII.slash, isPlain(url, from: target)
        else {
            return nil
        }
        return target
    }

    /// Whether libcurl takes path and query, from the path's slash at `start` on, as they are.
    private static func isPlain(_ url: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var last = ASCII.slash
        for index in start + 1..<url.count {
            let byte = url[index]
            switch byte {
            // Segments of dots are resolved.
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
