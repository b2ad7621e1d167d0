import Testing

@testable import HTTPClient

@Suite struct S3LocationTests {
    /// Returns the error of a location, or nil if the location is valid.
    private func fault(
        _ address: String, endpoint: String? = nil, region: String = "us-east-1"
    ) -> S3LocationError? {
        do throws(S3LocationError) {
            _ = try S3Location(address, endpoint: endpoint, region: region)
            return nil
        } catch {
            return error
        }
    }

    @Test func usesAWSWithoutAnEndpoint() throws {
        let location = try S3Location("s3://tiles/maps/city.pmtiles")
        #expect(location.url == "https://tiles.s3.us-east-1.amazonaws.com/maps/city.pmtiles")
        #expect(location.host == "tiles.s3.us-east-1.amazonaws.com")
        #expect(location.path == "/maps/city.pmtiles")
        #expect(location.bucket == "tiles" && location.key == "maps/city.pmtiles" && location.region == "us-east-1")
        let china = try S3Location("s3://tiles/a", region: "cn-north-1", pathStyle: true)
        #expect(china.url == "https://s3.cn-north-1.amazonaws.com.cn/tiles/a")
    }

    @Test func putsTheBucketWhereTheStoreExpectsIt() throws {
        let endpoint = "https://store.example:9000/v1/s3/"
        #expect(try S3Location("s3://abc/k", endpoint: endpoint).url == "https://abc.store.example:9000/v1/s3/k")
        let path = try S3Location("s3://abc/k", endpoint: endpoint, pathStyle: true)
        #expect(path.url == "https://store.example:9000/v1/s3/abc/k")
        #expect(path.host == "store.example:9000")
        #expect(path.path == "/v1/s3/abc/k")
        // A certificate for *.store.example does not cover two labels.
        let dotted = try S3Location("s3://tiles.example.org/k", endpoint: "https://store.example")
        #expect(dotted.isPathStyle && dotted.url == "https://store.example/tiles.example.org/k")
        for host in ["127.0.0.1", "[::1]"] {
            let literal = try S3Location("s3://abc/k", endpoint: "http://\(host):9000")
            #expect(literal.isPathStyle && literal.url == "http://\(host):9000/abc/k")
        }
    }

    /// libcurl sends the host in lower case and omits the default port, and the signature contains the host.
    @Test func writesTheHostAsLibcurlSendsIt() throws {
        func host(_ endpoint: String) throws -> String { try S3Location("s3://abc/k", endpoint: endpoint).host }
        #expect(try host("https://Store.Example:443") == "abc.store.example")
        #expect(try host("http://store.example:80/") == "abc.store.example")
        #expect(try host("https://store.example:") == "abc.store.example")
        #expect(try host("HTTP://store.example:443") == "abc.store.example:443")
        #expect(try host("http://127.1:5000") == "127.0.0.1:5000")
    }

    /// The expected paths are those of botocore's `S3SigV4Auth` for the same keys.
    @Test(arguments: [
        ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a=b&c", "a%3Db%26c"), ("~*'()!", "~%2A%27%28%29%21"),
        ("%2F", "%252F"), ("%", "%25"), ("a//b/", "a//b/"), ("/a", "/a"), ("./a/../b", "./a/../b"), ("..", ".."),
        ("Zürich", "Z%C3%BCrich"), ("地図.pmtiles", "%E5%9C%B0%E5%9B%B3.pmtiles"), ("🗺", "%F0%9F%97%BA"),
        ("a?b#c", "a%3Fb%23c"), ("a\\b|\"<>", "a%5Cb%7C%22%3C%3E"), ("a\nb\u{7F}", "a%0Ab%7F"),
        ("a@:,;$[]", "a%40%3A%2C%3B%24%5B%5D"),
        // A letter and its accent stay two characters, because S3 compares bytes.
        ("u\u{308}", "u%CC%88"),
    ])
    func encodesKeysOnceAndKeepsTheirSegments(key: String, encoded: String) throws {
        let location = try S3Location("s3://abc/" + key, endpoint: "https://store.example", pathStyle: true)
        #expect(location.path == "/abc/" + encoded)
        #expect(location.url == "https://store.example/abc/" + encoded)
        #expect(location.key.unicodeScalars.elementsEqual(key.unicodeScalars))
        #expect(location.hasDotSegments == (key == "./a/../b" || key == ".."))
    }

    @Test(arguments: [
        "", "s3:", "s3://", "s3://bucket", "s3://bucket/", "s3:///key", "S3://bucket/key", "https://bucket/key",
        "bucket/key",
    ])
    func rejectsAddressesWithoutBucketOrKey(address: String) {
        #expect(fault(address) == .address(address))
    }

    @Test(arguments: [
        "ab", String(repeating: "a", count: 64), "Tiles", "ti_les", "tiles:1", "me@tiles", "-tiles", "tiles-", ".tiles",
        "tiles.", "a..b", "192.168.5.4", "xn--tiles", "sthree-tiles", "amzn-s3-demo-bucket", "tiles.mrap",
        "tiles--use1-az4--x-s3", "tiles--table-s3", "tile\u{301}s",
    ])
    func rejectsBucketsAgainstAWSRules(name: String) {
        guard case .bucket(name, _) = fault("s3://\(name)/k") else {
            Issue.record("\(name): \(String(describing: fault("s3://\(name)/k")))")
            return
        }
    }

    @Test(arguments: [
        "abc", String(repeating: "a", count: 63), "192.168.5", "1.2.3.4.5", "a-b.c-d", "point-abcdef-s3alias",
    ])
    func acceptsBucketsByAWSRules(name: String) {
        #expect(fault("s3://\(name)/k") == nil)
    }

    @Test(arguments: [
        "", "store.example", "ftp://store.example", "https://", "https:///a", "https://user:word@store.example",
        "https://store.example?a=b", "https://store.example/a?b", "https://store.example/#a",
        "https://store.example/a%20b", "https://store.example/../a", "https://store.example:0",
        "https://store.example:99999", "https://sto re.example", "https://störe.example",
        "https://[::1", "https://store\\example",
    ])
    func rejectsEndpointsThatAreNoServers(endpoint: String) {
        guard case .endpoint(endpoint, _) = fault("s3://abc/k", endpoint: endpoint) else {
            Issue.record("\(endpoint): \(String(describing: fault("s3://abc/k", endpoint: endpoint)))")
            return
        }
    }

    @Test func boundsKeysAndRegions() {
        #expect(fault("s3://abc/" + String(repeating: "ü", count: 512)) == nil)
        #expect(fault("s3://abc/" + String(repeating: "ü", count: 512) + "a") == .keyTooLong(bytes: 1_025))
        #expect(fault("s3://abc/k", region: "auto") == nil)
        for region in ["", "us east", "us/east", "us-east-1\n", "ü", String(repeating: "a", count: 65)] {
            #expect(fault("s3://abc/k", region: region) == .region(region))
        }
    }

    @Test func describesFaultsOnOneShortLine() {
        let wild = "a\nb\u{1B}[1m\u{2028}\u{202E}" + String(repeating: "x", count: 10_000)
        let faults = [
            fault(wild), fault("s3://\(wild)/k"), fault("s3://abc/k", endpoint: wild),
            fault("s3://abc/k", region: wild),
            fault("s3://abc/\(wild)"),
        ]
        for case let error? in faults {
            #expect(error.description.utf8.count < 400)
            #expect(!error.description.contains { $0.isNewline || "\u{1B}\u{202E}".contains($0) })
        }
        #expect(faults.allSatisfy { $0 != nil })
        #expect(fault("s3://Abc/k")?.description.contains("\"Abc\"") == true)
    }
}
