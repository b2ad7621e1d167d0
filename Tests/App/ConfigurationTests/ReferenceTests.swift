import Configuration
import Foundation
import Testing

/// The places in the reference that a command names after the mistakes of a configuration.
struct ReferenceTests {
    private static let page = "docs/reference/configuration.md"

    private static func errors(_ text: String) -> ConfigurationErrors? {
        do throws(ConfigurationErrors) {
            _ = try Configuration.parse(text: text, file: "t.yaml")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("\(anyLayer)server: { port: x }", "server.port"),
        ("\(anyLayer)server: { limits: { streams: 0 } }", "server.limits.streams"),
        ("\(anyLayer)server: { https: { certificate: a.pem, port: x } }", "server.https.port"),
        ("\(anyLayer)limits: { requests: x }", "limits.requests"),
        ("layers: { a: { generator: grid, maxZoom: x } }", "layers.maxZoom"),
        ("layers: { a: { url: 'https://a.example/{z}/{x}/{y}.png', ttl: x } }", "layers.ttl"),
        ("\(anyLayer)maps: { m: { layers: [{ layer: a, opacity: x }] } }", "maps.layers"),
    ])
    func namesTheWrongKey(text: String, anchor: String) throws {
        let errors = try #require(Self.errors(text))
        #expect(errors.reference == "See \(Self.page)#\(anchor)", "\(errors)")
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let content = try String(contentsOf: root.appendingPathComponent(Self.page), encoding: .utf8)
        #expect(content.contains("| <a id=\"\(anchor)\"></a>`"))
    }

    @Test func namesNoKeyThatTheReferenceDoesNotHave() throws {
        for text in ["layers: 1", "\(anyLayer)nonsense: 1", "[]"] {
            #expect(try #require(Self.errors(text)).reference == nil)
        }
    }

    @Test func namesThreeKeysAndEachOnce() throws {
        let text = """
            layers:
              a: { generator: grid, maxZoom: x, minZoom: x }
              b: { generator: grid, maxZoom: x, opacity: x, fadeIn: 7 }
            """
        let reference = try #require(Self.errors(text)?.reference)
        let keys = ["layers.maxZoom", "layers.minZoom", "layers.opacity"]
        let links = Set(keys.map { "\(Self.page)#\($0)" })
        #expect(Set(reference.dropFirst("See ".count).split(separator: ", ").map(String.init)) == links)
    }
}
