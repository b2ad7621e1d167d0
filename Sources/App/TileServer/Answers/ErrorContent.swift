import Bytes
import HTTPServer
import MapService

/// What stands in an error: a problem, but where an image was asked for.
///
/// A browser that loads an image from another origin hides an answer that is JSON, its status and all (Opaque Response
/// Blocking, Fetch 2.7). It says by `Sec-Fetch-Dest` that it loads one; the problem's code stands in `X-Problem` then.
enum ErrorContent: Sendable {
    case problem
    case nothing
    /// A picture that says status and code, in the size of a tile of the layer.
    case picture(ServedLayer, scale: Int)

    /// `layer` and `scale` of the tile that `request` is about, where it is about one.
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

    /// `reply`, whose errors have this content.
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

/// An answer without the problem that was its content.
private struct BareError: Sendable {
    let response: Response
    /// The problem's.
    let code: String

    /// Nil where the content of `response` is no problem.
    init?(_ response: Response) {
        guard response.status.isError else { return nil }
        let (fields, common) = (FieldText(response.fields), FieldText(response.common))
        guard let code = fields[OwnField.problem.rawValue] ?? common[OwnField.problem.rawValue] else { return nil }
        var bare = response
        // The tag is that of the problem's bytes.
        bare.fields = fields.without("Content-Type", "ETag")
        bare.common = common.without("Content-Type", "ETag")
        bare.body = .empty
        self.response = bare
        self.code = code
    }

    /// The answer with a picture that says status and code, as long as there is not too much to do.
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
    /// Of the classes 4xx and 5xx (RFC 9110 15).
    var isError: Bool {
        switch self {
        case .ok, .noContent, .notModified: false
        default: true
        }
    }
}

extension Reply {
    /// It is there, and no error: nothing is left to do for it.
    @inline(__always)
    var isSettled: Bool {
        if case .ready(let response) = self { !response.status.isError } else { false }
    }
}
