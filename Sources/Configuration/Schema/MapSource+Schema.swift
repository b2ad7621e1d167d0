import Settings

extension MapSource {
    /// Reads what stands below a map's name, but for what it has in common with layers. `known`: the ids of all layers.
    static func read(_ section: inout MappingReader, known: [String]) -> MapSource {
        var map = MapSource(layers: [])
        section.items("layers", as: "layer") { item in
            if let layer = MapLayer.read(&item, known: known) { map.layers.append(layer) }
        }
        map.readBase(&section, known: known)
        section.value("onError", .choice, into: &map.onError)
        section.value("background", .color, into: &map.background)
        map.limits.read(&section)
        if section.has("camera") {
            section.mapping("camera") { section in
                map.limits.readCamera(&section)
                map.camera = MapCamera.read(&section)
            }
        }
        if map.layers.isEmpty, map.base == nil, section.isSound("layers"), section.isSound("base") {
            section.complain("layers", "a map needs at least one layer")
        }
        var seen: Set<String> = []
        for id in map.layerIDs where !seen.insert(id).inserted {
            section.complain("layers", "\(id) is in the map more than once")
        }
        return map
    }

    private mutating func readBase(_ section: inout MappingReader, known: [String]) {
        section.value("base", .anything, into: &base)
        if base == "none" { base = nil }
        if let base, !known.contains(base) {
            section.complain("base", "there is no layer \(quoted(base))\(hint(for: base, among: known + ["none"]))")
        }
    }
}

extension MapLimits {
    fileprivate mutating func read(_ section: inout MappingReader) {
        targetBounds = LayerBounds.read(&section, "targetBounds")
        section.value("targetBoundsMode", .choice, into: &targetBoundsMode)
        section.list("padding", count: 4...4, into: &padding) { _ in .real(0...4_096) }
        section.value("fillViewport", .boolean, into: &fillViewport)
        section.value("tileZoom", .choice, into: &tileZoom)
        readKnots(&section)
    }

    /// What stands in the map's `camera` beside the place where it begins.
    fileprivate mutating func readCamera(_ section: inout MappingReader) {
        profile = section.value("profile", .choice)
        minZoom = section.value("minZoom", .real(0...30))
        maxZoom = section.value("maxZoom", .real(0...30))
    }

    private mutating func readKnots(_ section: inout MappingReader) {
        var rows: [[Double]] = []
        section.rows("maxTiltKnots", width: 2, into: &rows) { $0 == 0 ? .real(0...30) : .real(0...67.5) }
        guard !rows.isEmpty else { return }
        let knots = rows.map { TiltKnot(zoom: $0[0], angle: $0[1]) }
        if zip(knots, knots.dropFirst()).contains(where: { $0.zoom >= $1.zoom }) {
            section.complain("maxTiltKnots", "the zooms must grow from one knot to the next")
        }
        maxTiltKnots = knots
    }
}

extension MapLayer {
    fileprivate static func read(_ section: inout MappingReader, known: [String]) -> MapLayer? {
        guard let id = section.value("layer", .anything) else {
            if section.isSound("layer") { section.complain("the name of a layer is missing") }
            section.acknowledge(["zIndex", "opacity", "visible", "blend"])
            return nil
        }
        var layer = MapLayer(id: id)
        if !known.contains(id) {
            section.complain("layer", "there is no layer \(quoted(id))\(hint(for: id, among: known))")
        }
        layer.zIndex = section.value("zIndex", .zIndex)
        layer.opacity = section.value("opacity", .real(0...1))
        layer.visible = section.value("visible", .boolean)
        layer.blend = section.value("blend", .choice)
        return layer
    }
}

extension ValueRule where Value == Int {
    /// A place in a stack.
    static var zIndex: ValueRule { .integer(Int(Int32.min)...Int(Int32.max)) }
}

extension MapCamera {
    fileprivate static func read(_ section: inout MappingReader) -> MapCamera? {
        // Of what is no mapping at all, nothing can be missing, nor of limits alone.
        let isLimits = ["profile", "minZoom", "maxZoom"].contains(where: section.has)
        let hasPlace = !isLimits || ["lat", "lng", "zoom", "bearing", "viewingAngle"].contains(where: section.has)
        let isMapping = section.problems.isEmpty && hasPlace
        let latitude = section.value("lat", .real(-90...90))
        let longitude = section.value("lng", .real(-180...180))
        var camera = MapCamera(latitude: latitude ?? 0, longitude: longitude ?? 0)
        section.value("zoom", .real(0...30), into: &camera.zoom)
        section.value("bearing", .real(0...360), into: &camera.bearing)
        section.value("viewingAngle", .real(0...90), into: &camera.viewingAngle)
        for key in ["lat", "lng"] where isMapping && !section.has(key) { section.complain("\(key) is missing") }
        return latitude == nil || longitude == nil ? nil : camera
    }
}
