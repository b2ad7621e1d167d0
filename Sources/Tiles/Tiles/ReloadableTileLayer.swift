/// A layer that draws from something it has read, and reads it again when `reload` is called.
///
/// Thread rule: as `TileLayer`.
public protocol ReloadableTileLayer: TileLayer {
    /// Reads again what the layer was made from, if that has changed: tiles that are asked for once
    /// this has returned show nothing older. Where it cannot be used, the layer stays as it is.
    ///
    /// Called before the layer's tiles are cleared.
    func reload() async
}
