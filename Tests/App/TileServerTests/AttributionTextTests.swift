import Foundation
import Testing

@testable import MapService
@testable import TileServer

@Suite struct AttributionTextTests {
    @Test(arguments: [
        (
            "© <a href=\"https://www.openstreetmap.org/copyright\">OpenStreetMap</a> contributors",
            "© OpenStreetMap contributors"
        ),
        ("&copy; Mapbox &amp; Söhne", "© Mapbox & Söhne"), ("国土地理院", "国土地理院"),
        ("&#169;&#xA9;&#XA9; &eacute;&Oslash;&yuml;&szlig; &euro;&hellip;", "©©© éØÿß €…"),
        ("a < b > c, <3", "a < b > c, <3"), ("<!-- x -->a<br/>b<B>c</B>", "abc"), ("a <b", "a <b"),
        // Content of elements that a page does not show.
        ("a<script>alert('<b>')</script>b", "ab"), ("<STYLE type=x>*{}</Style >a", "a"), ("a<script>b", "a"),
        ("<title>a</title>b<template><i>c</i></template>d", "bd"), ("<!-- a > b -->c", "c"), ("a<!-- b", "a"),
        ("a<scripts>b</scripts>", "ab"), ("a<script", "a<script"), ("a<script>b</script", "a"),
        // References are decoded once. Text that is not a valid reference stays.
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        (
            "&nosuch; & &; &#; &#x; &#0; &#55296; &#99999999999; &#-5;",
            "&nosuch; & &; &#; &#x; &#0; &#55296; &#99999999999; &#-5;"
        ),
        ("  a\n\tb\u{1}c\u{85}d ", "a b c d"), ("Gl\u{306}o", "Gl\u{306}o"), ("a&nbsp;b", "a\u{A0}b"),
    ])
    func removesMarkup(text: String, plain: String) {
        #expect(AttributionText.plain([text]) == plain)
    }

    /// The attribution of an MBTiles file becomes plain text in a page, whatever markup it contains.
    @Test(arguments: [
        ("<a href=\"https://a.example\" onclick=\"x()\">A</a> & B", "A &amp; B"), ("<img src=x onerror=alert(1)>", nil),
        // These references would become markup if they were decoded.
        ("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;", "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"),
        ("&amp;lt;b&amp;gt;", "&amp;lt;b&amp;gt;"), ("<<script>b>img src=x>", "&lt;"), ("<img src=x ", "&lt;img src=x"),
        ("it's \"so\" <3", "it&#39;s &quot;so&quot; &lt;3"),
    ])
    func escapesMarkupForAPage(text: String, html: String?) {
        #expect(AttributionText.harmless(text) == html)
    }

    @Test func removesDuplicateAttributions() {
        #expect(AttributionText.plain(["<b>a</b>", "b", "a", ""]) == "a, b")
        #expect(AttributionText.plain(["", "<br>"]) == nil)
    }

    @Test func encodesCharactersForAHeaderField() {
        #expect(
            AttributionField.encoded("Az09-._~ /%\"é€😀\r\n") == "Az09-._~%20%2F%25%22%C3%A9%E2%82%AC%F0%9F%98%80%0D%0A")
    }

    /// A long text is cut between two characters, at the last place within the limit.
    @Test(arguments: [0, 1, 2, 3]) func cutsALongText(offset: Int) {
        let limit = AttributionField.longest
        let text = String(repeating: "a", count: offset) + String(repeating: "国", count: limit)
        let encoded = AttributionField.encoded(text)
        #expect(encoded.utf8.count <= limit && encoded.utf8.count > limit - 18)
        #expect(encoded.removingPercentEncoding?.last == "…")
        let fitting = String(repeating: "a", count: limit)
        #expect(
            AttributionField.encoded(fitting) == fitting && AttributionField.encoded(fitting + "a").hasSuffix("%A6"))
    }
}
