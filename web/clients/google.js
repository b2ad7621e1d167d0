// @ts-check
import { condition, notes, within } from "./apple.js";
import { lines } from "./ClientLayer.js";
import { inDart, inKotlin, inScript, inTemplate } from "./quoted.js";

/** Google's maps in languages other than Swift and Objective-C, and libraries that wrap these maps. */
export const google = [
  {
    id: "google-flutter", name: "google_maps_flutter", language: "dart",
    fails: "On iOS, this plugin has the limits of the Maps SDK for iOS. The overlay requests its tiles again only after it"
      + " gets another id or its cache is cleared. On Android, the map flickers when the cache is cleared.",
    snippet: flutter,
  },
  {
    id: "react-native-maps", name: "react-native-maps", language: "jsx",
    fails: "The component reads the URL template only when it is first rendered. If you change the template, also change"
      + " the component's `key`. With Google's map on iOS, `tileSize`, `maximumNativeZ` and the cache have no effect. Tiles"
      + " beyond `maximumZ` disappear, so the code does not set `maximumZ`.",
    snippet: reactNative,
  },
  {
    id: "google-android", name: "Maps SDK for Android (UrlTileProvider)", language: "kotlin",
    fails: "The SDK requests a failed tile again, after longer and longer pauses. Only `null` tells the SDK that there is"
      + " no tile. Tiles of 256 pixels look blurred on dense screens. The map flickers after `clearTileCache`. Android"
      + " blocks `http` URLs unless the app allows them.",
    snippet: android,
  },
  {
    id: "google-web", name: "Maps JavaScript API (ImageMapType)", language: "js",
    fails: "The map repeats the world, so `x` and `y` can be outside of the map. The code must wrap `x` and limit `y`, or"
      + " the requests are errors. `maxZoom` does not stop requests at deeper zooms.",
    snippet: web,
  },
];

function flutter(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ z: "$zoom", x: "$x", y: "$y", ratio, empty: layer.phoneEmpty });
  return lines(
    "import 'package:google_maps_flutter/google_maps_flutter.dart';",
    "import 'package:http/http.dart' as http;",
    "",
    notes(layer),
    "class Tiles implements TileProvider {",
    "  @override",
    "  Future<Tile> getTile(int x, int y, int? zoom) async {",
    "    if (zoom == null) return TileProvider.noTile;",
    layer.edges ? "    final span = 1 << zoom;" : null,
    condition(within(layer), { begin: "    if (!(", between: " &&", end: ")) return TileProvider.noTile;" }),
    `    final url = Uri.parse('${inDart(layer.base)}${path}');`,
    "    final answer = await http.get(url, headers: {'User-Agent': 'my-app/1.0'});",
    `    return answer.statusCode == 200 ? Tile(${side}, ${side}, answer.bodyBytes) : TileProvider.noTile;`,
    "  }",
    "}",
    "",
    "// In GoogleMap(tileOverlays: {…}):",
    `final overlay = TileOverlay(`,
    `  tileOverlayId: const TileOverlayId('${layer.id}'),`,
    "  tileProvider: Tiles(),",
    `  tileSize: ${side},  // pixels, on iOS`,
    layer.opacity < 1 ? `  transparency: ${complement(layer.opacity)},` : null,
    `  zIndex: ${layer.zIndex},`,
    ");",
  );
}

function reactNative(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ ratio, empty: layer.phoneEmpty });
  return lines(
    'import { Platform } from "react-native";',
    'import MapView, { UrlTile } from "react-native-maps";',
    "",
    notes(layer),
    "export const Map = () => (",
    "  <MapView style={{ flex: 1 }}>",
    "    <UrlTile",
    `      urlTemplate={"${inScript(layer.base)}${path}"}`,
    // On iOS, Apple's map shows only a quarter of larger tiles, and Google's map ignores this value.
    `      tileSize={Platform.OS === "android" ? ${layer.tileSize * layer.phoneScale} : 256}`,
    layer.minZoom > 0 ? `      minimumZ={${layer.minZoom}}` : null,
    layer.opacity < 1 ? `      opacity={${layer.opacity}}` : null,
    `      zIndex={${layer.zIndex}}`,
    "    />",
    "  </MapView>",
    ");",
  );
}

function android(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ z: "$zoom", x: "$x", y: "$y", ratio, empty: layer.phoneEmpty });
  return lines(
    "import com.google.android.gms.maps.model.TileOverlayOptions",
    "import com.google.android.gms.maps.model.UrlTileProvider",
    "import java.net.URL",
    "",
    notes(layer, { isApple: false }),
    `val tiles = object : UrlTileProvider(${side}, ${side}) {`,
    "    override fun getTileUrl(x: Int, y: Int, zoom: Int): URL? {",
    layer.edges ? "        val span = 1 shl zoom" : null,
    condition(within(layer), { begin: "        if (!(", between: " &&", end: ")) return null" }),
    `        return URL("${inKotlin(layer.base)}${path}")`,
    "    }",
    "}",
    `map.addTileOverlay(TileOverlayOptions().tileProvider(tiles).zIndex(${layer.zIndex}f)`
      + `${layer.opacity < 1 ? `.transparency(${complement(layer.opacity)}f)` : ""})`,
  );
}

function web(layer) {
  const path = layer.path({ z: "${zoom}", x: "${column}", y: "${y}", ratio: layer.phoneScale === 2 ? "${ratio}" : "", empty: layer.phoneEmpty });
  return lines(
    "const tiles = new google.maps.ImageMapType({",
    `  name: "${inScript(layer.name)}",`,
    "  tileSize: new google.maps.Size(256, 256),  // in points, not pixels of the image",
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    "  getTileUrl({ x, y }, zoom) {",
    "    const span = 2 ** zoom;",
    "    const column = ((x % span) + span) % span;  // the world repeats",
    condition(["y >= 0 && y < span", ...within(layer, { name: "column" })], { begin: "    if (!(", between: " &&", end: ")) return null;" }),
    layer.phoneScale === 2 ? '    const ratio = window.devicePixelRatio > 1 ? "@2x" : "";' : null,
    `    return \`${inTemplate(layer.base)}${path}\`;`,
    "  },",
    "});",
    "map.overlayMapTypes.push(tiles);",
    layer.attribution.html
      ? [
        "",
        'const attribution = document.createElement("div");',
        `attribution.innerHTML = "${inScript(layer.attribution.html)}";`,
        "map.controls[google.maps.ControlPosition.BOTTOM_RIGHT].push(attribution);",
      ] : null,
  );
}

function complement(opacity) {
  return Number((1 - opacity).toFixed(6));
}
