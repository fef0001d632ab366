// What figures do in the browser beyond Plotly's own: Streamlit draws a figure anew, in a new
// element, whenever anything of it changes, and with it the part that somebody had enlarged is lost.
// Its keys light no curves, its names take no clicks, and its marks no keys.
(() => {
  if (window.foldwiseFigures) return;
  window.foldwiseFigures = true;
  const enlarged = new Map(); // name of a figure -> its whole axes and the part that is looked at

  const nameOf = (plot) => plot.closest("[class*=st-key-figure_]")?.className.match(/st-key-\S+/)[0];

  const rangesOf = (plot) =>
    Object.fromEntries(
      Object.keys(plot.layout)
        .filter((key) => /^[xy]axis/.test(key) && plot.layout[key].range)
        .map((key) => [`${key}.range`, [...plot.layout[key].range]]),
    );

  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function keepPart(plot) {
    const name = nameOf(plot);
    const kept = enlarged.get(name);
    const now = rangesOf(plot);
    const whole = kept && same(now, kept.part) ? kept.whole : now;
    plot.on("plotly_relayout", () => {
      const part = rangesOf(plot);
      if (same(part, whole)) enlarged.delete(name);
      else enlarged.set(name, { whole, part });
    });
    const enlarge = () => {
      const again = enlarged.get(name);
      if (again && plot.isConnected && same(again.whole, rangesOf(plot))) window.Plotly.relayout(plot, again.part);
    };
    plot.on("plotly_afterplot", () => setTimeout(enlarge, 50)); // drawn anew by a run; a reset by the user is known by then
    enlarge();
  }

  // Parts of a curve are called by its name and what they are: "rf band", "rf key".
  function owners(plot) {
    const isCurve = (t) => t.meta === "algorithm" && t.mode?.includes("lines");
    const curves = plot.data.filter((t) => t.name && (t.showlegend === true || isCurve(t)));
    return curves.map((t) => t.name.replace(/ key$/, "")).sort((a, b) => b.length - a.length);
  }

  const ownerOf = (name, known) =>
    known.find((owner) => name === owner || name?.startsWith(`${owner} `));

  function light(plot, name) {
    const known = owners(plot);
    const lit = (name ? [name] : selected()).map((each) => ownerOf(each, known)).filter(Boolean);
    for (const trace of plot._fullData) {
      const owner = ownerOf(trace.name, known);
      const faded = lit.length && owner && !lit.includes(owner) && !trace.name.endsWith(" key");
      const drawn = plot.querySelector(`.cartesianlayer .trace${trace.uid}`);
      if (drawn) drawn.style.opacity = faded ? 0.15 : (trace.opacity ?? 1);
    }
  }

  function giveLight(plot) {
    plot.on("plotly_hover", (event) => light(plot, event.points[0].fullData.name));
    plot.on("plotly_unhover", () => light(plot, null));
    const entry = (event) => event.target.closest?.(".legend .traces");
    plot.addEventListener("mouseover", (event) => {
      const text = entry(event)?.querySelector(".legendtext");
      if (text) light(plot, text.dataset.unformatted);
    });
    plot.addEventListener("mouseout", (event) => {
      if (entry(event)) light(plot, null);
    });
  }

  // Algorithms that are selected, as the address has them.
  function selected() {
    try {
      const [kind, names] = JSON.parse(new URLSearchParams(location.search).get("sel"));
      return ["algorithm", "pair", "group"].includes(kind) ? names : [];
    } catch {
      return [];
    }
  }

  // Names and marks of other algorithms than the selected ones fade. Long traces are sent without their algorithms.
  function fade(plot, names) {
    const chosen = selected();
    light(plot);
    for (const element of plot.querySelectorAll("text.name-of-mark, .point")) {
      const mark = markOfElement(element, names), { hovertemplate, marker } = plot._fullData[mark?.curveNumber] ?? {};
      const owners = mark && !hovertemplate && marker?.opacity !== 0 ? algorithmsOf(mark) : [];
      const shared = owners.filter((name) => chosen.includes(name)).length;
      const drawnFaded = element.closest(".annotation, .trace")?.style.opacity < 1;
      element.classList.toggle("faded", !drawnFaded && shared < Math.min(owners.length, chosen.length));
    }
  }

  const algorithmsOf = ({ data, customdata }) =>
    ["algorithm", "pair", "group"].includes(data.meta) ? [customdata].flat(2).map(String) : [];

  // The pointer on a mark or a name underlines the names of its algorithms in all figures.
  function underline(algorithms) {
    for (const plot of document.querySelectorAll("[class*=st-key-figure_] .js-plotly-plot")) {
      const names = plot.namesOfMarks;
      for (const text of names ? plot.querySelectorAll("text.name-of-mark") : []) {
        const [name, other] = algorithmsOf(markOfElement(text, names));
        text.classList.toggle("pointed", !other && algorithms.includes(name));
      }
    }
  }

  // A click in the figure of the first column is answered in the second, which may be out of sight.
  function showAnswer(plot) {
    const answer = () => document.querySelector(".st-key-side_by_side .st-key-verdict");
    plot.on("plotly_click", () => answer()?.scrollIntoView({ block: "nearest", behavior: "smooth" }));
  }

  // Streamlit hears of marks only: a printed name that is the text of a mark is clicked in its place.
  function markOf(trace, i) {
    if (!trace.meta || trace.customdata?.[i] == null) return null;
    return { curveNumber: trace.index, pointNumber: i, pointIndex: i, customdata: trace.customdata[i], data: trace._input };
  }

  function marksByName(plot) {
    const named = plot._fullData.filter((trace) => trace.mode === "markers" && Array.isArray(trace.text));
    return new Map(named.flatMap((trace) => trace.text.map((label, i) => [label, markOf(trace, i)])).filter(([, mark]) => mark));
  }

  function markOfElement(element, names) {
    if (element.matches("text")) return names.get(element.dataset.unformatted);
    const trace = element.closest(".trace")?.__data__[0].trace;
    return trace && markOf(trace, element.__data__?.i);
  }

  // One element for each selection that a click in a figure can make. A curve has one mark, in its middle.
  function* targetsOf(plot, names) {
    const seen = new Set();
    for (const element of [...plot.querySelectorAll("text.name-of-mark"), ...plot.querySelectorAll(".point")]) {
      const mark = markOfElement(element, names), trace = element.matches("text") ? null : plot._fullData[mark?.curveNumber];
      const aside = trace?.meta === "algorithm" && trace.mode?.includes("lines") && mark.pointNumber !== trace.customdata.length >> 1;
      const key = mark && `${mark.data.meta} ${JSON.stringify(mark.customdata)}`;
      if (!mark || aside || seen.has(key)) continue;
      seen.add(key);
      yield { key, mark, element };
    }
  }

  function labelOf({ element, mark: { customdata, data, pointNumber } }) {
    if (element.matches("text")) return element.textContent;
    const shown = data.hovertext?.[pointNumber] ?? data.hovertemplate?.replace(/%{customdata\[(\d+)\]}/g, (_, k) => customdata[k]);
    const parts = (shown ?? [data.meta, customdata].flat(3).join(" ")).split(/\x3cbr>/).filter((part) => !part.startsWith("Click: "));
    return new DOMParser().parseFromString(parts.join(", "), "text/html").body.textContent;
  }

  // Tab reaches one name or mark of a figure, and arrow keys the others; Enter and Space click it.
  // The figure that the click draws anew has the focus at the same place.
  let pressed = {}; // name of the figure, and selection
  addEventListener("focusin", (event) => { if (nameOf(event.target) !== pressed.figure) pressed = {}; });
  const CURRENT = "[role=button][tabindex]";
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

  function giveTargets(plot) {
    const names = plot.namesOfMarks = marksByName(plot);
    const click = (mark) => ["plotly_click", "plotly_selected"].forEach((name) => plot.emit(name, { points: [mark] }));
    const offer = (target) => {
      plot.querySelectorAll("[role=button]").forEach((other) => other.removeAttribute("tabindex"));
      for (const [key, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": labelOf(target) })) {
        target.element.setAttribute(key, value);
      }
      return target.element;
    };
    const focusAgain = () => { // once Streamlit shows the figure
      if (!plot.isConnected || pressed.figure !== nameOf(plot)) return;
      plot.querySelector(CURRENT)?.focus();
      if (!plot.contains(document.activeElement)) setTimeout(focusAgain, 50);
    };
    const show = () => {
      const texts = plot.querySelectorAll("text.annotation-text, .xtick text, .ytick text, .textpoint text");
      texts.forEach((text) => text.classList.toggle("name-of-mark", names.has(text.dataset.unformatted)));
      fade(plot, names);
      if (plot.querySelector(CURRENT)) return;
      const again = pressed.figure === nameOf(plot) && [...targetsOf(plot, names)].find((target) => target.key === pressed.key);
      const first = again || targetsOf(plot, names).next().value;
      if (first) offer(first);
      if (again) focusAgain();
    };
    show();
    plot.on("plotly_afterplot", show);
    const named = (event) => names.get(event.target.closest("text.name-of-mark")?.dataset.unformatted);
    plot.addEventListener("click", (event) => {
      if (named(event)) click(named(event));
    });
    plot.addEventListener("mouseover", (event) => {
      if (named(event)) underline(algorithmsOf(named(event)));
    });
    plot.addEventListener("mouseout", (event) => {
      if (named(event)) underline([]);
    });
    plot.on("plotly_hover", ({ points: [{ fullData, pointNumber }] }) => {
      const mark = markOf(fullData, pointNumber);
      plot.classList.toggle("on-mark", Boolean(mark));
      underline(mark ? algorithmsOf(mark) : []);
    });
    plot.on("plotly_unhover", () => {
      plot.classList.remove("on-mark");
      underline([]);
    });
    plot.addEventListener("focusin", ({ target: { __data__: point, parentElement: parent } }) => {
      const trace = parent.closest(".trace")?.__data__[0].trace;
      if (trace) window.Plotly.Fx.hover(plot, [{ curveNumber: trace.index, pointNumber: point.i }], trace.xaxis + trace.yaxis);
    });
    plot.addEventListener("focusout", () => window.Plotly.Fx.unhover(plot));
    plot.addEventListener("keydown", (event) => {
      const targets = [...targetsOf(plot, names)], at = targets.findIndex(({ element }) => element === event.target);
      if (at < 0 || !(event.key in STEPS || event.key === "Enter" || event.key === " ")) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key in STEPS) return offer(targets[Math.min(Math.max(at + STEPS[event.key], 0), targets.length - 1)]).focus();
      pressed = { figure: nameOf(plot), key: targets[at].key };
      click(targets[at].mark);
    });
  }

  // What is wider than its place is reached by Tab and moved by arrows.
  const WIDER = "[data-testid=stMain] :is(.katex-display, [data-room=scrolls]),"
    + ":is([data-testid=stMain], [data-testid=stPopoverBody]) pre, [data-testid=stPopoverBody]";

  function giveFocus(box) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }

  const PANEL = 100; // px, least width of one of several panels side by side

  // Panels that stand side by side, without columns of numbers at an edge and insets.
  function panelsOf({ _subplots: { xaxis: names }, ...layout }) {
    const axes = names.map((name) => layout[name.replace("x", "xaxis")]);
    const share = ({ domain: [from, to] }) => to - from;
    const within = (a, b) => share(a) < share(b) && a.domain[0] >= b.domain[0] && a.domain[1] <= b.domain[1];
    return axes.filter((axis) => share(axis) > 0.2 && share(axis) < 0.9 && !axes.some((other) => within(axis, other)));
  }

  // Width that a figure needs so that no texts meet or leave it and its axes have room, 0 if it has that width.
  function neededRoom(plot) {
    const [frame, least, inner] = [plot.getBoundingClientRect(), 0.3, plot._fullLayout._size.w];
    const drawn = plot._fullLayout.width; // the frame may have its next width already
    const margins = drawn - inner;
    const boxes = [...plot.querySelectorAll(".annotation-text, .xtitle, .xtick text, .textpoint text")].map((text) => text.getBoundingClientRect());
    const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 3; // lines of one label
    const apart = (a, b) => Math.abs(a.left + a.right - b.left - b.right); // twice the distance of their middles
    const rooms = boxes.flatMap((box, i) => {
      const outside = Math.max(frame.left - box.left, box.right - frame.right);
      const met = boxes.slice(i + 1).filter((other) => meets(box, other));
      return [outside > 1 && drawn + 2 * outside, ...met.map((other) => margins + inner * (box.width + other.width) / apart(box, other))];
    });
    const panels = panelsOf(plot._fullLayout).map(({ _length: length }) => length < PANEL && margins + inner * PANEL / length);
    return Math.max(0, ...rooms, ...panels, inner < least * drawn && margins / (1 - least));
  }

  // A square figure that became narrower leaves no empty room below.
  function fitHeight(plot) {
    const box = plot.closest("[class*=st-key-figure_]");
    const { _size: size, yaxis: axis, height } = plot._fullLayout;
    if (innerWidth > 640 || box.dataset.room === "scrolls" || !axis?.scaleanchor || plot.layout.grid) return;
    const spare = Math.floor(size.h - axis._length);
    if (spare <= 8) return;
    box.dataset.room = "fits";
    plot.wholeHeight ??= height;
    window.Plotly.relayout(plot, { height: height - spare });
  }

  const ROOMS = [400, 480, 560, 760, 980]; // px

  // In a narrow window, a figure that needs more room keeps its width and scrolls.
  function giveRoom(plot) {
    const box = plot.closest("[class*=st-key-figure_]");
    const wider = innerWidth > 640 ? [] : ROOMS.filter((width) => width > plot._fullLayout.width + 1);
    const needed = wider.length && neededRoom(plot);
    if (!needed) return;
    const room = wider.find((width) => width >= needed) ?? wider.at(-1);
    box.dataset.room = "scrolls"; // not a class, since Streamlit resets classes
    box.style.setProperty("--room", `${room}px`);
    if (plot.wholeHeight) window.Plotly.relayout(plot, { height: plot.wholeHeight });
    dispatchEvent(new Event("resize"));
  }

  // A table that is cut at the right is marked: page.css says so.
  const grids = new ResizeObserver((entries) => entries.forEach(({ target: { parentElement: grid } }) =>
    grid.closest("[data-testid=stElementContainer]")?.toggleAttribute("data-cut", grid.scrollWidth > grid.clientWidth + 1)));

  function meet() {
    document.querySelectorAll(WIDER).forEach(giveFocus);
    document.querySelectorAll(".dvn-scroller > *").forEach((content) => grids.observe(content));
    for (const plot of document.querySelectorAll("[class*=st-key-figure_] .js-plotly-plot")) {
      if (plot.foldwise || !plot._fullLayout) continue;
      plot.foldwise = true;
      if (plot.layout.dragmode === "zoom") keepPart(plot);
      if (owners(plot).length > 1) giveLight(plot);
      if (plot.matches(".st-key-side_by_side [data-testid=stColumn]:first-child *")) showAnswer(plot);
      if (!plot._context.staticPlot && plot._fullData.some((trace) => trace.meta && trace.customdata)) giveTargets(plot);
      const fit = () => {
        const box = plot.closest("[class*=st-key-figure_]");
        if (box.dataset.figure !== nameOf(plot)) delete box.dataset.room;
        box.dataset.figure = nameOf(plot);
        [giveRoom, fitHeight].forEach((act) => act(plot));
      };
      plot.on("plotly_afterplot", fit);
      fit();
    }
  }

  // Streamlit adds up to three entries to the history when a page is opened, two of them without settings, and
  // none when a tab or another widget writes its value to the address. Here the first change of the address after a
  // click or a key adds an entry, and the others replace it. Back and Forward return to where the page was
  // scrolled, as soon as it is tall enough again. Streamlit empties the page that another one replaces, which brings
  // that one to its top, but not if it is there before the empty page is drawn. Here every page opens at its top.
  const scrolled = new Map(); // address -> position before the last click or key
  const main = () => document.querySelector("[data-testid=stMain]");
  let acted = false;
  for (const name of ["pointerdown", "keydown", "click"]) {
    addEventListener(name, (event) => {
      if (name === "click" && event.detail) return; // its pointerdown came before, at which a tab opens
      acted = true;
      if (main()) scrolled.set(location.href, main().scrollTop);
    }, true);
  }
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  history.pushState = history.replaceState = (state, title, address) => {
    const next = new URL(address ?? location.href, location);
    if (next.href === location.href) return;
    if (next.pathname !== location.pathname && main()) main().scrollTop = 0;
    (acted ? push : replace)(state, title, address);
    acted = false;
    document.querySelectorAll(".js-plotly-plot").forEach((plot) => plot.namesOfMarks && fade(plot, plot.namesOfMarks));
  };

  // What a button or an expander opens below itself is in sight.
  addEventListener("click", (event) => {
    const head = event.target.closest?.("[data-testid=stMain] :is([data-testid=stPopover] button, summary)");
    const box = head?.parentElement;
    if (!head || head.getAttribute("aria-expanded") === "true" || box.open) return;
    const show = () => {
      const below = box.matches("details") ? box.clientHeight - head.clientHeight : innerHeight;
      const room = innerHeight - head.getBoundingClientRect().bottom;
      main().scrollTop += Math.max(0, Math.min(below, innerHeight / 2) - room);
    };
    if (!box.matches("details")) return show();
    const grown = new ResizeObserver(show);
    grown.observe(box);
    setTimeout(() => grown.disconnect(), 3000);
  }, true);

  function scrollTo(place) {
    const [end, stop] = [Date.now() + 5000, new AbortController()];
    for (const event of ["wheel", "pointerdown", "keydown", "popstate"]) {
      addEventListener(event, () => stop.abort(), { signal: stop.signal });
    }
    const step = () => {
      if (stop.signal.aborted || Date.now() > end) return;
      if (main()) main().scrollTop = place;
      setTimeout(step, 100);
    };
    step();
  }

  addEventListener("popstate", () => {
    const place = scrolled.get(location.href) ?? 0;
    acted = false;
    setTimeout(() => scrollTo(place));
  });

  // A page chosen in the sidebar is in sight: a narrow window has no room beside the sidebar.
  addEventListener("click", (event) => {
    if (innerWidth > 768 || !event.target.closest?.("[data-testid=stSidebar] a")) return;
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  });

  addEventListener("resize", meet);
  new MutationObserver(meet).observe(document.body, { childList: true, subtree: true });
  meet();
})();
