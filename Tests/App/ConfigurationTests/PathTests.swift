import Configuration
import Foundation
import Testing

/// Tests of the directory that relative paths are resolved against.
struct PathTests {
    private static let text = """
        layers:
          a: { mbtiles: m/a.mbtiles }
          b: { geojson: ../b.geojson }
          c: { url: "file:t/{z}/{x}/{y}.png" }
          d: { url: "file:/t/{z}/{x}/{y}.png" }
          e: { url: "https://h/{z}/{x}/{y}", caFile: ca.pem, clientCertificate: both.pem }
          f: { url: "https://h/{z}/{x}/{y}", clientCertificate: { certificate: a.pem, key: /k.pem } }
        cache: { directory: state, disk: { path: ../d.sqlite } }

        """

    private func parsed(_ text: String, file: String, environment: [String: String] = [:]) throws -> Configuration {
        try Configuration.parse(text: text, file: file, environment: environment)
    }

    @Test(arguments: [
        ("/gone/etc/t.yaml", "/gone/etc/", "/gone/etc/../"), ("gone/t.yaml", "gone/", "gone/../"),
        ("./t.yaml", "./", "./../"), ("t.yaml", "", "../"),
        // `..` after a real directory removes the name of the directory. `..` after a link or a missing directory
        // stays.
        ("Sources/Kit/t.yaml", "Sources/Kit/", "Sources/"), ("Sources/t.yaml", "Sources/", ""),
        ("/t.yaml", "/", "/../"),
    ])
    func resolvesAgainstTheDirectoryOfTheFile(file: String, own: String, outer: String) throws {
        let found = try parsed(Self.text, file: file)
        let sources = found.layers.map(\.source)
        #expect(sources[0] == .mbtiles(path: "\(own)m/a.mbtiles"))
        #expect(sources[1] == .geojson(GeoJSONSource(path: "\(outer)b.geojson")))
        #expect(sources[2] == .url(URLSource(template: "file:\(own)t/{z}/{x}/{y}.png")))
        #expect(sources[3] == .url(URLSource(template: "file:/t/{z}/{x}/{y}.png")))
        var secured = URLSource(template: "https://h/{z}/{x}/{y}")
        (secured.caFile, secured.clientCertificate) = ("\(own)ca.pem", .init(certificate: "\(own)both.pem"))
        #expect(sources[4] == .url(secured))
        (secured.caFile, secured.clientCertificate) = (nil, .init(certificate: "\(own)a.pem", key: "/k.pem"))
        #expect(sources[5] == .url(secured))
        #expect(found.cache.directory == "\(own)state")
        #expect(found.cache.disk?.path == "\(outer)d.sqlite")
    }

    @Test func resolvesFlagsVariablesAndDefaultsAgainstTheWorkingDirectory() throws {
        #expect(try parsed(anyLayer, file: "/etc/t.yaml").cache.directory == "var")
        let variables = ["TILESERVER_CACHE_DIRECTORY": "e"]
        #expect(try parsed(Self.text, file: "/etc/t.yaml", environment: variables).cache.directory == "e")
        let found = try Configuration.parse(
            text: Self.text, file: "/etc/t.yaml", overrides: .init(url: "file:t/{z}/{x}/{y}.png"))
        #expect(found.layers.map(\.source) == [.url(URLSource(template: "file:t/{z}/{x}/{y}.png"))])
    }

    @Test func followsALinkBeforeTheParentDirectory() throws {
        let directory = try Scratch()
        try directory.make("far/conf")
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory.path)/conf", withDestinationPath: "far/conf")
        let found = try parsed("\(anyLayer)cache: { directory: ../var }\n", file: "\(directory.path)/conf/t.yaml")
        #expect(found.cache.directory == "\(directory.path)/conf/../var")
    }

    /// Opening a pipe without a writer would block for ever, and reading a device may never end.
    @Test func acceptsARegularFileOnly() throws {
        let directory = try Scratch()
        try #require(mkfifo("\(directory.path)/pipe", 0o600) == 0)
        for (path, kind) in [("\(directory.path)/pipe", "pipe"), ("/dev/zero", "device")] {
            let found = #expect(throws: ConfigurationErrors.self) {
                try Configuration.load(path: path, environment: [:])
            }
            #expect(
                found?.description == "\(path): the file cannot be read: expected a regular file, found a \(kind)")
        }
    }

    /// A text with the key, the path of the key, and a name in the working directory. Earlier versions resolved
    /// relative paths against the working directory.
    @Test(arguments: [
        ("layers: { a: { mbtiles: PATH/Package.swift } }", "layers.a.mbtiles", "Package.swift"),
        ("layers: { a: { geojson: PATH/Package.swift } }", "layers.a.geojson", "Package.swift"),
        ("layers: { a: { url: \"file:PATH/Sources/{z}{x}{y}\" } }", "layers.a.url", "Sources/{z}{x}{y}"),
        (
            "layers: { a: { url: \"https://h/{z}/{x}/{y}\", caFile: PATH/Package.swift } }", "layers.a.caFile",
            "Package.swift"
        ),
        (
            "layers: { a: { url: \"https://h/{z}/{x}/{y}\", clientCertificate: PATH/Package.swift } }",
            "layers.a.clientCertificate", "Package.swift"
        ),
        ("\(anyLayer)cache: { disk: { path: PATH/Package.swift } }", "cache.disk.path", "Package.swift"),
    ])
    func namesBothPlacesOfAFileInTheWorkingDirectory(text: String, key: String, name: String) {
        let text = text.replacing("PATH", with: ".")
        let found = #expect(throws: ConfigurationErrors.self) {
            try Configuration.parse(text: text, file: "/gone/t.yaml", opensSources: true)
        }
        #expect(found?.problems.map(\.path) == [key])
        let message =
            "expected /gone/./\(name), found ./\(name) only in the working directory; a relative path starts at the "
            + "directory of the configuration"
        #expect(found?.problems.first?.message == message)
        // Paths are not checked unless `opensSources` is set.
        #expect(throws: Never.self) { try Configuration.parse(text: text, file: "/gone/t.yaml") }
    }

    /// A directory with the right name may belong to another program: `/var`, if the server was started in `/`. The
    /// complaint therefore needs a file of the server in the directory.
    @Test func namesBothPlacesOfAUsedCacheDirectory() throws {
        let directory = try Scratch()
        try directory.make("state")
        let up = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
        let text = "\(anyLayer)cache: { directory: \(up)\(directory.path.dropFirst())/state }\n"
        #expect(throws: Never.self) {
            try Configuration.parse(text: text, file: "/gone/t.yaml", opensSources: true)
        }
        try Data().write(to: URL(filePath: "\(directory.path)/state/admin-token"))
        let found = #expect(throws: ConfigurationErrors.self) {
            try Configuration.parse(text: text, file: "/gone/t.yaml", opensSources: true)
        }
        #expect(found?.problems.map(\.path) == ["cache.directory"])
    }

    @Test(
        arguments: [
            ("file:gone/{z}/{x}/{y}.png", "gone: expected a directory, found nothing"),
            ("file:/gone/away/L{z}_{x}_{y}.png", "/gone/away: expected a directory, found nothing"),
            ("file:Package.swift/{z}/{x}/{y}.png", "Package.swift: expected a directory, found a file"),
            ("file:Package.swift/below/{z}/{x}/{y}.png", "Package.swift/below: expected a directory, found nothing"),
            ("file:/{z}/{x}/{y}.png", nil), ("file:{z}/{x}/{y}.png", nil), ("file:Sources/{z}/{x}/{y}.png", nil),
            // The directory contains a value of the layer, which may be secret.
            ("file:Sources/{a}/{z}/{x}/{y}.png", nil),
            ("file:{b}/{z}/{x}/{y}.png", "{b}: expected a directory, found nothing"),
        ] as [(String, String?)])
    func requiresTheFirstDirectoryOfATemplate(template: String, complaint: String?) {
        let found = problems(
            "layers: { a: { url: \"\(template)\", values: { a: Kit, b: secret } } }", opensSources: true)
        #expect(found == (complaint.map { ["t.yaml:1:21: layers.a.url: \($0)"] } ?? []))
    }

    /// A section with the expected complaint about the directory that the server writes, and the place of the
    /// complaint.
    @Test(
        arguments: [
            (
                "cache: { directory: /gone/away }",
                "t.yaml:3:21: cache.directory: /gone/away: the directory cannot be created: No such"
            ),
            (
                "cache: { directory: /dev/null }",
                "t.yaml:3:21: cache.directory: /dev/null: expected a directory, found a file"
            ),
            (
                "cache: { directory: /dev/null/a }",
                "t.yaml:3:21: cache.directory: /dev/null/a: the directory cannot be opened: "
            ),
            (
                "cache: { disk: { path: /gone/away/d.sqlite } }",
                "t.yaml:3:24: cache.disk.path: /gone/away: the directory cannot"
            ),
            ("admin: { token: 0123456789abcdef }\ncache: { directory: /gone/away }", nil),
            (
                "admin: { token: 0123456789abcdef }\ncache: { disk: {}, directory: /gone/away }",
                "t.yaml:4:31: cache.directory: /gone/away: the directory cannot be created: No such file "
                    + "or directory (uid "
            ),
            ("cache: { directory: /tmp }", nil), ("cache: { directory: /tmp/not-yet-there/ }", nil),
        ] as [(String, String?)])
    func requiresAWritableCacheDirectory(section: String, complaint: String?) throws {
        let directory = try Scratch()
        let file = "\(directory.path)/t.yaml"
        try Data("\(anyLayer)\(section)\n".utf8).write(to: URL(filePath: file))
        #expect(throws: Never.self) { try Configuration.load(path: file, environment: [:], opensSources: true) }
        let found = said(of: file, [:])
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint {
            #expect(found.first?.hasPrefix("\(directory.path)/\(complaint)") == true, "\(found)")
        }
        let fromVariable = said(of: file, ["TILESERVER_CACHE_DIRECTORY": "/gone/x"])
        #expect(
            fromVariable.filter { $0.hasPrefix("environment variable TILESERVER_CACHE_DIRECTORY: /gone/x: ") }.isEmpty
                == (section.contains("token") && !section.contains("disk: {}")))
    }

    private func said(of file: String, _ environment: [String: String]) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try Configuration.load(
                path: file, environment: environment, opensSources: true, writesDirectory: true)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

/// A temporary directory that is removed with its owner. It is a class because `deinit` removes the directory.
private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)").path

    init() throws { try make("") }

    func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    deinit {
        // A directory left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }
}
