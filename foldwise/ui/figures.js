// What figures do in the browser beyond Plotly's own: Streamlit draws a figure anew, in a new
// element, whenever anything of it changes, and with it the part that somebody had enlarged is lost.
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
    if (kept && same(kept.whole, now)) window.Plotly.relayout(plot, kept.part);
  }

  function meet() {
    for (const plot of document.querySelectorAll("[class*=st-key-figure_] .js-plotly-plot")) {
      if (plot.foldwise || !plot._fullLayout) continue;
      plot.foldwise = true;
      if (plot.layout.dragmode === "zoom") keepPart(plot);
    }
  }

  new MutationObserver(meet).observe(document.body, { childList: true, subtree: true });
  meet();
})();
