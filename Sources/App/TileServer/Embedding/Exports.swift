import Tiles

// Names that a program with a server needs, so that `import TileServer` is enough.
@_exported import class Bytes.SharedBytes
@_exported import Configuration
@_exported import struct Foundation.URL
@_exported import MapGeometry
@_exported import struct MapRenderer.GroundPath
@_exported import struct MapRenderer.Pin
@_exported import struct MapService.CacheMetrics
@_exported import struct MapService.ClearedArea
@_exported import struct MapService.FailedTile
@_exported import struct MapService.ImageSize
@_exported import struct MapService.LayerChange
@_exported import struct MapService.MapPicture
@_exported import struct MapService.MemoryMetrics
@_exported import struct MapService.RenderedMapPicture
@_exported import enum MapService.TileExportError
@_exported import enum MapService.TileOutcome
@_exported import enum MapService.TileServerError
@_exported import struct MapService.TileServerEvent
@_exported import struct MapService.TileServerEvents
@_exported import struct MapService.TileServerExport
@_exported import struct MapService.URLTileLayer
@_exported import struct MapService.UpstreamMetrics
@_exported import struct MapService.WorkMetrics
@_exported import Raster
@_exported import struct Runtime.ProcessFigures
@_exported import Text
@_exported import struct TileCache.Durations
@_exported import enum TileCache.TileStage
@_exported import enum TileSources.UpstreamOutcome
@_exported import enum TileSources.UpstreamRefusal
@_exported import enum Tiles.SourceAnswer
@_exported import struct Tiles.SourceDescription
@_exported import struct Tiles.SourceTerms
@_exported import enum Tiles.SyncTile
@_exported import protocol Tiles.SyncTileLayer
@_exported import struct Tiles.Tile
@_exported import protocol Tiles.TileLayer
@_exported import enum Tiles.TileResult
@_exported import struct Tiles.TraceContext
@_exported import enum Tiles.Unavailability
@_exported import struct Tiles.Validators
