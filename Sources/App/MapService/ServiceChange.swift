/// A change that `MapService` reports to its observers.
package enum ServiceChange: Sendable {
    /// The service has a new configuration. `changes` lists the layers that differ from before. When all observers have
    /// returned, no new request uses the old version of a changed layer.
    case served(MapService.Served, changes: [LayerChange])
    /// Tiles of the area were cleared by this server. Another server that shares a tier can also have cleared a whole
    /// layer. Each affected map is reported separately.
    case cleared(ClearedArea)
}
