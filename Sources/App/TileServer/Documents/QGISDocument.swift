/// Layers as a file of XYZ connections, which QGIS loads in its browser (XYZ Tiles, Load Connections…).
enum QGISDocument {
    /// Without a scale tiles have theirs of scale 1, without `empty` 404 stands for no tile.
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

    /// Unique, since QGIS has one connection of a name, and without a slash, which would make it a folder.
    private static func name(_ layer: LayerDescription) -> String {
        let name = String(layer.name.map { $0 == "/" || $0 == "\\" ? " " : $0 })
        return name == layer.id ? name : "\(name) (\(layer.id))"
    }

    /// What QGIS calls the pixels of a tile: 1 for 256, 2 for 512, 0 for what it is to find out.
    private static func ratio(_ side: Int) -> Int {
        switch side {
        case 256: 1
        case 512: 2
        default: 0
        }
    }
}
