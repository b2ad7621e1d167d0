import HTTPClient
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for failures without an HTTP response, by the table in docs/spec/model.md 4.3.
@Suite struct URLAnswerTests {
    @Test(arguments: [
        (UpstreamError.timeout(.connect), Unavailability.timeout), (.timeout(.firstByte), .timeout),
        (.timeout(.total), .timeout), (.connect(.unresolved), .unreachable),
        (.connect(.failed(errno: 111)), .unreachable),
        (.tls(code: 60), .unreachable), (.redirect(.tooMany(limit: 2)), .unreachable),
        (.denied(address: "::1"), .unreachable), (.badHead(.notHTTP), .unreachable), (.short, .unreachable),
        (.tooLarge(.head, limit: 1), .unreachable), (.tooLarge(.body, limit: 1), .notAnImage),
        (.badEncoding, .notAnImage), (.badURL, .unreachable), (.other(code: 2), .unreachable),
        (.noMemory, .overloaded),
    ])
    func mapsFailureToReason(failure: UpstreamError, reason: Unavailability) {
        let answer = UpstreamAnswer(.failure(failure), .init(now: 0))
        #expect(answer.answer.result?.reason == reason)
        #expect(answer.event == .failure(failure))
        #expect(answer.pause == nil)
    }
}
