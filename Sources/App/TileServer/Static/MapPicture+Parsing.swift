import MapService

/// Reads a picture from the command line, in the format of a URL.
extension MapPicture {
    /// Reads the description of an image.
    ///
    /// - Parameters:
    ///   - subject: the view, `lon,lat,zoom[@bearing[,tilt]]`, or a box, `west,south,east,north` in degrees. Nil: the
    ///     view with which the map begins.
    ///   - size: `{width}x{height}[@{scale}x]` in points.
    ///   - parameters: `padding`, `background`, `partial`, `attribution`, `marker` and `path`, each in the format of a
    ///     query.
    package init(parsing subject: String?, size: String, parameters: [String: [String]]) throws(TileServerError) {
        do throws(CameraRequestError) {
            let options = try StaticOptions(QueryParameters(parameters))
            let (imageSize, _) = try StaticPath.image(size + ".png")
            self.init(of: try subject.map(StaticPath.subject) ?? .start, size: imageSize)
            padding = options.padding
            background = options.background
            layers = options.layers
            showsAttribution = options.showsAttribution
            allowsPartial = options.allowsPartial
            for overlay in options.overlays {
                switch overlay {
                case .path(let path): paths.append(path)
                case .pin(let pin): markers.append(pin)
                // A query has no text of an attribution.
                case .attribution: break
                }
            }
        } catch {
            throw TileServerError(error)
        }
    }
}

extension MapPicture.Subject {
    /// Reads a subject. Errors name `parameter`.
    package init(parsing text: String, parameter: String) throws(TileServerError) {
        do throws(CameraRequestError) {
            self = try StaticPath.subject(text)
        } catch {
            throw .invalidPicture(parameter: parameter, reason: error.title)
        }
    }
}
