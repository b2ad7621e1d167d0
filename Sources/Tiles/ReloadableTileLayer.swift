/// A layer that draws from something it has read, and reads it again when `reload` is called.
///
/// Thread rule: as `TileLayer`.
public protocol ReloadableTileLayer: TileLayer {
    /// Looks whether what the layer was made from has changed, and takes the change over: tiles that are asked for once
    /// this has returned show nothing older. What is of no use leaves the layer as it is.
    ///
    /// Called before the layer's tiles are cleared.
    func reload() async
}
