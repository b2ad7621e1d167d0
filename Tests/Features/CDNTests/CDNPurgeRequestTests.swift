import Testing

@testable import CDN

/// Tests for the purge requests to a CDN cache.
@Suite struct CDNPurgeRequestTests {
    private func request(_ change: (inout CDNSettings.Purge) -> Void) -> CDNPurgeRequest {
        var settings = CDNSettings.Purge()
        settings.url = "https://api.example.org/purge"
        change(&settings)
        return CDNPurgeRequest(["osm", "osm.012-"], settings)
    }

    @Test func replacesTagsPlaceholderInURLHeadersAndBody() {
        let varnish = request {
            $0.method = "PURGE"
            $0.headers = ["xkey-purge": "{tags}"]
        }
        #expect(varnish.headers == ["xkey-purge": "osm osm.012-"] && varnish.body.isEmpty && varnish.method == "PURGE")
        let cloudflare = request { $0.body = #"{"tags": {tags}}"# }
        #expect(cloudflare.body == #"{"tags": ["osm","osm.012-"]}"#)
        #expect(cloudflare.headers == ["Content-Type": "application/json"] && cloudflare.method == "POST")
        let quoted = request {
            $0.body = #"{"keys": "all of {tags}", "\"{tags}\"": {tags}}"#
            $0.headers = ["content-type": "application/vnd.x+json"]
        }
        #expect(quoted.body == #"{"keys": "all of osm osm.012-", "\"osm osm.012-\"": ["osm","osm.012-"]}"#)
        #expect(quoted.headers == ["content-type": "application/vnd.x+json"])
        let text = request { $0.body = #"purge "{tags}" {tags}"# }
        #expect(text.body == #"purge "osm osm.012-" osm osm.012-"# && text.headers.isEmpty)
        #expect(request { $0.url += "?keys={tags}" }.url == "https://api.example.org/purge?keys=osm%20osm.012-")
    }
}
