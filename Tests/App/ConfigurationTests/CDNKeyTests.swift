import Configuration
import Testing

/// Tests of the keys of the section `cdn`.
struct CDNKeyTests {
    static let keys: [(String, String?)] = [
        ("tags: [surrogate-key, cache-tag, cache-groups, xkey]", nil), ("tags: []", nil),
        (
            "tags: [surrogate]",
            "tags[0]: expected surrogate-key, cache-tag, cache-groups or xkey, found the text \"surrogate\""
        ),
        ("tags: [xkey], zooms: [4, 8, 12]", nil), ("tags: [xkey], zooms: []", nil),
        ("tags: [xkey], zooms: [0]", "zooms[0]: 0 is below 1"),
        ("tags: [xkey], zooms: [23]", "zooms[0]: 23 is above 22"),
        ("tags: [xkey], zooms: [8, 4]", "zooms: expected zooms in ascending order"),
        ("tags: [xkey], zooms: [4, 4]", "zooms: expected zooms in ascending order"),
        ("maxAge: 30d", nil), ("maxAge: ~", nil), ("maxAge: 1s", nil), ("maxAge: 365d", nil),
        ("maxAge: 0s", "maxAge: 0s is below 1s"),
        ("maxAge: 366d", "maxAge: 366d is above 365d"),
        ("tags: [xkey], purge: { url: \"http://127.0.0.1:6081/\" }", nil),
        (
            "tags: [xkey], purge: { url: \"https://a.example/x?keys={tags}\", method: PURGE, body: "
                + "\"{tags}\", headers: { xkey-purge: \"{tags}\" } }",
            nil
        ),
        ("tags: [xkey], purge: {}", "purge: url is missing"),
        (
            "tags: [xkey], purge: { url: \"https://u:p@a.example/\" }",
            "purge.url: the URL must not have a user: send Authorization in headers"
        ),
        (
            "tags: [xkey], purge: { url: \"ftp://a.example/\" }",
            "purge.url: expected a URL such as https://api.example.org/purge, found a text"
        ),
        (
            "tags: [xkey], purge: { url: \"https://{tags}.example/\" }",
            "purge.url: expected a URL such as https://api.example.org/purge, found a text"
        ),
        (
            "tags: [xkey], purge: { url: \"https://a.example/\", method: purge }",
            "purge.method: expected a method such as POST or PURGE, found the text \"purge\""
        ),
        (
            "tags: [xkey], purge: { url: \"https://a.example/\", headers: { Host: a } }",
            "purge.headers.Host: the HTTP connection sets this header; remove it"
        ),
        (
            "tags: [xkey], purge: { url: \"https://a.example/\", headers: { \"A B\": a } }",
            "purge.headers.\"A B\": expected a header name of letters, digits and !#$%&'*+-.^_`|~"
        ),
    ]

    @Test(arguments: keys) func judgesEveryKey(key: String, complaint: String?) {
        let found = problems("\(anyLayer)cdn: { \(key) }\n")
        #expect(found.count == (complaint == nil ? 0 : 1), "\(found)")
        if let complaint { #expect(found.first?.hasSuffix(": cdn.\(complaint)") == true, "\(found)") }
    }

    @Test func isOffByDefault() throws {
        let cdn = try parsed(anyLayer).cdn
        #expect(cdn == CDNSettings() && cdn.tags.isEmpty && cdn.purge == nil && cdn.maxAge == nil)
    }

    @Test func readsPurgeKeysAndDefaultMethod() throws {
        let text =
            "cdn: { tags: [xkey], purge: { url: \"http://a/\", headers: { Authorization: \"Bearer ${KEY}\" } } }\n"
        let purge = try parsed(anyLayer + text, environment: ["KEY": "abc"]).cdn.purge
        #expect(purge?.method == "POST" && purge?.headers == ["Authorization": "Bearer abc"] && purge?.body == nil)
    }
}
