// Exports the types of a configuration's properties, so that `import Configuration` is enough.
@_exported import struct CDN.CDNSettings
@_exported import struct Fleet.FleetSettings
@_exported import struct Fleet.FleetTileSettings
@_exported import Generators
@_exported import struct HTTPLimits.ServerLimits
@_exported import struct MapGeometry.GeographicBox
@_exported import struct MapGeometry.TargetBounds
@_exported import enum MapGeometry.TileZoomRule
@_exported import struct MapGeometry.ViewingAngleLimit
@_exported import enum Raster.BlendMode
@_exported import struct Raster.PNGOptions
@_exported import struct Raster.RGBA
@_exported import struct Keys.AddressBlock
@_exported import struct Keys.ListenAddress
@_exported import struct Keys.RedisURL
@_exported import struct TLS.CertificateFiles
@_exported import struct TileCache.DiskSettings
@_exported import struct TileSources.GeoJSONSource
@_exported import struct TileSources.MBTilesSource
@_exported import struct TileSources.PMTilesSource
@_exported import struct TileSources.URLSource
