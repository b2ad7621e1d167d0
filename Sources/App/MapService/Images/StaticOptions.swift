import MapGeometry
import MapRenderer
import Raster

/// What an image shows beside the map, and how.
package struct StaticOptions: Sendable {
    /// Nil: the map's own.
    package let padding: EdgeInsets?
    /// Nil: the map's own.
    package let background: RGBA?
    /// Whether an image may lack tiles that could not be had.
    package let allowsPartial: Bool
    package let showsAttribution: Bool
    /// Markers and paths.
    package let overlays: [Overlay]
    /// The same as they were written, which tells images apart.
    package let overlayTexts: [String]

    package init(
        padding: EdgeInsets?, background: RGBA?, allowsPartial: Bool, showsAttribution: Bool, overlays: [Overlay],
        overlayTexts: [String]
    ) {
        self.padding = padding
        self.background = background
        self.allowsPartial = allowsPartial
        self.showsAttribution = showsAttribution
        self.overlays = overlays
        self.overlayTexts = overlayTexts
    }

    /// What a program asks for.
    init(_ picture: MapPicture) {
        padding = picture.padding
        background = picture.background
        allowsPartial = picture.allowsPartial
        showsAttribution = picture.showsAttribution
        overlays = picture.paths.map { .path($0) } + picture.markers.map { .pin($0) }
        // They tell one cached image from another; a program's are not cached.
        overlayTexts = []
    }
}
