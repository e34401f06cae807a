/**
 * The page of a comparison: two traces stand in it, and what was found between them.
 */

import { Comparing } from "./comparing.js";
import { fail, watch } from "./failing.js";
import { unpackedJson } from "./packing.js";
import { parts, partsOf } from "./parts.js";
import { Trace } from "./trace.js";

watch();

async function open() {
  const all = parts();
  const found = all.get("comparison");
  if (!found) throw new Error("The page has no comparison.");
  const traces = await Promise.all(["0.", "1."].map((text) => Trace.of(partsOf(all, text))));
  const view = new Comparing(await unpackedJson(found), traces);
  Object.assign(window, { pellucid: view });
  await view.open();
}

open().catch(fail);
