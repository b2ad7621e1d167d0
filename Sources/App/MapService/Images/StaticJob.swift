import Configuration
import MapGeometry
import MapRenderer
import Raster

/// One static image to be drawn: everything that decides its pixels.
package struct StaticJob: Sendable {
    package let layer: ServedLayer
    /// The camera in effect, and what was clamped for it.
    package let camera: ResolvedCamera
    /// The same to the precision of an image: what is drawn.
    let quantized: QuantizedCamera
    package let view: MapView
    package let scale: Int
    package let options: StaticOptions
    /// The form in which the image is encoded.
    package let form: ImageForm

    /// Throws where the padding leaves nothing of the view, or the bounds have no camera.
    package init(
        _ layer: ServedLayer, _ subject: MapPicture.Subject, _ size: ImageSize, _ options: StaticOptions,
        as form: ImageForm = .png
    ) throws(CameraRequestError) {
        let view = try layer.cameraRules.view(size, padding: options.padding)
        let camera: ResolvedCamera
        do throws(CameraError) {
            camera = try subject.camera(in: view)
        } catch {
            throw CameraRequestError(error)
        }
        self.init(layer, camera, view, scale: size.scale, options, as: form)
    }

    /// `view` has a size of whole points, and `camera` is in effect in it.
    package init(
        _ layer: ServedLayer, _ camera: ResolvedCamera, _ view: MapView, scale: Int, _ options: StaticOptions,
        as form: ImageForm = .png
    ) {
        self.camera = camera
        quantized = QuantizedCamera(camera.position, scale: scale)
        self.scale = scale
        self.layer = layer
        self.view = view
        self.options = options
        self.form = form
    }

    package var background: RGBA { options.background ?? layer.background }

    /// What is drawn, the lowest first.
    var drawnLayers: [DrawnLayer] { layer.drawnLayers }

    /// How many layers are drawn.
    package var layerCount: Int { drawnLayers.count }

    /// The tiles that are needed.
    func plan() throws(CameraError) -> RenderPlan {
        RenderPlan(
            projection: try view.projection(of: quantized.position), scale: scale,
            layers: drawnLayers.map { RenderLayer($0, scale: scale) }, rule: view.rules.tileZoomRule)
    }

    /// Differs wherever the image does, as long as no layer is cleared.
    package var key: StaticImages.Key {
        let viewport = view.viewport
        let padding = viewport?.padding ?? .zero
        let parts: [Any] = [
            quantized.x, quantized.y, quantized.zoom, quantized.bearing, quantized.viewingAngle, scale,
            viewport?.width ?? 0, viewport?.height ?? 0, padding.top, padding.left, padding.bottom, padding.right,
            background, options.showsAttribution, layer.source.number, layer.source.generation.current, form,
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

    /// The attributions, whether they are drawn or not: plain text, nil where there are none.
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
            bounds: layer.settings.bounds.map { CoordinateBounds($0) }, opacity: drawnLayer.opacity,
            blend: drawnLayer.blend)
    }
}

/// What an image shows beside the map, and how.
package struct StaticOptions: Sendable {
    /// Nil: the map's own.
    package var padding: EdgeInsets?
    /// Nil: the map's own.
    package var background: RGBA?
    /// Whether an image may lack tiles that could not be had.
    package var allowsPartial = true
    package var showsAttribution = true
    /// Markers and paths.
    package var overlays: [Overlay] = []
    /// The same as they were written, which tells cached images apart. A program's images are not cached.
    package var overlayTexts: [String] = []

    package init() {}

    /// What a program asks for.
    init(_ picture: MapPicture) {
        padding = picture.padding
        background = picture.background
        allowsPartial = picture.allowsPartial
        showsAttribution = picture.showsAttribution
        overlays = picture.paths.map { .path($0) } + picture.markers.map { .pin($0) }
    }
}
