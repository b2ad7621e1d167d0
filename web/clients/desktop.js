// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { inMarkup, inPython, inShell } from "./quoted.js";

/** Desktop programs, and programs without a map. */
export const desktop = [
  {
    id: "qgis", name: "QGIS", language: "python", runs: "the Python of QGIS 3.22, which draws the layer",
    fails: (layer) => sentences(
      layer.phoneScale === 2
        ? "Without `tilePixelRatio`, QGIS draws `@2x` tiles (two pixels a point) at half their zoom. Tiles with one pixel a point"
          + " look blurred on a dense screen." : null,
      "After a 404, QGIS draws nothing, which is right for a missing tile."),
    snippet: qgis,
  },
  {
    id: "arcgis", name: "ArcGIS Pro, ArcGIS Online", language: "text",
    fails: () => "ArcGIS reads the WMTS service by URLs with key-value pairs. ArcGIS Online requires `https`, and assumes tiles"
      + " of 256 points.",
    snippet: arcGIS,
  },
  {
    id: "gdal", name: "GDAL", language: "sh", runs: "GDAL 3.6, and compares GDAL's image with the tile",
    fails: () => "A missing tile ends the program, unless `ZeroBlockHttpCodes` contains the status of the response. GDAL then"
      + " treats the tile as empty. Old versions cannot read an empty PNG, so the code requests a 404 for missing tiles."
      + " `YOrigin` is `top`, because rows count from the north, although the service is called TMS.",
    snippet: gdal,
  },
  {
    id: "curl", name: "curl", language: "sh", runs: "curl, which fetches the tile",
    fails: () => "curl treats `{` and `[` in a URL as ranges, so the code has plain numbers. A missing tile is a 404. With"
      + " `--fail-with-body`, curl then fails, but still saves the JSON that names the reason.",
    snippet: curl,
  },
];

function qgis(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const pixels = Math.round((layer.tileSize * layer.phoneScale) / 256);
  const path = layer.path({ ratio, empty: "404" });
  return lines(
    "# By hand: Layer, Add Layer, Add XYZ Layer, New, with this URL, Min. and Max. Zoom Level, and Tile Resolution",
    `# ${pixels >= 2 ? "High (512x512 / 192 DPI)" : "Standard (256x256 / 96 DPI)"}. In the Python console:`,
    "from urllib.parse import quote",
    "",
    `url = "${inPython(layer.base)}${path}"`,
    `source = f"type=xyz&url={quote(url, safe='')}&zmin=${layer.minZoom}&zmax=${layer.maxZoom}${pixels >= 2 ? `&tilePixelRatio=${pixels}` : ""}"`,
    `layer = QgsRasterLayer(source, "${inPython(layer.name)}", "wms")`,
    layer.attribution.text ? `layer.setAttribution("${inPython(layer.attribution.text)}")` : null,
    layer.opacity < 1 ? `layer.setOpacity(${layer.opacity})` : null,
    "QgsProject.instance().addMapLayer(layer)",
  );
}

function arcGIS(layer) {
  const path = layer.path({ z: "{level}", y: "{row}", x: "{col}", empty: "transparent" });
  return lines(
    "ArcGIS Pro, Insert, Connections, Server, New WMTS Server:",
    `${layer.base}/wmts`,
    `Then add the layer ${layer.id}. Or choose Map, Add Data, Data From Path, and add a tile layer:`,
    `${layer.base}${path}`,
    "",
    "ArcGIS Online, Map Viewer, Add layer from URL, Tile layer: the same address.",
    layer.attribution.text ? `Credits: ${layer.attribution.text}` : null,
  );
}

/** Half the side of the world's square, in metres. */
const half = 20037508.342789244;

function gdal(layer) {
  const { west, south, east, north } = layer.box;
  const path = layer.path({ z: "${z}", x: "${x}", y: "${y}", empty: "404" });
  const [width, file] = [1024, `${layer.id}.xml`];
  // GDAL counts pixels in signed 32-bit numbers.
  const level = Math.min(layer.maxZoom, 30 - Math.ceil(Math.log2(layer.tileSize)));
  return lines(
    `cat > ${file} <<'END'`,
    "<GDAL_WMS>",
    '  <Service name="TMS">',
    `    <ServerUrl>${inMarkup(layer.base + path)}</ServerUrl>`,
    "  </Service>",
    "  <DataWindow>",
    `    <UpperLeftX>-${half}</UpperLeftX><UpperLeftY>${half}</UpperLeftY>`,
    `    <LowerRightX>${half}</LowerRightX><LowerRightY>-${half}</LowerRightY>`,
    `    <TileLevel>${level}</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY><YOrigin>top</YOrigin>`,
    "  </DataWindow>",
    "  <Projection>EPSG:3857</Projection>",
    `  <BlockSizeX>${layer.tileSize}</BlockSizeX><BlockSizeY>${layer.tileSize}</BlockSizeY>`,
    `  <BandsCount>${layer.format === "jpg" ? 3 : 4}</BandsCount>`,
    "  <ZeroBlockHttpCodes>204,404</ZeroBlockHttpCodes>",
    "  <UserAgent>my-map/1.0</UserAgent>",
    "</GDAL_WMS>",
    "END",
    layer.attribution.text ? `# Show this with the map: ${layer.attribution.text}` : null,
    `gdal_translate -projwin_srs EPSG:4326 -projwin ${west} ${limited(north)} ${east < west ? 180 : east} ${limited(south)}`
      + ` -outsize ${width} 0 ${file} ${layer.id}.tif`,
  );
}

/** Returns a latitude limited to the world's square. */
function limited(latitude) {
  return Math.min(Math.max(latitude, -85.0511287), 85.0511287);
}

function curl(layer) {
  const { z, x, y } = layer.tile;
  const address = (ratio) => `'${inShell(layer.base)}${layer.path({ z, x, y, ratio, empty: "404" })}'`;
  return lines(
    `curl --fail-with-body -o ${layer.id}.${layer.format === "jpg" ? "jpg" : "png"} ${address("")}`,
    layer.isDense ? `curl --fail-with-body -o ${layer.id}@2x.png ${address("@2x")}` : null,
    `curl --fail-with-body '${inShell(layer.base)}/${layer.id}.json'  # the layer's TileJSON: zooms, bounds, scales`,
  );
}
