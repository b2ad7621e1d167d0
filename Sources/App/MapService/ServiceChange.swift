/// A change that `MapService` reports to its observers.
package enum ServiceChange: Sendable {
    /// The service has a new configuration. `changes` lists the layers and maps that differ from before.
    case served(MapService.Served, changes: [LayerChange])
    /// Tiles of the area were cleared by this server. Another server that shares a tier can also have cleared a whole
    /// layer. Each affected map is reported separately, unless all layers and maps are cleared together.
    case cleared(ClearedArea)
}
