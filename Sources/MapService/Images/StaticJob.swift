import Configuration
import MapGeometry
import MapRenderer
import Raster

/// One static image that is wanted: everything that decides its pixels.
package struct StaticJob: Sendable {
    package let layer: ServedLayer
    /// The camera in effect, and what was clamped for it.
    package let camera: ResolvedCamera
    /// The same to the precision of a picture: what is drawn.
    let quantized: QuantizedCamera
    package let view: MapView
    package let scale: Int
    package let options: StaticOptions

    /// Throws where the path or the query describe no image.
    package init(_ layer: ServedLayer, _ path: StaticPath, _ options: StaticOptions) throws(CameraFault) {
        let rules = layer.cameraRules
        let viewport = try rules.viewport(
            width: Double(path.width), height: Double(path.height), padding: options.padding)
        let view = MapView(rules: rules.rules, viewport: viewport)
        let camera = try Self.camera(path.subject, in: view)
        self.init(layer, camera, view, scale: path.scale, options)
    }

    /// `view` has a size of whole points, and `camera` is in effect in it.
    package init(_ layer: ServedLayer, _ camera: ResolvedCamera, _ view: MapView, scale: Int, _ options: StaticOptions) {
        self.camera = camera
        quantized = QuantizedCamera(camera.position, scale: scale)
        self.scale = scale
        self.layer = layer
        self.view = view
        self.options = options
    }

    private static func camera(_ subject: StaticPath.Subject, in view: MapView) throws(CameraFault) -> ResolvedCamera {
        do throws(CameraError) {
            switch subject {
            case .camera(let longitude, let latitude, let zoom, let bearing, let viewingAngle):
                return view.normalized(
                    try CameraPosition(
                        latitude: latitude, longitude: longitude, zoom: zoom, bearing: bearing,
                        viewingAngle: viewingAngle))
            case .box(let west, let south, let east, let north):
                if let southWest = Coordinate(latitude: south, longitude: west),
                    let northEast = Coordinate(latitude: north, longitude: east)
                {
                    return try view.camera(for: CoordinateBounds(southWest: southWest, northEast: northEast))
                }
            }
        } catch {
            throw CameraFault(error)
        }
        throw .malformed("camera", expected: "latitudes in -90…90")
    }

    package var background: RGBA { options.background ?? layer.background }

    /// What is drawn, the lowest first.
    var drawnLayers: [DrawnLayer] { layer.drawnLayers }

    /// The tiles that are needed.
    func plan() throws(CameraError) -> RenderPlan {
        RenderPlan(
            projection: try view.projection(of: quantized.position), scale: scale,
            layers: drawnLayers.map { RenderLayer($0, scale: scale) }, rule: view.rules.tileZoomRule)
    }

    /// Differs wherever the picture does, as long as no layer is cleared.
    package var key: StaticImages.Key {
        let viewport = view.viewport
        let padding = viewport?.padding ?? .zero
        let parts: [Any] = [
            quantized.x, quantized.y, quantized.zoom, quantized.bearing, quantized.viewingAngle, scale,
            viewport?.width ?? 0, viewport?.height ?? 0, padding.top, padding.left, padding.bottom, padding.right,
            background, options.showsAttribution, layer.source.number, layer.source.generation.current,
        ]
        // A line end stands in none of them as it is written.
        let texts = parts.map { "\($0)" } + options.overlayTexts.map { "\n" + $0 }
        return StaticImages.Key(map: layer.id, canonical: texts.joined(separator: " "))
    }

    /// What is drawn over the tiles.
    package var overlays: [Overlay] {
        guard options.showsAttribution, let text = attribution else { return options.overlays }
        return options.overlays + [.attribution(Attribution(text))]
    }

    /// Who is to be thanked, whether the image says so or not: plain text, nil where nobody is.
    package var attribution: String? { AttributionText.plain(attributions) }

    /// A map's own, or else those of the layers that it draws.
    private var attributions: [String] {
        layer.configured.attribution.map { [$0] } ?? drawnLayers.compactMap(\.layer.settings.attribution)
    }
}

extension RenderLayer {
    /// A layer that has tiles of the scale itself is read at the same zoom; others one zoom deeper for each doubling
    /// (docs/spec/model.md ruling 1).
    init(_ drawnLayer: DrawnLayer, scale: Int) {
        let layer = drawnLayer.layer
        self.init(
            tileSize: layer.tileSize * layer.tileScale(for: scale), zooms: layer.extent.zooms,
            bounds: layer.settings.bounds.flatMap(CoordinateBounds.init), opacity: drawnLayer.opacity,
            blend: drawnLayer.blend)
    }
}

extension CoordinateBounds {
    fileprivate init?(_ box: LayerBounds) {
        guard let southWest = Coordinate(latitude: box.south, longitude: box.west),
            let northEast = Coordinate(latitude: box.north, longitude: box.east)
        else { return nil }
        // South is below north in every `LayerBounds`.
        guard let bounds = try? CoordinateBounds(southWest: southWest, northEast: northEast) else { return nil }
        self = bounds
    }
}
