import Bytes
import HTTPServer
import TileCache

/// An answer that clients keep and ask about before each use, with and without its content.
struct Document: Sendable {
    private let etag: SharedBytes
    private let whole: Response
    private let unchanged: Response

    /// `fields` describe `body`; the entity tag is made here.
    init(_ body: SharedBytes, fields: [(name: String, value: String)]) {
        let etag = ContentHash(of: body).entityTag
        self.etag = SharedBytes(etag)
        whole = Response(
            .ok, fields: FieldLines.make([("ETag", etag)] + fields), common: CommonFields.open,
            caching: Caching(.noCache), body: body)
        var unchanged = whole
        (unchanged.status, unchanged.body) = (.notModified, .empty)
        self.unchanged = unchanged
    }

    /// Bytes of the content.
    var size: Int { whole.body.count }

    /// The content, unless the client has it already.
    func answer(to request: Request) -> Response {
        Conditions(request.fields).isUnchanged(etag: etag.buffer, lastModified: nil) ? unchanged : whole
    }
}
