import TileCache

/// What a program asked of a `TileServer` and cannot have.
public enum TileServerError: Error, Hashable, Sendable {
    /// No name that can stand in a URL: 1…64 of `a-z`, `0-9`, `_` and `-`, the first of them a letter or a digit.
    case invalidID(String)
    /// A name that routes of the server need, see `LayerSettings.reservedIDs`.
    case reservedID(String)
    /// There is a layer or map of this name already.
    case duplicateID(String)
    /// There is no layer or map of this name.
    case unknownLayer(String)
    /// There is no layer of this name, which the map draws; a map draws no maps.
    case unknownLayerInMap(String, map: String)
    /// The layer cannot go as long as these maps draw it.
    case layerInUse(String, maps: [String])
    /// A value is out of its range.
    case invalidValue(layer: String, property: String, expected: String, found: String)
    /// The layer cannot be made of what it is described by, such as a URL template or a file.
    case layerNotMade(String, reason: String)
    /// More than 16,000 layers and maps at a time.
    case tooManyLayers
    /// More than 100,000 tiles at a time.
    case tooManyTiles
    /// No tile of the map: zooms are 0…30, x and y from 0 to 2^zoom - 1.
    case invalidCoordinate(x: Int, y: Int, zoom: Int)
    /// The layer has no tiles with so many pixels per point.
    case invalidScale(Int, layer: String)
    /// No image can be drawn as `parameter` says; it has the name that it has in a URL, `to` for the end of a flight.
    case invalidPicture(parameter: String, reason: String)
    /// The image of the map could not be drawn, for lack of tiles or time.
    case noPicture(String, reason: String)
    /// The address is not this machine's, or the port is taken.
    case cannotListen(host: String, port: Int, reason: String)
    /// The system, or a file that the server needs, refuses.
    case cannotStart(reason: String)
    /// The server was stopped.
    case stopped
}

extension TileServerError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .invalidID(let id):
            "\"\(id)\" is no valid layer name: expected 1 to 64 characters from a-z, 0-9, _ and -, with a "
                + "letter or a digit first"
        case .reservedID(let id): "the name \(id) is reserved for the server; choose another name"
        case .duplicateID(let id): "the name \(id) is already used by a layer or map"
        case .unknownLayer(let id): "no layer or map is named \"\(id)\""
        case .unknownLayerInMap(let id, let map): "the map \(map) draws \"\(id)\", but no layer has this name"
        case .layerInUse(let id, let maps): "the layer \(id) is part of the map \(maps.joined(separator: " and "))"
        case .invalidValue(let layer, let property, let expected, let found):
            "layer \(layer): expected \(property) to be \(expected), found \(found)"
        case .layerNotMade(let id, let reason): "layer \(id): \(reason)"
        case .tooManyLayers: "more than \(MapService.mostLayers) layers and maps"
        case .tooManyTiles: "more than \(TileSet.mostTiles) tiles"
        case .invalidCoordinate(let x, let y, let zoom):
            "expected a zoom in 0…30 and x and y below 2^zoom, found zoom \(zoom), x \(x), y \(y)"
        case .invalidScale(let scale, let layer): "layer \(layer) has no tiles of \(scale) pixels per point"
        case .invalidPicture(let parameter, let reason): "\(parameter): \(reason)"
        case .noPicture(let id, let reason): "no image of \(id): \(reason)"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .cannotStart(let reason): reason
        case .stopped: "the server was stopped"
        }
    }

    /// What is wrong with the description of an image.
    package init(_ fault: CameraRequestError) {
        self = .invalidPicture(parameter: fault.field, reason: fault.title)
    }

    /// `error` in these terms.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as TileServerError: error
            case let fault as LayerFactory.LayerError: .layerNotMade(fault.layer, reason: fault.reason)
            default: .cannotStart(reason: "\(error)")
            }
    }
}
