/**
 * The page of a file: the trace stands in it.
 */

import { fail, watch } from "./failing.js";
import { parts } from "./parts.js";
import { View } from "./view.js";
import { Trace } from "./trace.js";

watch();

Trace.of(parts()).then(async (trace) => {
  const view = new View(trace);
  Object.assign(window, { pellucid: view });
  await view.open();
}).catch(fail);
