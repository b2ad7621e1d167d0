import Bytes
import HTTPServer
import MapService

/// Decides the content of an error response. Usually the content is a problem in JSON. If a browser requests an image,
/// as `Sec-Fetch-Dest` tells, the content is empty or a picture. The code of the problem is in `X-Problem`.
///
/// The reason is Opaque Response Blocking of browsers. If a page loads an image from another origin and gets JSON, the
/// browser hides the whole response and its status.
enum ErrorContent: Sendable {
    case problem
    case nothing
    /// A picture that shows the status and the code, in the size of a tile of the layer.
    case picture(ServedLayer, scale: Int)

    /// Selects the content for `request`. `layer` and `scale` belong to the requested tile, if there is one.
    init(_ request: Request, _ layer: ServedLayer? = nil, scale: Int = 1) {
        guard request.field("sec-fetch-dest")?.equals("image") ?? false else {
            self = .problem
            return
        }
        guard let layer, layer.settings.errors == .picture else {
            self = .nothing
            return
        }
        self = .picture(layer, scale: layer.scales.contains(scale) ? scale : layer.scales.lowerBound)
    }

    /// Returns `reply` with this content in each error that has a problem.
    func applied(to reply: Reply) -> Reply {
        switch self {
        case .problem: reply
        case .nothing: reply.mapped { BareError($0)?.response ?? $0 }
        case .picture(let layer, let scale):
            reply.continued { response in
                guard let error = BareError(response) else { return nil }
                return { await error.picture(layer, scale: scale) }
            }
        }
    }
}

/// An error response from which the problem in JSON was removed.
private struct BareError: Sendable {
    let response: Response
    /// The code of the problem.
    let code: String

    /// Makes a copy of `response` without its content, `Content-Type` and `ETag`. Returns nil if the response is not an
    /// error, or has no `X-Problem` field.
    init?(_ response: Response) {
        guard response.status.isError else { return nil }
        let (fields, common) = (FieldText(response.fields), FieldText(response.common))
        guard let code = fields[OwnField.problem.rawValue] ?? common[OwnField.problem.rawValue] else { return nil }
        var bare = response
        // The entity tag belongs to the removed content.
        bare.fields = fields.without("Content-Type", "ETag")
        bare.common = common.without("Content-Type", "ETag")
        bare.body = .empty
        self.response = bare
        self.code = code
    }

    /// Returns the response with a picture that shows the status and the code. Returns the response without content if
    /// the picture cannot be drawn now, for example because the work queue is full.
    func picture(_ layer: ServedLayer, scale: Int) async -> Response {
        guard let tile = await layer.errorPicture(response.status.rawValue, code, scale: scale) else { return response }
        var response = response
        let type = FieldLines.make([("Content-Type", tile.format.mediaType)])
        response.fields = SharedBytes(response.fields.array + type.array)
        response.body = tile.bytes
        return response
    }
}

extension Status {
    /// True for 4xx and 5xx (RFC 9110 15).
    var isError: Bool { rawValue >= 400 }
}

extension Reply {
    /// True if the response is ready, and `Status.isError` is false.
    @inline(__always)
    var isSettled: Bool {
        if case .ready(let response) = self { !response.status.isError } else { false }
    }
}
