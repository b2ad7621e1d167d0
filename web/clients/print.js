#!/usr/bin/env node
// Prints what a program needs to use a layer of a running server:
//
//     web/clients/print.js http://127.0.0.1:8080/ floors gdal
//
// Without a program it names them all.

import { clients, snippetFor } from "./clients.js";

const [base, id, client] = process.argv.slice(2);
if (client === undefined) {
  console.error(`web/clients/print.js ADDRESS LAYER PROGRAM, where the program is one of ${clients.map((each) => each.id).join(", ")}`);
  process.exit(2);
}
const documents = await (await fetch(new URL("layers.json", base))).json();
console.log(snippetFor(client, documents.find((document) => document.id === id), base));
