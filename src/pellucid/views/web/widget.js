/**
 * The page in a notebook's cell: a frame that runs scripts of its own and reaches nothing else.
 *
 * @typedef {{ get(name: string): any, on(event: string, act: () => void): void,
 *   off(event: string, act: () => void): void }} Model
 */

/** @param {{ model: Model, el: HTMLElement }} place */
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "width: 100%; border: 0; border-radius: 8px";
  const show = () => {
    frame.style.height = `${model.get("height")}px`;
    frame.srcdoc = model.get("html");
  };
  show();
  el.append(frame);
  model.on("change:html", show);
  model.on("change:height", show);
  return () => {
    model.off("change:html", show);
    model.off("change:height", show);
  };
}

export default { render };
