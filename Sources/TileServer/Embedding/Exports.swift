// What a program needs to write layers of its own, so that `import TileServer` is enough. Of modules that hold much else,
// only these names.
@_exported import class Bytes.SharedBytes
@_exported import Configuration
@_exported import struct Foundation.URL
@_exported import MapGeometry
@_exported import struct MapRenderer.GroundPath
@_exported import struct MapRenderer.Pin
@_exported import Raster
@_exported import enum TileLayers.SyncTile
@_exported import protocol TileLayers.SyncTileLayer
@_exported import struct TileLayers.Tile
@_exported import protocol TileLayers.TileLayer
@_exported import enum TileLayers.TileResult
@_exported import enum TileLayers.Unavailability
