import CLibcurl
import Testing

@testable import HTTPClient

/// The parts of a URL must not depend on the URL that was parsed before.
@Suite struct TargetURLTests {
    private static let urls = [
        "http://host/1/2/3.png", "http://host/1/2/4.png?key=a", "http://host/1/2/4.png?", "http://host/", "http://host",
        "http://host?key=/a", "http://host/a?b?c/d", "http://host//a", "http://host/a//b/", "http://host/a/../b",
        "http://host/./a",
        "http://host/.a", "http://host/a.b/c", "http://host/a?b=/../c", "http://host/a#b", "http://host/a?b#c",
        "http://host/%41%2F%2f",
        "http://host/a\\b", "http://host\\a", "http://host#/a", "http://host/a b", "http://host/\u{1}",
        "http://host/a\r\nX: y",
        "http://host/ü", "http://host/\u{7F}", "http://host:80/a", "http://host:8080/a", "http://hostess/a",
        "http://hos/t/a",
        "http://me:secret@host/a", "http://host@other/a", "https://host/a", "HTTP://HOST/a", "http://[::1]/a",
        "http://[::1]:8/a?b",
        "ftp://host/a", "file:///etc/passwd", "host/a", "/a", "", "http://", "http:///a", "http:/host/a",
        "http://host:99999/a",
        "http://host/" + String(repeating: "a", count: 5_000),
    ]

    /// Returns the parts of a URL, or nil if libcurl refused the URL.
    private func read(_ parts: OpaquePointer?) -> [String?]? {
        parts.map { parts in
            [
                CURLUPART_SCHEME, CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_HOST, CURLUPART_ZONEID, CURLUPART_PORT,
                CURLUPART_PATH,
                CURLUPART_QUERY, CURLUPART_FRAGMENT,
            ].map { part in
                var text: UnsafeMutablePointer<CChar>?
                guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
                defer { curl_free(text) }
                return String(cString: text)
            }
        }
    }

    /// Returns the parts that libcurl reads from `url` with a new handle.
    private func whole(_ url: String) throws -> [String?]? {
        let parts = try #require(curl_url())
        defer { curl_url_cleanup(parts) }
        return curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK ? read(parts) : nil
    }

    @Test func parsesLikeLibcurlAfterAnyOtherURL() throws {
        for before in Self.urls {
            let target = try #require(TargetURL())
            defer { target.free() }
            for url in Self.urls {
                _ = target.parts(of: before)
                let (parts, expected) = (read(target.parts(of: url)), try whole(url))
                #expect(parts == expected, "\(url.prefix(80)) after \(before.prefix(80))")
            }
        }
    }
}
