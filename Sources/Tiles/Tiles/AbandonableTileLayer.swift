/// A layer whose tiles may take so long that it looks now and then whether anybody still waits.
package protocol AbandonableTileLayer: SyncTileLayer {
    /// As `tile(x:y:zoom:scale:)`; nil where `isWanted` said no before the tile was done.
    func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) throws -> SyncTile?
}
