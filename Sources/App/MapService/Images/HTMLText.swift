import Configuration

/// Converts HTML to plain text, as far as the attributions of layers need it.
enum HTMLText {
    /// Removes the HTML tags, the comments, and invisible elements such as scripts from `text`. A `<` that begins no
    /// tag, as in `a < b`, is not removed.
    static func untagged(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if scalar == "<", let end = endOfMarkup(rest) {
                rest = rest[end...]
            } else {
                result.append(scalar)
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// Elements whose content is not shown on a page.
    private static let unseen = ["script", "style", "template", "title"]

    /// Returns the index after the tag, comment or invisible element at the start of `text`. Nil if `text` starts with
    /// none of these. A comment or element without an end extends to the end of the text, as in a browser (HTML,
    /// 13.2.5).
    private static func endOfMarkup(_ text: Substring.UnicodeScalarView) -> String.Index? {
        let inner = text.dropFirst()
        if inner.starts(with: "!--".unicodeScalars) { return end(of: "-->", in: inner.dropFirst(3)) ?? text.endIndex }
        guard let first = inner.first, beginsTag(first), let close = inner.firstIndex(of: ">") else { return nil }
        let behind = text.index(after: close)
        let name = String(inner.prefix { $0.isASCII && $0.properties.isAlphabetic }).lowercased()
        guard unseen.contains(name) else { return behind }
        guard let endTag = end(of: "</" + name, in: text[behind...]) else { return text.endIndex }
        return text[endTag...].firstIndex(of: ">").map { text.index(after: $0) } ?? text.endIndex
    }

    /// Returns the index after the first `mark` in `text`, ignoring case. Nil if `text` does not contain `mark`.
    private static func end(of mark: String, in text: Substring.UnicodeScalarView) -> String.Index? {
        let wanted = Array(mark.unicodeScalars)
        var rest = text
        while !rest.isEmpty {
            if rest.starts(with: wanted, by: { $0.properties.lowercaseMapping == $1.properties.lowercaseMapping }) {
                return rest.index(rest.startIndex, offsetBy: wanted.count)
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Reports whether a `<` before this character begins a tag: a letter, or the sign of an end tag or a comment
    /// (HTML, 13.2.5.6).
    private static func beginsTag(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ["/", "!", "?"].contains(scalar)
    }

    /// Replaces character references such as `&amp;` and `&#38;` in `text` by their characters. Knows the names of
    /// Latin 1 and of common punctuation marks and symbols. Unknown references are not changed.
    static func decoded(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            rest = rest.dropFirst()
            // No name is longer than ten characters with the semicolon.
            if scalar == "&", let end = rest.prefix(10).firstIndex(of: ";"), let found = reference(rest[..<end]) {
                result.append(found)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func reference(_ name: Substring.UnicodeScalarView) -> Unicode.Scalar? {
        guard name.first == "#" else { return names[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = Substring(isHexadecimal ? digits.dropFirst() : digits)
        guard number.utf8.first != UInt8(ascii: "+"), number.utf8.first != UInt8(ascii: "-"),
            let code = UInt32(number, radix: isHexadecimal ? 16 : 10), code >= 0x20
        else { return nil }
        return Unicode.Scalar(code)
    }

    private static let names: [String: Unicode.Scalar] = {
        var names: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "ndash": "–", "mdash": "—", "lsquo": "‘",
            "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "lsaquo": "‹", "rsaquo": "›",
            "hellip": "…", "bull": "•", "trade": "™", "euro": "€", "OElig": "Œ", "oelig": "œ", "Scaron": "Š",
            "scaron": "š", "Yuml": "Ÿ", "minus": "−", "dagger": "†", "prime": "′", "Prime": "″", "ensp": "\u{2002}",
            "emsp": "\u{2003}", "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "lrm": "\u{200E}",
            "rlm": "\u{200F}",
        ]
        for (index, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
            names[String(name)] = Unicode.Scalar(UInt8(truncatingIfNeeded: 0xA0 + index))
        }
        return names
    }()

    /// The names of U+00A0 to U+00FF, in order (HTML 4.01, 24.2.1).
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
        deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
        Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
        ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
        agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
        eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
        """
}
