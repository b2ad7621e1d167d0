extension StrokeFont {
    /// Letters beyond ASCII that are not one of ASCII with a mark, as in `outlines`.
    static let letters: [(character: Character, width: Double, path: String)] = [
        ("ß", 3.6, "M0 7V1.8Q0 0 1.6 0Q3 0 3 1.6Q3 2.9 1.7 3.1Q3.6 3.4 3.6 5.1Q3.6 7 1.4 6.9"),
        (
            "æ", 6.2,
            "M.3 3Q.7 2.2 1.6 2.2Q3.1 2.2 3.1 3.8V5.6Q2.6 7 1.4 7Q0 7 0 5.7Q0 4.5 1.5 4.5H6.2Q6.2 2.2 4.6 2.2Q3.1 2.2 3.1 4.6Q3.1 7 4.8 7Q5.7 7 6.1 6"
        ),
        ("Æ", 6.6, "M0 7L3.2 0H6.6M3.4 0V7H6.6M1.2 4.6H3.4M3.4 3.4H6.2"),
        (
            "œ", 6.4,
            "M3.2 4.6Q3.2 2.2 1.7 2.2Q0 2.2 0 4.6Q0 7 1.7 7Q3.2 7 3.2 4.6H6.4Q6.4 2.2 4.8 2.2Q3.2 2.2 3.2 4.6Q3.2 7 4.9 7Q5.8 7 6.2 6"
        ),
        ("Œ", 6.8, "M6.8 0H2.6Q0 0 0 3.5Q0 7 2.6 7H6.8M3.4 0V7M3.4 3.4H6.4"),
        ("ø", 3.8, "M1.9 2.2Q0 2.2 0 4.6Q0 7 1.9 7Q3.8 7 3.8 4.6Q3.8 2.2 1.9 2.2M.2 7.5L3.6 1.7"),
        ("Ø", 5.2, "M2.6 0Q0 0 0 3.5Q0 7 2.6 7Q5.2 7 5.2 3.5Q5.2 0 2.6 0M.5 7.6L4.7 -.6"),
        ("đ", 3.6, "M3.6 0V7M3.6 4.6Q3.6 2.2 1.8 2.2Q0 2.2 0 4.6Q0 7 1.8 7Q3.6 7 3.6 4.6M2 .9H4.4"),
        ("Đ", 4.8, "M0 0V7H2Q4.8 7 4.8 3.5Q4.8 0 2 0H0M-.8 3.4H2"),
        ("Ð", 4.8, "M0 0V7H2Q4.8 7 4.8 3.5Q4.8 0 2 0H0M-.8 3.4H2"),
        ("ð", 3.8, "M1.9 2.6Q0 2.6 0 4.8Q0 7 1.9 7Q3.8 7 3.8 4.6Q3.8 1.8 1 .2M.9 1.7L3 .3"),
        ("þ", 3.6, "M0 0V9.2M0 4.6Q0 2.2 1.8 2.2Q3.6 2.2 3.6 4.6Q3.6 7 1.8 7Q0 7 0 4.6"),
        ("Þ", 4.4, "M0 0V7M0 1.4H2.4Q4.4 1.4 4.4 3.2Q4.4 5.2 2.4 5.2H0"),
        ("ł", 1.2, "M0 0V5.8Q0 7 1.2 6.9M-1 4L1 2.7"),
        ("Ł", 3.8, "M0 0V7H3.8M-.9 4.4L1.8 2.6"),
        ("ı", 0, "M0 2.3V7"),
        ("’", 0.5, "M.5 0L0 1.6"),
        ("‘", 0.5, "M.5 0L0 1.6"),
        ("–", 3.6, "M0 4.2H3.6"),
        ("—", 6, "M0 4.2H6"),
        ("·", 0, "M0 3.9V4.1"),
        (
            "©", 7,
            "M3.5 0Q0 0 0 3.5Q0 7 3.5 7Q7 7 7 3.5Q7 0 3.5 0M4.9 2.4Q4.5 1.8 3.6 1.8Q2 1.8 2 3.5Q2 5.2 3.6 5.2Q4.5 5.2 4.9 4.6"
        ),
    ]

    /// A sign above or below letters.
    struct Mark {
        /// Its strokes around x = 0, as in `outlines`; above small letters where it stands above.
        let path: String
        let isAbove: Bool
        /// The letters that have it, and the same without.
        let characters: String
        let bases: String
    }

    static let marks: [Mark] = [
        above("M-.4 1.2L.6 -.1", "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹź", "AEIOUYaeiouyCcLlNnRrSsZz"),
        above("M-.6 -.1L.4 1.2", "ÀÈÌÒÙàèìòù", "AEIOUaeiou"),
        above("M-1 1.2L0 0L1 1.2", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷ", "AEIOUaeiouCcGgHhJjSsWwYy"),
        above("M-1 0L0 1.2L1 0", "ČčĎďĚěŇňŘřŠšŤťŽž", "CcDdEeNnRrSsTtZz"),
        above("M-1.2 1Q-.7 .1 0 .6Q.7 1.1 1.2 .2", "ÃÑÕãñõĨĩŨũ", "ANOanoIiUu"),
        above("M-.9 .5V.6M.9 .5V.6", "ÄËÏÖÜŸäëïöüÿ", "AEIOUYaeiouy"),
        above("M0 -.4Q-.8 -.4 -.8 .4Q-.8 1.2 0 1.2Q.8 1.2 .8 .4Q.8 -.4 0 -.4", "ÅåŮů", "AaUu"),
        above("M-1.1 .6H1.1", "ĀāĒēĪīŌōŪū", "AaEeIiOoUu"),
        above("M-1 0Q-.9 1.2 0 1.2Q.9 1.2 1 0", "ĂăĔĕĞğĬĭŎŏŬŭ", "AaEeGgIiOoUu"),
        above("M0 .5V.6", "ĊċĖėĠġİŻż", "CcEeGgIZz"),
        above("M-.9 1.2L-.1 0M.3 1.2L1.1 0", "ŐőŰű", "OoUu"),
        below("M.1 7L-.2 7.9Q.6 7.9 .6 8.6Q.6 9.4 -.6 9.2", "ÇçŞşŢţ", "CcSsTt"),
        below("M.3 8.2L-.2 9.5", "ȘșȚțĢĶķĻļŅņŖŗ", "SsTtGKkLlNnRr"),
        below("M.9 7Q-.1 8 .4 8.8Q.7 9.2 1.2 8.9", "ĄąĘęĮįŲų", "AaEeIiUu"),
    ]

    private static func above(_ path: String, _ characters: String, _ bases: String) -> Mark {
        Mark(path: path, isAbove: true, characters: characters, bases: bases)
    }

    private static func below(_ path: String, _ characters: String, _ bases: String) -> Mark {
        Mark(path: path, isAbove: false, characters: characters, bases: bases)
    }
}

extension StrokeFont.Glyph {
    /// The letter `base` with `mark` in its middle.
    init(_ base: Self, _ letter: Character, with mark: StrokeFont.Mark) {
        // A mark takes the place of the dot.
        let isDotted = mark.isAbove && (letter == "i" || letter == "j")
        let isTall = letter.isUppercase || "bdfhklt".contains(letter)
        let rise = mark.isAbove && isTall ? -2.2 : 0
        let middle = letter == "j" ? base.width : base.width / 2
        let strokes = StrokeFont.strokes(of: mark.path).map { stroke in
            stroke.map { Point(x: $0.x + middle, y: $0.y + rise) }
        }
        self.init(width: base.width, strokes: (isDotted ? base.strokes.dropLast() : base.strokes) + strokes)
    }
}
