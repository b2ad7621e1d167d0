/// Describes layers as XYZ connections for QGIS. A user loads the file in the browser panel of QGIS (XYZ Tiles, Load
/// Connections…).
enum QGISDocument {
    /// Returns the content of the file. The default scale is 1. The default response for a missing tile is 404.
    static func xml(_ layers: [LayerDescription], base: String, _ options: DocumentOptions) -> String {
        var document = XMLText()
        document.add("qgsXYZTilesConnections", ["version": "1.0"]) { root in
            for layer in layers {
                var options = options
                options.empty = options.empty ?? .notFound
                options.scale = layer.scale(atMost: options.scale ?? 1)
                root.add(
                    "xyztiles",
                    [
                        "name": name(layer), "url": layer.tileURL(base: base, options),
                        "zmin": "\(layer.zooms.lowerBound)", "zmax": "\(layer.zooms.upperBound)",
                        "tilePixelRatio": "\(ratio(layer.pixels * (options.scale ?? 1)))",
                        "authcfg": "", "username": "", "password": "", "referer": "",
                    ])
            }
        }
        return document.text
    }

    /// Returns a unique name, because QGIS has only one connection for each name. A slash in the name would create a
    /// folder.
    private static func name(_ layer: LayerDescription) -> String {
        let name = String(layer.name.map { $0 == "/" || $0 == "\\" ? " " : $0 })
        return name == layer.id ? name : "\(name) (\(layer.id))"
    }

    /// Returns the pixel ratio of a tile for QGIS: 1 for 256 pixels, 2 for 512, and 0 if QGIS must find out the size.
    private static func ratio(_ side: Int) -> Int {
        switch side {
        case 256: 1
        case 512: 2
        default: 0
        }
    }
}
