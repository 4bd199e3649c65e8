// Brings the widgets of a page to life without a kernel: finds every .la-widget, loads its module once with a
// <script> beside this one, and gives it a local model with the interface that anywidget's has.
(() => {
  "use strict";
  const here = document.currentScript.src;
  const PREFIX = "#la1:";
  const loads = new Map();

  function load(name) {
    if (!loads.has(name)) {
      const script = document.createElement("script");
      const done = new Promise((resolve, reject) => {
        script.onload = () => resolve(window.linattn.widgets[name]);
        script.onerror = () => reject(new Error(`widgets/${name}.js could not be loaded`));
      });
      script.src = new URL(`widgets/${name}.js`, here).href;
      document.head.append(script);
      loads.set(name, done);
    }
    return loads.get(name);
  }

  // The state of one widget in the address: #la1:<id>=<state>. Any other fragment is an ordinary anchor.
  function link(id) {
    const start = `${PREFIX}${id}=`;
    const get = () => (location.hash.startsWith(start) ? location.hash.slice(start.length) : null);
    const url = (state) => new URL(start + state, location.href).href;
    return {
      id,
      get,
      url,
      set: (state) => history.replaceState(history.state, "", url(state)),
      listen(callback) {
        const changed = () => get() !== null && callback(get());
        addEventListener("hashchange", changed);
        return () => removeEventListener("hashchange", changed);
      },
    };
  }

  function localModel(traits, id) {
    const listeners = new Map();
    const emit = (event) => [...(listeners.get(event) ?? [])].forEach((callback) => callback());
    return {
      link: link(id),
      get: (key) => traits[key],
      set(key, value) {
        if (traits[key] === value) return;
        traits[key] = value;
        emit(`change:${key}`);
        emit("change");
      },
      save_changes() {},
      on(event, callback) {
        listeners.set(event, [...(listeners.get(event) ?? []), callback]);
      },
      off(event, callback) {
        listeners.set(event, (listeners.get(event) ?? []).filter((other) => callback && other !== callback));
      },
    };
  }

  async function mount(holder, id) {
    const module = await load(holder.dataset.widget);
    const traits = JSON.parse(holder.querySelector('script[type="application/json"]').textContent);
    const el = document.createElement("div");
    holder.append(el);
    holder.id ||= id;
    const model = localModel(traits, id);
    await module.render({ model, el });
    // Only now: if anything above fails, the still figure stays in view.
    holder.classList.add("la-mounted");
    if (model.link.get() !== null) holder.scrollIntoView({ block: "start" });
  }

  function start() {
    const counts = {};
    for (const holder of document.querySelectorAll(".la-widget[data-widget]")) {
      const name = holder.dataset.widget;
      counts[name] = (counts[name] ?? 0) + 1;
      mount(holder, `${name}-${counts[name]}`);
    }
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
