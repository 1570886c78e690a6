"use strict";
// What pages do beyond what they are without it: numbers and parts that stay true while one looks. One stream a tab,
// closed while the tab is hidden. Nothing here makes HTML; parts come from the server and are the only text that is parsed.
(() => {
  const own = (html) => html;
  const policy = window.trustedTypes ? window.trustedTypes.createPolicy("redqueen", { createHTML: own }) : { createHTML: own };
  const parse = (html) => new DOMParser().parseFromString(policy.createHTML(html), "text/html").body.firstElementChild;

  const stream = document.body.dataset.stream;
  const connection = document.getElementById("connection");
  const news = document.getElementById("news");
  const root = stream && new URL("./", new URL(stream, location.href));
  let source = null;
  let timer = 0;
  let told = Date.now();

  const say = (text) => {
    if (connection && connection.textContent !== text) connection.textContent = text;
  };

  // Times: how long ago, with the time itself for the mouse.
  const span = (s) =>
    s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : s < 129600 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} d`;
  const showTimes = (within) => {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const then = Date.parse(time.dateTime);
      if (Number.isNaN(then)) continue;
      if (!time.title) time.title = time.textContent;
      time.textContent = `${span(Math.max(0, (Date.now() - then) / 1000))} ago`;
    }
  };

  // Parts: asked for again one at a time, and changed in place, so that focus, scrolling and what is open stay.
  const keep = {
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
  };
  const loading = new Map();
  const load = async (name, version) => {
    const old = document.getElementById(`part-${name}`);
    if (!old || loading.get(name) === version) return;
    loading.set(name, version);
    try {
      const address = new URL(location.href);
      address.searchParams.set("part", name);
      address.hash = "";
      const response = await fetch(address, { credentials: "same-origin" });
      if (!response.ok) return;
      const fresh = parse(await response.text());
      if (!fresh) return;
      showTimes(fresh);
      Idiomorph.morph(old, fresh, { callbacks: keep });
      await again();
    } catch {
      // The stream says when the server is away.
    } finally {
      loading.delete(name);
    }
  };

  // A state: texts of numbers by key, versions of parts by name, title and icon.
  const show = (state) => {
    told = Date.now();
    for (const [key, text] of Object.entries(state.n)) {
      for (const element of document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)) {
        const attribute = element.dataset.attribute;
        if (attribute) element.setAttribute(attribute, text);
        else if (element.textContent !== text) element.textContent = text;
      }
    }
    if (state.t && "title" in document.body.dataset) document.title = `${state.t} – redqueen`;
    const icon = document.querySelector("link[rel=icon]");
    if (state.i && icon) icon.href = new URL(state.i, root).href;
    for (const [name, version] of Object.entries(state.p)) {
      const part = document.getElementById(`part-${name}`);
      if (part && part.dataset.version !== version) load(name, version);
    }
  };

  // Without a stream the state is asked for now and then.
  const poll = async (every) => {
    clearTimeout(timer);
    try {
      const response = await fetch(`${stream}&once=1`, { credentials: "same-origin" });
      if (response.ok) show(await response.json());
    } catch {
      say(`no answer for ${span((Date.now() - told) / 1000)}`);
    }
    timer = setTimeout(() => (document.hidden ? poll(60000) : open()), every);
  };

  const open = () => {
    clearTimeout(timer);
    if (source || document.hidden) return;
    source = new EventSource(stream);
    source.onopen = () => say("live");
    source.addEventListener("state", (event) => show(JSON.parse(event.data)));
    source.addEventListener("ended", () => {
      close();
      say("ended");
    });
    source.onerror = () => {
      say(`reconnecting, ${span((Date.now() - told) / 1000)} old`);
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        poll(10000);
      }
    };
  };
  const close = () => {
    if (source) source.close();
    source = null;
  };

  // Something that is being made on a page without a stream.
  const again = async () => {
    const waiting = document.querySelector("[data-again]");
    const part = waiting && waiting.closest("[data-part]");
    if (stream || !part) return;
    await new Promise((done) => setTimeout(done, Number(waiting.dataset.again)));
    if (loading.delete(part.dataset.part)) setTimeout(() => load(part.dataset.part, ""), 0);
    else load(part.dataset.part, "");
  };

  showTimes(document);
  setInterval(() => document.hidden || showTimes(document), 30000);
  again();
  if (stream) {
    open();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        close();
        timer = setTimeout(() => poll(60000), 60000);
      } else open();
    });
    window.addEventListener("pagehide", close);
    window.addEventListener("pageshow", (event) => event.persisted && open());
  }
  if (news) news.textContent = "";
})();
