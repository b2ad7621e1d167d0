// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { inRawINI, inYAML } from "./quoted.js";

/** Dashboards, whose maps have settings instead of code. */
export const dashboards = [
  {
    // https://www.home-assistant.io/dashboards/map/ has the settings of the own map card, and
    // https://github.com/nathan-gs/ha-map-card the settings below. Its `x` is the latitude.
    id: "home-assistant", name: "Home Assistant", language: "yaml", phones: [],
    tried: "Home Assistant 2024.3.3 and version 1.16.0 of the card",
    fails: () => "Home Assistant's own map card has no setting for tiles, so the code is for `nathan-gs/ha-map-card` of HACS, a card with"
      + " Leaflet. A Webpage card cannot show the viewer, because the viewer's page forbids frames (`frame-ancestors 'none'`). If Home"
      + " Assistant has `https`, browsers load tiles only by `https`. In dark mode, the card inverts the colours of tiles, unless the"
      + " card has `theme_mode: light`.",
    snippet: homeAssistant,
  },
  {
    // https://grafana.com/docs/grafana/latest/panels-visualizations/visualizations/geomap/#xyz-tile-layer
    id: "grafana", name: "Grafana (Geomap)", language: "ini",
    fails: (layer) => sentences(
      "The settings are for a panel, or for all panels with the default base layer. If Grafana has `https`, browsers load tiles only by"
        + " `https`.",
      layer.phoneEmpty === "overzoom"
        ? "In some versions, the map is blank beyond `Max zoom`, so leave `Max zoom` empty. With `overzoom`, the server enlarges tiles."
        : null),
    snippet: grafana,
  },
];

function homeAssistant(layer) {
  const { bounds, levels, view } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent", takesWebP: true });
  return lines(
    "# After the installation of nathan-gs/ha-map-card with HACS: Edit dashboard, Add card, Manual",
    "type: custom:map-card",
    `x: ${view.latitude}`,
    `y: ${view.longitude}`,
    `zoom: ${Math.round(view.zoom)}`,
    `tile_layer_url: "${inYAML(layer.base)}${path}"`,
    // Without this key, the card names OpenStreetMap.
    `tile_layer_attribution: "${inYAML(layer.attribution.html)}"`,
    "tile_layer_options:",
    layer.depth ? [`  tileSize: ${layer.tileSize}`, `  zoomOffset: ${-layer.depth}`] : null,
    levels.min > 0 ? `  minZoom: ${levels.min}` : null,
    levels.max < 22 ? [`  maxNativeZoom: ${levels.max}`, "  maxZoom: 22"] : `  maxZoom: ${levels.max}`,
    bounds ? `  bounds: [[${bounds.south}, ${bounds.west}], [${bounds.north}, ${bounds.east}]]` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity}` : null,
  );
}

function grafana(layer) {
  const { view, attribution: { html } } = layer;
  const path = layer.path({ ratio: layer.phoneScale === 2 ? "@2x" : "", empty: layer.phoneEmpty, takesWebP: true });
  const url = `${layer.base}${path}`;
  return lines(
    "; A Geomap panel: Basemap layer, Layer type XYZ Tile layer, URL template:",
    `; ${url}`,
    html ? `; Attribution: ${html}` : null,
    layer.opacity < 1 ? `; Opacity: ${layer.opacity}` : null,
    `; Map view, View: Coordinates, Latitude: ${view.latitude}, Longitude: ${view.longitude}, Zoom: ${view.zoom}`,
    "",
    "; All panels with the default base layer: in grafana.ini, or without the backticks in the variable",
    "; GF_GEOMAP_DEFAULT_BASELAYER_CONFIG",
    "[geomap]",
    "default_baselayer_config = `{",
    '  "type": "xyz",',
    '  "config": {',
    `    "url": ${inRawINI(url)}${html ? "," : ""}`,
    html ? `    "attribution": ${inRawINI(html)}` : null,
    "  }",
    "}`",
  );
}
