import Configuration
import Keys
import Testing

/// Tests of `layerDefaults`, the keys that all layers share.
@Suite struct LayerDefaultsTests {
    private let layers = """
        layers:
          a: { generator: grid }
          b: { url: "https://tile.example.org/{z}/{x}/{y}.png", maxAge: 5s, png: { form: rgba } }
        maps:
          m: { layers: [a] }
        """

    /// A configuration with `layerDefaults` equals a configuration that repeats these keys in each layer.
    @Test func prefersALayersOwnKey() throws {
        let shared =
            "layerDefaults: { maxAge: 2h, noTile: transparent, zIndex: 7, png: { effort: fast, form: lean } }\n"
        let written = try parsed(
            """
            layers:
              a: { generator: grid, maxAge: 2h, noTile: transparent, zIndex: 7, png: { effort: fast, form: lean } }
              b:
                url: "https://tile.example.org/{z}/{x}/{y}.png"
                maxAge: 5s
                noTile: transparent
                zIndex: 7
                png: { effort: fast, form: rgba }
            maps:
              m: { layers: [a] }
            """)
        #expect(try parsed(shared + layers) == written)
        // `layerDefaults` may also follow the layers.
        #expect(try parsed(layers + "\n" + shared) == written)
        #expect(written.maps[0].maxAge == .seconds(3_600))
    }

    @Test(arguments: ["", "layerDefaults:\n", "layerDefaults: {}\n", "layerDefaults: null\n"])
    func ignoresEmptyLayerDefaults(text: String) throws {
        #expect(try parsed(text + layers) == parsed(layers))
    }

    @Test func readsVariables() throws {
        let text = "layerDefaults:\n  maxAge: ${AGE}\n" + layers
        let configuration = try parsed(text, environment: ["AGE": "30m"])
        #expect(configuration.layers.map(\.maxAge) == [.seconds(1_800), .seconds(5)])
    }

    /// The mistake is reported once and not once for each layer.
    @Test(arguments: [
        (
            "{ maxAge: 2x }",
            "t.yaml:1:26: layerDefaults.maxAge: expected a time such as 60s, 5m, 24h or 30d, found the text \"2x\""
        ),
        ("{ maxAgee: 2h }", "t.yaml:1:18: layerDefaults.maxAgee: unknown key (did you mean maxAge?)"),
        (
            "{ userAgent: a }",
            "t.yaml:1:18: layerDefaults.userAgent: is a key for layers with a url only; layerDefaults "
                + "takes only keys of every layer"
        ),
        (
            "{ generator: grid }",
            "t.yaml:1:18: layerDefaults.generator: is a key for layers with a generator only; "
                + "layerDefaults takes only keys of every layer"
        ),
        ("{ minZoom: 9, maxZoom: 3 }", "t.yaml:1:27: layerDefaults.minZoom: minZoom 9 is above maxZoom 3"),
        (
            "{ png: { form: wide } }",
            "t.yaml:1:31: layerDefaults.png.form: expected lean or rgba, found the text \"wide\""
        ),
        (
            "[a]",
            "t.yaml:1:16: layerDefaults: expected keys and values, found a list; write layerDefaults: { "
                + "maxAge: 1h }, without a dash"
        ),
    ])
    func reportsASharedMistakeOnce(shared: String, message: String) {
        let found = problems("layerDefaults: \(shared)\n" + layers)
        #expect(found.count == 1 && found.first?.hasPrefix(message) == true, "\(found)")
    }

    /// Some mistakes concern one layer only. The message gives the place in `layerDefaults` and names the layer.
    @Test func namesTheLayerThatCannotUseADefault() {
        #expect(
            problems("layerDefaults: { tileSize: 300 }\n" + layers).map { $0.prefix(110) }
                == ["t.yaml:1:28: layerDefaults.tileSize: expected 256 or 512, found the number 300 (of layers.a)"])
        #expect(
            problems("layerDefaults: { minZoom: 12 }\nlayers: { a: { generator: grid, maxZoom: 9 } }")
                == ["t.yaml:1:27: layerDefaults.minZoom: minZoom 12 is above maxZoom 9 (of layers.a)"])
        #expect(problems("layerDefaults: { minZoom: 25 }\nlayers: { a: { generator: grid, maxZoom: 28 } }").isEmpty)
    }
}
