import Configuration

/// The little of HTML that attributions are written in.
enum HTMLText {
    /// `text` without tags and comments. A `<` that begins none, as in `a < b`, stands for itself.
    static func untagged(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if scalar == "<", let second = rest.dropFirst().first, beginsTag(second), let end = rest.firstIndex(of: ">")
            {
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(scalar)
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// A letter, or the sign of an end tag or a comment (HTML, 13.2.5.6).
    private static func beginsTag(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ["/", "!", "?"].contains(scalar)
    }

    /// `text` with its character references replaced: numeric ones, and the names of HTML 4. What is none stays.
    static func decoded(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            rest = rest.dropFirst()
            // No name is longer.
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

    /// From U+00A0 to U+00FF, in order (HTML 4.01, 24.2.1).
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
        deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
        Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
        ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
        agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
        eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
        """
}
