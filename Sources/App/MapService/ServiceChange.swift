/// What `MapService` tells its observers.
package enum ServiceChange: Sendable {
    /// These layers and settings are served from now on, which are others than before where `changes` says so. Nothing of a layer
    /// that changed is served as it was before.
    case served(MapService.Served, changes: [LayerChange])
    /// It was cleared here; or all of a layer by another server that shares a tier. Maps have changes of their own.
    case cleared(ClearedArea)
}
