import MapGeometry
import MapRenderer
import Raster

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
