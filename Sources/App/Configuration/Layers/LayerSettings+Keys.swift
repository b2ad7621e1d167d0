import Raster
import Keys

extension LayerSettings {
    private static let ages = Duration.zero...Duration.seconds(3_650 * 86_400)

    /// Keys of layers and maps: their names, and how they are served.
    static let servedKeys: [Key<LayerSettings>] = [
        Key(
            "name", optional: \.name, .text(), takesNull: true,
            "what people call it; without one it is called what its URL says"),
        Key("description", optional: \.description, .text(lines: true), takesNull: true, "a sentence for people"),
        Key(
            "attribution", optional: \.attribution, .text(lines: true), takesNull: true, "whom to credit, text or HTML"),
        .ownOrDescribed(
            Key(
                "minZoom", \.minZoom, .zoom,
                "the lowest zoom with tiles; an MBTiles file says its own, and a map "
                    + "has its layers'")),
        .ownOrDescribed(
            Key(
                "maxZoom", \.maxZoom, .zoom,
                "the highest zoom with tiles; an MBTiles file says its own, and a "
                    + "map has its layers'")),
        .bounds(
            "bounds", \.bounds,
            "`[west, south, east, north]` in degrees: no tiles outside; the world unless given, or what the file says. West "
                + "may be greater than east, across the antimeridian"),
        .ownOrDescribed(tileSize),
        Key(
            "overzoom", \.overzoom, .zoom,
            "how many zooms a tile that does not exist is cut out of the nearest one above"),
        Key("maxAge", \.maxAge, .duration(ages), "how long a client may keep a tile"),
        Key("noTile", \.noTile, .choice, "the answer where there is no tile"),
        Key(
            "errors", \.errors, .choice,
            "what an `<img>` of a web page gets where its tile is an error: nothing, or a picture that says the status"),
        Key(
            "noTileMaxAge", \.noTileMaxAge, .duration(ages),
            "how long \"no tile\" is kept, here and by clients; unset, clients keep it no longer than the source says, and it is "
                + "not kept where the source forbids that; for a map, the most that clients keep it: here it is kept as long "
                + "as that of the map's layers"),
        Key(
            "timeout", \.timeout, .duration(.milliseconds(1)...Duration.seconds(600)),
            "then a tile counts as unavailable"),
        Key(
            "wrapX", \.wrapX, .boolean,
            "whether an x beyond the map means the tile that lies there when the world repeats"),
        Key("png", section: \.png, "how tiles that are encoded here become PNG"),
        Key(
            "format", \.format, .choice,
            "what `/{id}/{z}/{x}/{y}` without a suffix sends, where the client's `Accept` has it; `auto`: JPEG or WebP of an opaque "
                + "photograph, else PNG, or lossless WebP for clients that name it"),
        Key(
            "quality", optional: \.quality, .integer(1...100),
            "of JPEG, and of WebP, which is lossless at `.webp` without it; unset, 80 where one is needed"),
    ]

    /// Keys of layers only: how maps draw them, and how the cache treats their source.
    static let sourceKeys: [Key<LayerSettings>] = [
        Key("zIndex", \.zIndex, .zIndex, "the place in a map: higher draws on top"),
        Key("opacity", \.opacity, .opacity, "how maps draw the layer; told to clients"),
        Key("visible", \.visible, .boolean, "whether maps draw the layer; told to clients"),
        Key("blend", \.blend, .choice, "how its colours meet those below in a map"),
        Key("fadeIn", \.fadeIn, .boolean, "told to clients"),
        Key(
            "ttl", \.ttl, .duration(ages), "how long a tile stays fresh in the cache where its source does not say"),
        Key(
            "minTTL", \.minTTL, .duration(ages),
            "the shortest it stays fresh, whatever its source says; a lesser `ttl` moves the default, which is not for "
                + "clients, nor for a source that forbids stale tiles; generators have none"),
        Key(
            "maxTTL", \.maxTTL, .duration(ages),
            "the longest it stays fresh, whatever its source says; a greater `ttl` moves the default"),
        Key("overrideTTL", \.overrideTTL, .boolean, "whether `ttl` counts and what the source says does not"),
        Key(
            "staleWhileRevalidate", optional: \.staleWhileRevalidate, .staleTime(ages), takesNull: true,
            unset: .upTo(usualStaleWhileRevalidate),
            "how long after that it is served while a new one is fetched; unset, the source may say otherwise; `source`: "
                + "only as long as it says"),
        Key(
            "staleIfError", optional: \.staleIfError, .staleTime(ages), takesNull: true,
            unset: .upTo(usualStaleIfError),
            "how long after that it is served where no new one can be had; unset, the source may say otherwise; `source`: "
                + "only as long as it says"),
        Key("offline", \.offline, .boolean, "whether the source is never asked"),
        Key(
            "maxConcurrent", \.maxConcurrent, .integer(1...1_024),
            "the most tiles asked of the source at a time; of layers with one host, the least counts"),
    ]

    /// The key `tileSize`. Its range depends on the layer's source.
    private static let tileSize = Key<LayerSettings>(
        "tileSize", schema: ["type": "integer"], values: "64…4096; 256 or 512 for tiles drawn here",
        "pixels of a tile's edge; images of another size are scaled. An MBTiles file says its own, and a map has its layers'",
        standard: { .number(Double($0.tileSize)) }, refusal: { $0.sizeRule.refusal($0.tileSize) }
    ) { section, layer in
        if let size = section.value("tileSize", layer.sizeRule) { layer.tileSize = size }
    }

    private var sizeRule: ValueRule<Int> { type(of: source.settings).tileSizes }

    /// True if the source itself has zooms, a tile size and an attribution.
    var describesItself: Bool { type(of: source.settings).describesItself }

    /// Returns the schema properties of the keys for a layer or a map whose source is like `sample`.
    static func properties(_ keys: [Key<LayerSettings>], for sample: LayerSource) -> [(String, SchemaValue)] {
        let layer = LayerSettings(id: "", source: sample)
        return keys.map { key in
            (key.name, key.documented(layer, as: key.name == tileSize.name ? layer.sizeRule.schema : nil))
        }
    }

    /// The first problem of a value, for settings that were made in code.
    package var refusal: Refusal? {
        if let refusal = (Self.servedKeys + Self.sourceKeys).refusal(of: self) ?? source.settings.refusal {
            return refusal
        }
        // The defaults of a tile file or a map depend on its content, which is not known here.
        if minZoom > maxZoom, explicit.maxZoom != nil || !describesItself {
            return Refusal(key: "minZoom", expected: "at most \(maxZoom)", found: "\(minZoom)")
        }
        if let (minimum, maximum) = crossedCameraZooms {
            return Refusal(key: "camera.minZoom", expected: "at most \(maximum)", found: "\(minimum)")
        }
        guard minTTL > maxTTL else { return nil }
        return Refusal(key: "minTTL", expected: "in \(Duration.zero)…\(maxTTL)", found: "\(minTTL)")
    }
}

extension Key<LayerSettings> {
    /// Returns `key` without a default where the source may describe itself.
    fileprivate static func ownOrDescribed(_ key: Key) -> Key {
        Key(
            key.name, schema: key.schema, values: key.values, key.doc,
            standard: { $0.describesItself ? nil : key.standard($0) }, refusal: key.refusal, read: key.read)
    }
}

extension PNGOptions: KeyedSettings {
    package init() { self = .standard }

    package static let keys: [Key<PNGOptions>] = [
        Key(
            "effort", \.effort, .choice(dropped: ["small": .balanced]),
            "`fast` takes two thirds of the processor time, for a seventh more bytes"),
        Key(
            "quantize", \.quantize, .integer(4...256, orNone: "off"),
            "the most colours such a tile keeps; `off` loses none"),
        Key(
            "form", \.form, .choice,
            "`lean` writes no channel and no bit that a tile does not need; `rgba` always 8 bits each of red, green, blue and alpha, "
                + "with `sRGB` and not interlaced, and makes every PNG that a source sends into that: for clients that show a lean "
                + "one wrong ([`pngforms`](#generators) tells)"),
    ]
}
