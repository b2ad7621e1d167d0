import TestSupport
import Testing

@testable import HTTPServer

/// Valid and invalid values of the Host field (RFC 9110 7.2, RFC 3986 3.2.2 and 3.2.3).
@Suite(.blocking) struct AuthorityTests {
    private func isValid(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { Authority.isValid($0) }
    }

    @Test(arguments: [
        "a", "a.example", "A-_b.C", "a.", "1.2.3.4", "999", "xn--bcher-kva.example", "a:80", "a:0", "a:65535",
        "a:0000080", "a:", String(repeating: "a", count: 255), String(repeating: "a", count: 255) + ":65535",
        "[::1]", "[::1]:80", "[::1]:", "[2001:DB8::1]:65535", "[::ffff:1.2.3.4]:1", "[1:2:3:4:5:6:7:8]",
        "[1111:2222:3333:4444:5555:6666:123.123.123.123]",
    ])
    func acceptsHostsWithAndWithoutPort(text: String) {
        #expect(isValid(text))
    }

    @Test(arguments: [
        "", ":", ":80", "::1", "a:b:c", "a:b", "a:-1", "a:+1", "a:99999", "a:65536", "a:18446744073709551617", "a: 80",
        "a:80 ",
        "a:80:80", "a:8 0", "[", "]", "[]", "[]:80", "[::1", "::1]", "[::1]x", "[::1]80", "[::1]:x", "[::1]:65536",
        "a]", "a[b]", "[a]",
        "[zz]", "[1.2.3.4]", "[::1%25eth0]", "[::1%eth0]", "[v1.a]", "[1:2:3:4:5:6:7]", "[1::2::3]", "[12345::]",
        "[::1]]",
        "[::\u{0}1]", "a%41", "a,b", "u@a", "a/b", "a b", "<a>", "a\"b", "a\u{0}", "\u{E9}", "a\\b", "a'b", "*",
        "[" + String(repeating: "1:", count: 40) + "]", "a:" + String(repeating: "9", count: 400),
        // Hosts beyond the length limit of RFC 1035 2.3.4, and a port with too many zeros.
        String(repeating: "a", count: 256), String(repeating: "a.", count: 128) + ":80",
        "a:" + String(repeating: "0", count: 400) + "80",
    ])
    func refusesInvalidHosts(text: String) {
        #expect(!isValid(text))
    }
}
