import Configuration
import Testing

struct PrecedenceTests {
    static let substitutions: [(text: String, environment: [String: String], name: String?)] = [
        ("${A}", ["A": "x"], "x"), ("p-${A}-${B}", ["A": "x", "B": "y"], "p-x-y"), ("${A:-d}", [:], "d"),
        ("${A:-d}", ["A": ""], "d"), ("${A:-d}", ["A": "x"], "x"), ("a$$b", [:], "a$b"), ("$$${A}", ["A": "x"], "$x"),
        ("$${A}", [:], "${A}"), ("$A $", ["A": "x"], "$A $"), ("${A:-{z}/{x}}", [:], "{z}/{x}"),
        ("${A}", ["A": "${B}"], "${B}"), ("${A}", ["A": "true"], "true"), ("${A}", ["A": "5"], "5"),
        ("${A:-}", [:], nil), ("\"${A}\"", ["A": "a\"b: #"], "a\"b: #"), ("${A}", ["A": "x: [y]"], "x: [y]"),
    ]

    @Test(arguments: substitutions)
    func substitutesVariables(text: String, environment: [String: String], name: String?) throws {
        let found = try parsed("layers:\n  a:\n    generator: solid\n    name: \(text)\n", environment: environment)
        #expect(found.layers.first?.name == name)
    }

    static let refused: [(text: String, complaint: String)] = [
        ("${A}", "the environment variable A is not set and has no default"),
        ("${A", "${ has no closing } (write $${ for a literal ${)"),
        ("${1}", "expected ${NAME} or ${NAME:-default}, found ${1}"),
        ("${}", "expected ${NAME} or ${NAME:-default}, found ${}"),
        ("${A-b}", "expected ${NAME} or ${NAME:-default}, found ${A-b}"),
        ("${A:-${B}}", "a default cannot contain another ${…}"),
        ("${A:-$${B}}", "a default cannot contain another ${…}"),
    ]

    @Test(arguments: refused)
    func refusesInvalidVariables(text: String, complaint: String) {
        let found = problems("layers:\n  a:\n    generator: solid\n    name: \(text)\n")
        #expect(found == ["t.yaml:4:11: layers.a.name: \(complaint)"])
    }

    @Test func parsesAVariablesValueLikeWrittenText() throws {
        let port = "\(anyLayer)server:\n  port: ${PORT}\n"
        #expect(try parsed(port, environment: ["PORT": "81"]).server.port == 81)
        #expect(
            problems(port, environment: ["PORT": "x"])
                == ["t.yaml:4:9: server.port: expected off or a whole number, found the text \"x\""])
        #expect(
            problems("\(anyLayer)server:\n  port: \"${PORT}\"\n", environment: ["PORT": "81"])
                == ["t.yaml:4:9: server.port: expected off or a whole number, found the text \"81\""])
    }

    @Test func substitutesNoVariablesInKeys() {
        let found = problems("layers:\n  ${A}: { generator: solid }\n", environment: ["A": "a"])
        #expect(found.first?.hasPrefix("t.yaml:2:3: layers.\"${A}\": expected a name") == true, "\(found)")
    }

    private static let file =
        "\(anyLayer)server: { host: 127.0.0.2, port: 2 }\nadmin: { token: file-file-file-file }\ncache: { "
        + "memory: 2, directory: f }\n"

    @Test func prefersFlagsToTheEnvironmentToTheFile() throws {
        let environment = [
            "TILESERVER_HOST": "127.0.0.3", "TILESERVER_PORT": "3", "TILESERVER_PUBLIC_URL": "http://e/",
            "TILESERVER_ADMIN_TOKEN": "3333333333333333", "TILESERVER_CACHE_MEMORY": "3MiB",
            "TILESERVER_CACHE_DIRECTORY": "e",
        ]
        let fromFile = try parsed(Self.file)
        #expect((fromFile.server.host, fromFile.server.port, fromFile.cache.memory) == ("127.0.0.2", 2, 2))
        let fromEnvironment = try parsed(Self.file, environment: environment)
        #expect((fromEnvironment.server.host, fromEnvironment.server.port) == ("127.0.0.3", 3))
        #expect((fromEnvironment.server.publicURL, fromEnvironment.admin.token) == ("http://e", "3333333333333333"))
        #expect((fromEnvironment.cache.memory, fromEnvironment.cache.directory) == (3 << 20, "e"))
        let fromFlags = try Configuration.parse(
            text: Self.file, file: "t.yaml", environment: environment,
            overrides: .init(host: "::1", port: 4, url: "http://t/{z}"))
        #expect((fromFlags.server.host, fromFlags.server.port, fromFlags.admin.token) == ("::1", 4, "3333333333333333"))
        #expect(fromFlags.layers == [LayerSettings(id: "tiles", source: .url(URLSource(template: "http://t/{z}")))])
    }

    @Test func ignoresEmptyVariables() throws {
        let environment = Dictionary(uniqueKeysWithValues: EnvironmentVariable.allCases.map { ($0.rawValue, "") })
        #expect(try parsed(Self.file, environment: environment) == parsed(Self.file))
    }

    @Test func namesTheWrongVariableOrFlag() {
        let environment = [
            "TILESERVER_PORT": "65536", "TILESERVER_CACHE_MEMORY": "much", "TILESERVER_ADMIN_TOKEN": "a b",
        ]
        let found = problems(
            "\(anyLayer)bad: 1\n", environment: environment, overrides: .init(host: "nowhere", port: -1, url: "x"),
            opensSources: true)
        #expect(
            found == [
                "t.yaml:3:1: bad: unknown key",
                "environment variable TILESERVER_PORT: 65536 is above 65535",
                "environment variable TILESERVER_ADMIN_TOKEN: a token must be visible ASCII without spaces",
                "environment variable TILESERVER_CACHE_MEMORY: expected a size such as 256MiB, found the text \"much\"",
                "--host: expected an IPv4 address, an IPv6 address or localhost, found the text \"nowhere\"",
                "--port: -1 is below 0", "--url: \(URLSource(template: "x").problems()[0].message)",
            ])
    }

    @Test func needsNoFileWithAURLFlag() throws {
        let found = try Configuration.load(path: nil, environment: [:], overrides: .init(url: "http://t/{z}/{x}/{y}"))
        #expect(found.layers.map(\.id) == ["tiles"])
        #expect(found.server == ServerSettings())
    }

    @Test func reportsAnUnreadableOrMissingFile() {
        let missing = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(path: "/nowhere/x.yaml", environment: [:])
        }
        #expect(missing?.description == "/nowhere/x.yaml: the file cannot be read: No such file or directory")
        let directory = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(path: "/", environment: [:])
        }
        #expect(directory?.description == "/: the file cannot be read: Is a directory")
        let nothing = #expect(throws: ConfigurationErrors.self) { try Configuration.load(path: nil, environment: [:]) }
        #expect(nothing?.description == "--config: layers: at least one layer is needed, from a file or by --url")
    }
}
