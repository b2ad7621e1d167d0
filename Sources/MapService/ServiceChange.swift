import MapGeometry

/// What `MapService` tells its observers.
package enum ServiceChange: Sendable {
    /// These layers and settings are served from now on.
    case served(MapService.Served)
    /// `extent` of the layer with the id was cleared here, or its source changed; or all of it by another server that shares
    /// a tier. `generation` is the layer's from now on. What maps make of its tiles went with them; maps have changes of
    /// their own.
    case cleared(layer: String, generation: UInt32, MapService.Extent)
}
