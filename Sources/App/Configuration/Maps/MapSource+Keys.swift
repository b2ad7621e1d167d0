import Keys
import Tiles

extension MapSource: KeyedSettings, SourceSettings {
    package init() { self.init(layers: []) }

    package static let key = "map"
    package static let wording = "layers"
    package static let describesItself = true
    package static let isDrawn = true
    package static var tileSizes: ValueRule<Int> { .drawnTileSize }

    /// True: a map's tiles are made from tiles that the cache keeps itself.
    package var isLocal: Bool { true }
    package var identity: [String] { ["\(layers) \(base ?? "") \(onError) \(labels)"] }

    package static let keys: [Key<MapSource>] = [
        Key(
            "layers", schema: .list(of: MapLayer.itemSchema, .listCount),
            "layer names, or `{ layer: name }` with another `zIndex`, `opacity`, `visible` or `blend`; the "
                + "lowest `zIndex` is drawn first",
            read: { section, map in
                section.items("layers", as: "layer") { item in
                    if let layer = MapLayer.read(&item) { map.layers.append(layer) }
                }
            }),
        Key(
            "base", schema: ValueRule<String>.anything.schema,
            "layer below all other layers; `none` is no base map (the SDK's `kGMSTypeNone`)", standard: { _ in "none" },
            read: readBase),
        Key(
            "onError", \.onError, .choice,
            "`skip` draws the tile without a failed layer, names that in `X-Tile-Degraded` and caches nothing; "
                + "`fail` fails the tile"),
        Key(
            "labels", \.labels, .choice,
            "how the map draws labels of GeoJSON files and of the generators `world`, `graticule` and `grid`. "
                + "`each`: with their layer, so that layers above can cover them. `together`: above all layers, so "
                + "that no two labels overlap. `none`: not at all"),
        Key(
            "camera", optionalSection: \.cameraSection,
            "initial camera of a viewer (unset: the whole world) and limits of the camera"),
        .bounds(
            "targetBounds", \.limits.targetBounds, "box that the camera's target cannot leave, written like `bounds`"),
        Key(
            "targetBoundsMode", \.limits.targetBoundsMode, .choice,
            "camera moves that `targetBounds` limits: gestures of a user (`scrollBy`, zoom updates), or all"),
        Key(
            "padding", list: \.limits.padding, count: 4...4, of: .real(0...4_096),
            "covered points at the edges of the view: top, left, bottom, right"),
        Key("background", \.background, .color, "colour where there are no tiles"),
        Key(
            "fillViewport", \.limits.fillViewport, .boolean,
            "whether the lowest zoom is raised until the world fills the height of the view"),
        .knots(
            "maxTiltKnots", \.limits.maxTiltKnots,
            "maximum viewing angle in degrees by zoom, in ascending order, with linear interpolation; unset: "
                + "the profile's"),
        Key("tileZoom", \.limits.tileZoom, .choice, "rounding of a fractional camera zoom to a tile zoom"),
    ]

    package mutating func check(_ section: inout MappingReader) {
        if layers.isEmpty, base == nil, section.isMapping, section.isSound("layers"), section.isSound("base") {
            section.complain("layers", "a map needs at least one layer")
        }
        var seen: Set<String> = []
        for id in layerIDs where !seen.insert(id).inserted {
            section.complain("layers", "\(id) is in the map more than once")
        }
    }

    private static func readBase(_ section: inout MappingReader, _ map: inout MapSource) {
        section.value("base", .anything, into: &map.base)
        if map.base == "none" { map.base = nil }
        if let base = map.base { section.checkLayer(base, of: "base", or: ["none"]) }
    }

    /// `camera` and a part of `limits`.
    private var cameraSection: CameraSection? {
        get { CameraSection(camera, limits) }
        set {
            camera = newValue?.position
            (limits.profile, limits.minZoom, limits.maxZoom) = (
                newValue?.limits.profile, newValue?.limits.minZoom, newValue?.limits.maxZoom
            )
        }
    }
}

extension MapLayer: KeyedSettings {
    package init() { self.init(id: "") }

    package static let keys: [Key<MapLayer>] = [
        Key("zIndex", optional: \.zIndex, .zIndex, "drawing order in this map"),
        Key("opacity", optional: \.opacity, .opacity, "opacity in this map"),
        Key("visible", optional: \.visible, .boolean, "whether this map draws the layer"),
        Key("blend", optional: \.blend, .choice, "blend mode with the layers below"),
    ]

    fileprivate static var itemSchema: SchemaValue {
        let id = ValueRule<String>.anything.schema
        return [
            "anyOf": [
                id,
                [
                    "type": "object", "additionalProperties": false, "required": ["layer"],
                    "properties": SchemaValue(
                        [("layer", id.adding([("description", "name of the layer")]))] + properties),
                ],
            ]
        ]
    }

    fileprivate static func read(_ section: inout MappingReader) -> MapLayer? {
        guard let id = section.value("layer", .anything) else {
            if section.isSound("layer") { section.complain("the name of a layer is missing") }
            section.acknowledge(keyNames)
            return nil
        }
        var layer = MapLayer(id: id)
        section.checkLayer(id, of: "layer")
        layer.read(&section)
        return layer
    }
}

extension MappingReader {
    /// Checks that a map can draw the layer `id`, which is the value of `key`. Warns if an archive may bring the layer
    /// later.
    fileprivate mutating func checkLayer(_ id: String, of key: String, or others: [String] = []) {
        guard !context.layers.contains(id) else { return }
        guard context.mayGainLayers, !context.maps.contains(id), LayerSettings.complaint(about: id) == nil else {
            return complain(key, context.complaint(about: id, or: others))
        }
        guard context.opensSources else { return }
        warn(
            key,
            "no layer and no archive is named \(quoted(id)) now; the map is drawn without it until a directory of "
                + "archives has \(id).pmtiles or \(id).mbtiles")
    }
}

extension MappingReader.Context {
    /// Returns a message about `id`, which is not the name of a layer that a map can draw.
    fileprivate func complaint(about id: String, or others: [String] = []) -> String {
        maps.contains(id)
            ? "\(quoted(id)) is a map; expected the name of a layer"
            : "no layer is named \(quoted(id))\(hint(for: id, among: layers + others))"
    }
}
