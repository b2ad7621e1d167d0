import Configuration
import MapGeometry
import MapRenderer
import Raster

/// Describes one static image, with all values that affect its pixels.
package struct StaticJob: Sendable {
    /// The layer or map that gives the camera its limits, the padding and the background. It is also what the image
    /// shows, unless `stack` names other layers.
    package let layer: ServedLayer
    /// The layers and maps that the image shows, from the lowest up. Empty: it shows `layer`.
    package let stack: ImageStack
    /// The layers to draw, from the bottom up.
    let drawnLayers: [DrawnLayer]
    /// The camera within the limits of the map, and the values that were limited.
    package let camera: ResolvedCamera
    /// The camera rounded to the precision of an image. The image is drawn with this camera.
    let quantized: QuantizedCamera
    package let view: MapView
    package let scale: Int
    package let options: StaticOptions
    /// The format in which the image is encoded.
    package let form: ImageForm

    /// Makes a job for an image that shows `subject`: a camera or a box. Throws if the padding is invalid or leaves no
    /// room, or if the box contains no place.
    package init(
        _ layer: ServedLayer, _ subject: MapPicture.Subject, _ size: ImageSize, options: StaticOptions,
        stack: ImageStack = ImageStack(), as form: ImageForm = .png
    ) throws(CameraRequestError) {
        let view = try layer.cameraRules.view(size, padding: options.padding)
        let camera: ResolvedCamera
        do throws(CameraError) {
            camera = try subject.camera(in: view, of: layer)
        } catch {
            throw CameraRequestError(error)
        }
        self.init(layer, camera, view, scale: size.scale, options: options, stack: stack, as: form)
    }

    /// Makes a job for an image that shows the view of `camera`. The camera must already be within the limits of
    /// `view`. The size of `view` is in whole points.
    package init(
        _ layer: ServedLayer, _ camera: ResolvedCamera, _ view: MapView, scale: Int, options: StaticOptions,
        stack: ImageStack = ImageStack(), as form: ImageForm = .png
    ) {
        self.camera = camera
        quantized = QuantizedCamera(camera.position, scale: scale)
        self.scale = scale
        self.layer = layer
        self.stack = stack
        drawnLayers = stack.isEmpty ? layer.drawnLayers : stack.drawnLayers
        self.view = view
        self.options = options
        self.form = form
    }

    package var background: RGBA { options.background ?? layer.background }

    /// Number of layers whose tiles the image needs. A map in a stack counts with all its layers.
    package var layerCount: Int { stack.isEmpty ? drawnLayers.count : stack.layerCount }

    /// The layers and maps whose tiles or settings affect the image.
    package var sources: [ServedLayer] { [layer] + stack.layers }

    /// Returns the tiles that the image needs.
    func plan() throws(CameraError) -> RenderPlan {
        RenderPlan(
            projection: try view.projection(of: quantized.position), scale: scale,
            layers: drawnLayers.map { $0.renderLayer(scale: scale) }, rule: view.rules.tileZoomRule)
    }

    /// The cache key, which is made from the values that affect the image. A clear of some tiles can change the image
    /// but does not change the key. A clear of the whole layer or map changes its generation and so the key.
    package var key: StaticImages.Key {
        let viewport = view.viewport
        let padding = viewport?.padding ?? .zero
        let parts: [Any] = [
            quantized.x, quantized.y, quantized.zoom, quantized.bearing, quantized.viewingAngle, scale,
            viewport?.width ?? 0, viewport?.height ?? 0, padding.top, padding.left, padding.bottom, padding.right,
            background, options.showsAttribution, layer.source.number, layer.source.generation.current, form,
            stack.keyText,
        ]
        // No part contains a line end, so a line end separates the overlays.
        let texts = parts.map { "\($0)" } + options.overlayTexts.map { "\n" + $0 }
        return StaticImages.Key(maps: sources.map(\.id), canonical: texts.joined(separator: " "))
    }

    /// Everything that is drawn over the tiles.
    package var overlays: [Overlay] {
        guard options.showsAttribution, let text = attribution else { return options.overlays }
        return options.overlays + [.attribution(Attribution(text))]
    }

    /// The attributions as plain text, even if they are not drawn. Nil if there are none.
    package var attribution: String? { AttributionText.plain(attributions) }

    /// The attribution of each shown map, or if it has none, those of the layers that it draws.
    private var attributions: [String] {
        (stack.isEmpty ? [layer] : stack.layers).flatMap { shown in
            shown.configured.attribution.map { [$0] } ?? shown.drawnLayers.compactMap { $0.layer?.settings.attribution }
        }
    }
}

/// Options of an image besides the map and the camera.
package struct StaticOptions: Sendable {
    /// The padding. Nil: the map's own.
    package var padding: EdgeInsets?
    /// The background color. Nil: the map's own.
    package var background: RGBA?
    /// True if the image may lack unavailable tiles.
    package var allowsPartial = true
    package var showsAttribution = true
    /// The layers and maps that the image shows, from the lowest up. Empty: the layer or map of the camera.
    package var layers: [MapPicture.Layer] = []
    /// Markers and paths.
    package var overlays: [Overlay] = []
    /// The texts of the overlays in the URL, for the cache key. Images of the program itself are not cached.
    package var overlayTexts: [String] = []

    package init() {}

    /// Makes the options from a program's description.
    init(_ picture: MapPicture) {
        padding = picture.padding
        background = picture.background
        allowsPartial = picture.allowsPartial
        showsAttribution = picture.showsAttribution
        layers = picture.layers
        overlays = picture.paths.map { .path($0) } + picture.markers.map { .pin($0) }
    }
}
