import Testing

@testable import HTTPClient

/// The vectors are AWS's own. Those of S3 stand in "Authenticating Requests: Using the Authorization Header", Amazon S3
/// API Reference, "Examples: Signature Calculations". The others are cases of AWS's Signature Version 4 test suite
/// (awslabs/aws-c-auth, tests/aws-sig-v4-test-suite; also in botocore's tests/unit/auth/aws4_testsuite).
@Suite struct AWSSignatureTests {
    private static let host = "examplebucket.s3.amazonaws.com"
    /// 20130524T000000Z.
    private static let time = 1_369_353_600
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func signature(_ service: String = "s3", token: String? = nil) throws -> AWSSignature {
        let id = service == "s3" ? "AKIAIOSFODNN7EXAMPLE" : "AKIDEXAMPLE"
        // The documentation of S3 and the suite have secrets that differ in one character.
        let secret =
            service == "s3" ? "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" : "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
        let credentials = try AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
        return AWSSignature(credentials: credentials, region: "us-east-1", service: service)
    }

    // MARK: Amazon S3 API Reference

    @Test func signsGetObject() throws {
        let location = try S3Location(
            "s3://examplebucket/test.txt", endpoint: "https://s3.amazonaws.com", region: "us-east-1")
        let fields = try #require(
            try signature().fields(for: location, signing: [("Range", "bytes=0-9")], at: Self.time))
        #expect(fields.map(\.name) == ["x-amz-content-sha256", "x-amz-date", "Authorization"])
        #expect(
            fields.map(\.value) == [
                Self.emptyHash, "20130524T000000Z",
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                    + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                    + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ])
    }

    @Test(arguments: [
        ([("lifecycle", "")], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            [("prefix", "J"), ("max-keys", "2")],
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ])
    func signsGetBucket(query: [(String, String)], expected: String) throws {
        let fields = [
            ("x-amz-date", "20130524T000000Z"), ("Host", Self.host), ("x-amz-content-sha256", Self.emptyHash),
        ]
        let request = CanonicalRequest(
            method: "GET", path: "/", query: query, fields: fields, payload: Self.emptyHash)
        let value = try #require(try signature().authorization(of: request, at: "20130524T000000Z"))
        #expect(value.hasSuffix("SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=\(expected)"))
    }

    // MARK: AWS's test suite

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var path = "/"
        var query: [(name: String, value: String)] = []
        var fields: [(name: String, value: String)] = []
        let signature: String
        var testDescription: String { name }
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    static let cases = [
        Case(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Case(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Case(
            name: "get-vanilla-query-unreserved", query: [(unreserved, unreserved)],
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Case(
            name: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Case(
            name: "get-header-value-trim", fields: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Case(
            name: "get-header-key-duplicate",
            fields: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Case(
            name: "get-header-value-order",
            fields: ["value4", "value1", "value3", "value2"].map { ("My-Header1", $0) },
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Case(
            name: "get-unreserved", path: "/" + unreserved,
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Case(
            name: "get-utf8", path: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Case(
            name: "get-vanilla-with-session-token",
            fields: [("X-Amz-Security-Token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267")],
            signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
    ]

    @Test(arguments: cases)
    func signsTheTestSuite(one: Case) throws {
        let time = "20150830T123600Z"
        let request = CanonicalRequest(
            method: "GET", path: S3Text.encoded(one.path, keepsSlashes: true), query: one.query,
            fields: [("Host", "example.amazonaws.com"), ("X-Amz-Date", time)] + one.fields,
            payload: Self.emptyHash)
        let value = try #require(try signature("service").authorization(of: request, at: time))
        #expect(value.contains("Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "))
        #expect(value.hasSuffix("Signature=\(one.signature)"))
    }

    // MARK: Keys that signers get wrong

    /// The signatures are those of botocore 1.44.8 (`S3SigV4Auth`) for the same requests.
    @Test(arguments: [
        ("a b", "79cb16c527d44e02b6603abb03cb9e6ab8a5d954d6473d202e5ca204642d0dc1"),
        ("a+b", "de98e7c105a69f2a1abdf71bffe5cb8d6643c63a4e0a765ee042190c2d2bd95f"),
        ("a=b", "f667a8a6d73b1c98a9c070d3635cf345acb980f52d3752d8dabeed3d200f1cff"),
        ("~*'()", "2c7f07de9b912cfc6bed3addca9f3e5c4b21bcaa64a60380126dfd08a266ef63"),
        ("Zürich/地図", "46e8cb9292a029f44b2a6ffa3c780929c371f5c2197b668140e89b644157d6c2"),
        ("%2F", "3e85883277cc9cc15a8718ce36320790ac2b14d391e9698d1a5ea7a929349c85"),
        ("a//b/", "58268d5d251e6afe006aaee237d0455f403a832467d466e6ba6f0fbdab4c8e1a"),
        ("./a/../b", "08c2f709b513dc78915d688ffc56b078fd1d08bd9a78f13f37e808a2e1e5c32c"),
        ("a?b#c&d", "a64cb019c7e0051b6c71e74251be57a915e063591f220a2f049688714238ffb6"),
    ])
    func signsAwkwardKeysLikeBotocore(key: String, expected: String) throws {
        let location = try S3Location("s3://abc/" + key, endpoint: "http://127.0.0.1:5000", pathStyle: true)
        let fields = try #require(
            try signature().fields(for: location, signing: [("range", "bytes=0-9")], at: Self.time))
        #expect(fields.last?.value.hasSuffix("Signature=\(expected)") == true)
    }

    // MARK: Fields

    @Test func addsTheTokenAndSignsIt() throws {
        let location = try S3Location("s3://examplebucket/test.txt")
        let fields = try #require(
            try signature(token: "a-token").fields(
                for: location, method: .head, signing: [("If-Match", "\"a\"")], payload: .unsigned, at: Self.time))
        #expect(
            fields.map(\.name) == ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token", "Authorization"])
        #expect(fields[0].value == "UNSIGNED-PAYLOAD")
        #expect(fields[2].value == "a-token")
        let names = "host;if-match;x-amz-content-sha256;x-amz-date;x-amz-security-token"
        #expect(fields[3].value.contains("SignedHeaders=\(names), "))
    }

    @Test func changesWithEverySignedPart() throws {
        func value(
            _ key: String = "k", region: String = "us-east-1", method: AWSSignature.Method = .get,
            range: String = "bytes=0-9", payload: AWSSignature.Payload = .empty, at time: Int = 1_369_353_600
        ) throws -> String {
            let location = try S3Location("s3://abc/\(key)", endpoint: "https://store.example", region: region)
            let credentials = try AWSCredentials(accessKeyID: "i", secretAccessKey: "s")
            let signer = AWSSignature(credentials: credentials, region: region)
            let fields = signer.fields(
                for: location, method: method, signing: [("range", range)], payload: payload, at: time)
            return try String(#require(fields?.last?.value.suffix(64)))
        }
        let values = try [
            value(), value("l"), value(region: "auto"), value(method: .head), value(range: "bytes=0-8"),
            value(payload: .unsigned), value(at: 1_369_353_601), value(at: 1_369_353_600 + 86_400),
        ]
        #expect(Set(values).count == values.count)
        #expect(try value() == values[0])
    }

    @Test func survivesTimesOutsideTheCalendar() throws {
        let location = try S3Location("s3://abc/k")
        for (time, expected) in [(Int.min, "00010101T000000Z"), (Int.max, "99991231T235959Z"), (0, "19700101T000000Z")]
        {
            let fields = try #require(try signature().fields(for: location, at: time))
            #expect(fields[1].value == expected)
        }
    }
}
