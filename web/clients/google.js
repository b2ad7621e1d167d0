// @ts-check
import { condition, notes, within } from "./apple.js";
import { lines } from "./ClientLayer.js";
import { inDart, inKotlin, inScript, inTemplate } from "./quoted.js";
import { isTurned, phoneSpan } from "./startView.js";

/** Google's maps in languages other than Swift and Objective-C, and libraries that wrap these maps. */
export const google = [
  {
    id: "google-flutter", name: "google_maps_flutter", language: "dart", phones: [],
    fails: () => "On iOS, this plugin has the limits of the Maps SDK for iOS. The overlay requests its tiles again only after it"
      + " gets another id or its cache is cleared. On Android, the map flickers when the cache is cleared.",
    snippet: flutter,
  },
  {
    id: "react-native-maps", name: "react-native-maps", language: "jsx", phones: ["iOS", "Android"],
    fails: () => "The component reads the URL template only when it is first rendered. If you change the template, also change"
      + " the component's `key`. With Google's map on iOS, `tileSize`, `maximumNativeZ` and the cache have no effect. Tiles"
      + " beyond `maximumZ` disappear, so the code does not set `maximumZ`.",
    snippet: reactNative,
  },
  {
    id: "google-android", name: "Maps SDK for Android (UrlTileProvider)", language: "kotlin", phones: ["Android"],
    fails: () => "The SDK requests a failed tile again, after longer and longer pauses. Only `null` tells the SDK that there is"
      + " no tile. The map flickers after `clearTileCache`.",
    snippet: android,
  },
  {
    id: "google-web", name: "Maps JavaScript API (ImageMapType)", language: "js",
    fails: () => "The map repeats the world, so `x` and `y` can be outside of the map. The code must wrap `x` and limit `y`, or"
      + " the requests are errors. `maxZoom` does not stop requests at deeper zooms.",
    snippet: web,
  },
];

function flutter(layer) {
  const { view } = layer;
  const turned = isTurned(view) ? ` bearing: ${view.bearing}, tilt: ${view.viewingAngle},` : "";
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
    "final map = GoogleMap(",
    "  initialCameraPosition: const CameraPosition(",
    `    target: LatLng(${view.latitude}, ${view.longitude}), zoom: ${view.zoom},${turned}`,
    "  ),",
    "  tileOverlays: {",
    "    TileOverlay(",
    `      tileOverlayId: const TileOverlayId('${layer.id}'),`,
    "      tileProvider: Tiles(),",
    `      tileSize: ${side},  // pixels, on iOS`,
    layer.opacity < 1 ? `      transparency: ${complement(layer.opacity)},` : null,
    layer.zIndex !== 0 ? `      zIndex: ${layer.zIndex},` : null,
    "    ),",
    "  },",
    ");",
  );
}

function reactNative(layer) {
  const { view } = layer;
  const span = phoneSpan(view);
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ ratio, empty: layer.phoneEmpty });
  return lines(
    'import { Platform } from "react-native";',
    'import MapView, { UrlTile } from "react-native-maps";',
    "",
    notes(layer),
    "export const Map = () => (",
    "  <MapView",
    "    style={{ flex: 1 }}",
    "    initialRegion={{",
    `      latitude: ${view.latitude}, longitude: ${view.longitude}, latitudeDelta: ${span.latitude}, longitudeDelta: ${span.longitude},`,
    "    }}",
    "  >",
    "    <UrlTile",
    `      urlTemplate={"${inScript(layer.base)}${path}"}`,
    // On iOS, Apple's map shows only a quarter of larger tiles, and Google's map ignores this value.
    `      tileSize={Platform.OS === "android" ? ${layer.tileSize * layer.phoneScale} : 256}`,
    layer.minZoom > 0 ? `      minimumZ={${layer.minZoom}}` : null,
    layer.opacity < 1 ? `      opacity={${layer.opacity}}` : null,
    layer.zIndex !== 0 ? `      zIndex={${layer.zIndex}}` : null,
    "    />",
    "  </MapView>",
    ");",
  );
}

function android(layer) {
  const { view } = layer;
  const target = `LatLng(${decimal(view.latitude)}, ${decimal(view.longitude)})`;
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ z: "$zoom", x: "$x", y: "$y", ratio, empty: layer.phoneEmpty });
  return lines(
    "import com.google.android.gms.maps.CameraUpdateFactory",
    isTurned(view) ? "import com.google.android.gms.maps.model.CameraPosition" : null,
    "import com.google.android.gms.maps.model.LatLng",
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
    `map.addTileOverlay(TileOverlayOptions().tileProvider(tiles)${layer.zIndex !== 0 ? `.zIndex(${layer.zIndex}f)` : ""}`
      + `${layer.opacity < 1 ? `.transparency(${complement(layer.opacity)}f)` : ""})`,
    isTurned(view)
      ? `map.moveCamera(CameraUpdateFactory.newCameraPosition(CameraPosition(${target}, ${view.zoom}f, ${view.viewingAngle}f, ${view.bearing}f)))`
      : `map.moveCamera(CameraUpdateFactory.newLatLngZoom(${target}, ${view.zoom}f))`,
  );
}

function web(layer) {
  const { view } = layer;
  const turned = isTurned(view) ? `, heading: ${view.bearing}, tilt: ${view.viewingAngle}` : "";
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
    `map.moveCamera({ center: { lat: ${view.latitude}, lng: ${view.longitude} }, zoom: ${view.zoom}${turned} });`,
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

/** Returns a number as a Double of Kotlin, which does not convert whole numbers by itself. */
export function decimal(number) {
  return Number.isInteger(number) ? `${number}.0` : String(number);
}
