// What the tests do on the explorer's page, and what they see there.
"use strict";

globalThis.tester = (() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = (selector) => all(selector).filter((one) => one.checkVisibility()).map((one) => one.innerText);
  const idsIn = (selector) => all(selector).map((one) => Number(one.dataset.id));
  const seen = () => ({
    ids: idsIn("#tokens [data-id]"),
    others: idsIn("#others [data-id]"),
    special: idsIn("#tokens .special"),
    marked: idsIn("#tokens .new"),
    differ: ["tokens", "others"].map((list) =>
      all(`#${list} .differs`).map((one) => Number(one.dataset.start))),
    names: texts("#panes .say"),
    hash: location.hash,
    figure: texts("#figure-tokens")[0] ?? null,
    said: texts("#train-say")[0] ?? null,
    learned: texts("#learned small"),
    alerts: texts("[role=alert]").filter((text) => text),
    wide: document.documentElement.scrollWidth,
    text: document.getElementById("text").value,
    size: document.getElementById("size").value,
    seen: texts("main")[0],
    nodes: texts(".node").length,
    looks: ["special", "even"].map((name) => {
      const { borderRadius, fontWeight } = getComputedStyle(document.querySelector(`#tokens .${name}`) ?? document.body);
      return [borderRadius, fontWeight];
    }),
  });
  const drawn = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 30)); });
  const until = async (condition) => {
    for (let turn = 0; turn < 300 && !condition(); turn++) await drawn();
  };
  // What is in sight is drawn in the next frame, and training goes on in slices.
  const settled = async () => {
    let found, before;
    for (let turn = 0; turn < 300; turn++) {
      [before, found] = [JSON.stringify(found), seen()];
      const shown = found.ids.length || found.said || found.alerts.length;
      if (shown && JSON.stringify(found) === before) break;
      await drawn();
    }
    return found;
  };
  const click = (...ids) => ids.forEach((id) => document.getElementById(id).click());
  const set = (id, value, event = "input") => {
    const field = document.getElementById(id);
    field.value = value;
    field.dispatchEvent(new Event(event, { bubbles: true }));
  };
  const type = async (id, text) => {
    set(id, text);
    for (let turn = 0; turn < 5; turn++) await drawn(); // the page waits until a reader pauses
  };
  const moved = async (act) => {
    const before = location.hash;
    act();
    await until(() => location.hash !== before && location.hash.includes("merges="));
  };
  const drop = async (name, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    await until(() => document.querySelector("#tokenizer :checked").text === name);
  };
  return { settled, until, click, set, type, moved, drop };
})();
