// What the properties of a configuration are made of, so that `import Configuration` is enough.
@_exported import struct Raster.RGBA
@_exported import struct Settings.AddressBlock
