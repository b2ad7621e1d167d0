import Tiles

// What a program needs to write layers of its own, so that `import TileServer` is enough. Of modules that hold much else,
// only these names.
@_exported import class Bytes.SharedBytes
@_exported import Configuration
@_exported import struct Foundation.URL
@_exported import enum MapGeometry.AnimationCurve
@_exported import struct MapGeometry.Coordinate
@_exported import struct MapGeometry.GeographicBox
@_exported import enum MapGeometry.Mercator
@_exported import struct MapGeometry.TileCoordinate
@_exported import struct MapGeometry.WorldPoint
@_exported import enum MapService.TileServerError
@_exported import struct MapService.URLTileLayer
@_exported import Raster
@_exported import enum Tiles.SyncTile
@_exported import protocol Tiles.SyncTileLayer
@_exported import struct Tiles.Tile
@_exported import protocol Tiles.TileLayer
@_exported import enum Tiles.TileResult
@_exported import enum Tiles.Unavailability
