import Raster
import Keys

extension LayerSettings {
    private static let ages = Duration.zero...Duration.seconds(3_650 * 86_400)

    /// Keys of layers and maps: their names, and how they are served.
    static let servedKeys: [Key<LayerSettings>] = [
        Key(
            "name", optional: \.name, .text(), takesNull: true,
            "display name; unset: the layer's name in the URL"),
        Key(
            "description", optional: \.description, .text(lines: true), takesNull: true,
            "short description for people"),
        Key(
            "attribution", optional: \.attribution, .text(lines: true), takesNull: true,
            "credits for the tiles, text or HTML"),
        .ownOrDescribed(
            Key(
                "minZoom", \.minZoom, .zoom,
                "lowest zoom with tiles; an MBTiles file or a map has its own default")),
        .ownOrDescribed(
            Key(
                "maxZoom", \.maxZoom, .zoom,
                "highest zoom with tiles. Three sources have another default. For an MBTiles file it is the highest "
                    + "zoom in the file, for a map the highest zoom of its layers, and for the generator `world` 8 "
                    + "(7 with tiles of 512 pixels)"
            )),
        .bounds(
            "bounds", \.bounds,
            "area with tiles, `[west, south, east, north]` in degrees; unset: the file's bounds, or the world"),
        .ownOrDescribed(tileSize),
        Key(
            "overzoom", \.overzoom, .zoom,
            "the server replaces a missing tile by an enlarged part of a tile from a lower zoom, at most this many "
                + "zooms lower. `0`: never. For the generator `world`, the default reaches zoom 22"),
        Key("maxAge", \.maxAge, .duration(ages), "maximum time that a client keeps a tile"),
        Key("noTile", \.noTile, .choice, "answer for a tile that does not exist"),
        Key(
            "errors", \.errors, .choice,
            "content of a tile error for an `<img>` of a web page: empty, or a picture that shows the status"),
        Key(
            "noTileMaxAge", \.noTileMaxAge, .duration(ages),
            "lifetime of \"no tile\" in the cache and in clients; unset: the source can shorten it "
                + "or forbid it"),
        Key(
            "timeout", \.timeout, .duration(.milliseconds(1)...Duration.seconds(600)),
            "timeout of a tile; after it the tile is unavailable"),
        Key(
            "wrapX", \.wrapX, .boolean,
            "whether an x outside the map wraps around the world"),
        Key("png", section: \.png, "PNG encoding of tiles that this server encodes"),
        Key(
            "format", \.format, .choice,
            "image format of `/{id}/{z}/{x}/{y}` without a suffix, if the client's `Accept` allows it"),
        Key(
            "quality", optional: \.quality, .integer(1...100),
            "quality of JPEG and of lossy WebP. Unset: 80 if a quality is needed; `.webp` is then lossless"),
    ]

    /// Keys of layers only: how maps draw them, and how the cache treats their source.
    static let sourceKeys: [Key<LayerSettings>] = [
        Key("zIndex", \.zIndex, .zIndex, "drawing order in a map; higher values draw on top"),
        Key("opacity", \.opacity, .opacity, "opacity of the layer in maps; also sent to clients"),
        Key("visible", \.visible, .boolean, "whether maps draw the layer; also sent to clients"),
        Key("blend", \.blend, .choice, "blend mode with the layers below in a map"),
        Key("fadeIn", \.fadeIn, .boolean, "whether clients fade tiles in; only sent to clients"),
        Key(
            "ttl", \.ttl, .duration(ages), "time that a tile stays fresh in the cache if its source gives none"),
        Key(
            "minTTL", \.minTTL, .duration(ages),
            "minimum time that a tile stays fresh, whatever its source says; a smaller `ttl` lowers the default"),
        Key(
            "maxTTL", \.maxTTL, .duration(ages),
            "maximum time that a tile stays fresh, whatever its source says; a greater `ttl` raises the default"),
        Key("overrideTTL", \.overrideTTL, .boolean, "whether `ttl` replaces the time that the source gives"),
        Key(
            "staleWhileRevalidate", optional: \.staleWhileRevalidate, .staleTime(ages), takesNull: true,
            unset: .upTo(usualStaleWhileRevalidate),
            "time after expiry when a stale tile is served while another is fetched; a source "
                + "overrides the default"),
        Key(
            "staleIfError", optional: \.staleIfError, .staleTime(ages), takesNull: true,
            unset: .upTo(usualStaleIfError),
            "time after expiry when a stale tile is served if fetching fails; a source "
                + "overrides the default"),
        Key("offline", \.offline, .boolean, "whether only cached tiles are served and the source is never asked"),
        Key(
            "bulk", optional: \.bulk, .choice,
            "whether exports may have tiles of this layer. Unset: not if a known policy of the source's host forbids "
                + "bulk downloads"),
        Key(
            "maxConcurrent", \.maxConcurrent, .integer(1...1_024),
            "maximum number of concurrent requests to the source. Layers with one host share the smallest value"),
    ]

    /// The key `tileSize`. Its range depends on the layer's source.
    private static let tileSize = Key<LayerSettings>(
        "tileSize", schema: ["type": "integer"], values: "64…4096; 256 or 512 for tiles drawn here",
        "edge of a tile in pixels, to which images are scaled; MBTiles files and maps have their own default",
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
        return Refusal(key: "minTTL", expected: "a value in \(Duration.zero)…\(maxTTL)", found: "\(minTTL)")
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
            "compression effort; `fast` needs two thirds of the processor time and makes files a seventh larger"),
        Key(
            "quantize", \.quantize, .integer(4...256, orNone: "off"),
            "maximum number of colours in such a tile; `off` keeps all colours"),
        Key(
            "form", \.form, .choice,
            "pixel format: `lean` omits unneeded channels and bits, `rgba` is always 8-bit RGBA, also for PNG "
                + "from sources"),
    ]
}
