/**
 * The page of a comparison: two traces stand in it, and what was found between them.
 */

import { Comparing } from "./comparing.js";
import { fail, watch } from "./failing.js";
import { parts } from "./parts.js";

watch();

Comparing.read(parts()).then(async ({ found, traces }) => {
  const view = new Comparing(found, traces);
  Object.assign(window, { pellucid: view });
  await view.open();
}).catch(fail);
