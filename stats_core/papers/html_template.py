"""The page of a report, with its looks; every name is escaped by the template engine."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --page: #ffffff; --card: #f6f8fa; --mark: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a5adb6; --line: #3a424c; --page: #12161b; --card: #1b2129;
    --mark: #7db7f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
header, main, footer, nav { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; padding-top: .5rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 1.5rem 0 .35rem; overflow-wrap: anywhere; }
body { overflow-wrap: anywhere; } table { overflow-wrap: normal; }
a { color: var(--mark); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; padding: 0; }
.soft, figcaption { color: var(--soft); font-size: .9rem; }
.about { margin: 0 0 .35rem; }
.verdict { background: var(--card); border: 1px solid var(--line); border-left: .4rem solid
  var(--mark); border-radius: .4rem; padding: .9rem 1.1rem; margin: 1rem 0; }
.verdict .headline { font-size: 1.2rem; font-weight: 600; margin: .2rem 0 .4rem; }
.badge { display: inline-block; border: 1px solid var(--ink); border-radius: 1rem;
  padding: 0 .6rem; font-size: .85rem; }
.scroll { overflow-x: auto; margin: .3rem 0 1.2rem; }
.scroll:focus-visible { outline: 2px solid var(--mark); }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums;
  border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); }
th, td { padding: .16rem .6rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--ink); vertical-align: bottom; }
tbody th { font-weight: 400; }
td { white-space: nowrap; } td.long { min-width: 16rem; white-space: normal; }
th { overflow-wrap: break-word; }
.number { text-align: right; white-space: nowrap; }
tr.sums > * { border-top: 1px solid var(--ink); }
b { font-weight: 700; } u { text-underline-offset: .15em; }
figure { margin: 1rem 0 1.75rem; }
figure .drawn { background: #ffffff; color: #1b1f24; color-scheme: light; border-radius: .4rem;
  overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
ol.chain > li { margin-bottom: .8rem; } .chain p { margin: .1rem 0; }
code { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .88em;
  overflow-wrap: anywhere; }
pre { overflow-x: auto; } pre code { overflow-wrap: normal; }
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  ol.chain { padding-left: 1.4rem; } }
footer { padding-bottom: 3rem; }
@media print {
  :root { --ink: #000; --soft: #333; --line: #999; --page: #fff; --card: #fff; --mark: #000; }
  body { font-size: 10pt; } .soft, figcaption { font-size: 9pt; } nav { display: none; }
  header, main, footer { max-width: none; padding: 0; }
  .scroll { overflow: visible; } table { font-size: 8pt; } .wide table { font-size: 6pt; }
  th, td, td.long { min-width: 5em; padding: .1rem .3rem; white-space: normal;
    overflow-wrap: anywhere; }
  .wide th, .wide td { padding: .1rem .12rem; }
  .number { min-width: 0; white-space: normal; } td.number { overflow-wrap: normal; }
  pre { white-space: pre-wrap; }
  h2, h3, .about { break-after: avoid; }
  figure, tr, .verdict, .whole { break-inside: avoid; }
  thead { display: table-header-group; } a { text-decoration: none; }
}
"""

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Foldwise {{ versions.foldwise }}">
<title>{{ title }}</title>
<style>{{ style }}</style>
{%- if script %}
<script>{{ script }}</script>
{%- endif %}
</head>
<body>
<header>
<h1>{{ title }}</h1>
<p class="soft">{{ compared }}</p>
</header>
<nav aria-label="Sections"><ul>
{%- for id, name in sections %}
<li><a href="#{{ id }}">{{ name }}</a></li>
{%- endfor %}
</ul></nav>
<main>
<section id="verdict" aria-labelledby="verdict-head">
<h2 id="verdict-head">Verdict</h2>
<div class="verdict">
<span class="badge">{{ verdict.badge }}</span>
<p class="headline">{{ verdict.headline }}</p>
{%- if verdict.detail %}
<p>{{ verdict.detail }}</p>
{%- endif %}
{%- for note in verdict.notes %}
<p class="soft">{{ note }}</p>
{%- endfor %}
</div>
{%- if order_verdict %}
<div class="verdict">
<span class="badge">{{ order_verdict.badge }}</span>
<p class="headline">{{ order_verdict.headline }}</p>
<p>{{ order_verdict.detail }}</p>
{%- for note in order_verdict.notes %}
<p class="soft">{{ note }}</p>
{%- endfor %}
</div>
{%- endif %}
</section>
<section id="methods" aria-labelledby="methods-head">
<h2 id="methods-head">Methods</h2>
<p>
{%- for piece in methods -%}
{{ piece.text }}
{%- if piece.keys %} (
{%- for key in piece.keys -%}
<a href="#ref-{{ key }}">{{ cited[key] }}</a>{{ "; " if not loop.last }}
{%- endfor -%}
){% endif %}
{%- endfor -%}
</p>
</section>
<section id="results" aria-labelledby="results-head">
<h2 id="results-head">Results</h2>
<p>{{ results }}</p>
</section>
{%- if figures %}
<section id="figures" aria-labelledby="figures-head">
<h2 id="figures-head">Figures</h2>
{%- for figure in figures %}
<h3 id="fig-{{ loop.index }}-head">{{ figure.title }}</h3>
<figure id="fig-{{ loop.index }}" aria-labelledby="fig-{{ loop.index }}-head">
<div class="drawn" role="group" aria-label="{{ figure.alt or figure.caption or figure.title }}">
{{ figure.html | safe }}
</div>
{%- if figure.caption %}
<figcaption>{{ figure.caption }}</figcaption>
{%- endif %}
</figure>
{%- endfor %}
</section>
{%- endif %}
{%- if tables %}
<section id="tables" aria-labelledby="tables-head">
<h2 id="tables-head">Tables</h2>
{%- for table in tables %}
<h3 id="tab-{{ table.name }}">{{ table.title }}</h3>
{%- if table.caption %}
<p class="soft about" id="about-{{ table.name }}">{{ table.caption }}</p>
{%- endif %}
<div class="scroll{{ table.looks }}" tabindex="0" role="region" aria-labelledby="tab-{{ table.name }}">
<table aria-labelledby="tab-{{ table.name }}"
{%- if table.caption %} aria-describedby="about-{{ table.name }}"{% endif %}>
<thead><tr><th scope="col">{{ table.index_name }}</th>
{%- for column in table.columns -%}
<th scope="col"{% if column.number %} class="number"{% endif %}>{{ column.name }}</th>
{%- endfor -%}
</tr></thead>
<tbody>
{%- for row in table.rows %}
<tr{% if row.sums %} class="sums"{% endif %}><th scope="row">{{ row.label }}</th>
{%- for cell in row.cells -%}
<td{% if cell.kind %} class="{{ cell.kind }}"{% endif %}>
{%- if cell.mark == "best" %}<b>{{ cell.text }}</b>
{%- elif cell.mark == "second" %}<u>{{ cell.text }}</u>
{%- else %}{{ cell.text }}{% endif -%}
</td>
{%- endfor -%}
</tr>
{%- endfor %}
</tbody>
</table>
</div>
{%- endfor %}
</section>
{%- endif %}
{%- if chain %}
<section id="chain" aria-labelledby="chain-head">
<h2 id="chain-head">Why these tests</h2>
<p class="soft">This is {{ chain.scenario }}; {{ chain.case }}. Advised: {{ chain.advised }}.</p>
<ol class="chain">
{%- for step in chain.steps %}
<li><p><strong>{{ step.test }}</strong></p>
<p>{{ step.question }} {{ step.why }}</p>
{%- if step.fails %}
<p>{{ step.fails }}</p>
{%- endif %}
<p class="soft">{{ step.reference }}{% if step.papers %}. {{ step.papers }}{% endif %}</p></li>
{%- endfor %}
</ol>
</section>
{%- endif %}
<section id="seen" aria-labelledby="seen-head">
<h2 id="seen-head">What could have been seen</h2>
<p>{{ seen.text }}</p>
{%- if seen.method %}
<p class="soft">{{ seen.method }}</p>
{%- endif %}
</section>
<section id="choices" aria-labelledby="choices-head">
<h2 id="choices-head">Choices and data</h2>
<dl>
{%- for name, value in choices %}
<dt>{{ name }}</dt><dd>{{ value }}</dd>
{%- endfor %}
</dl>
</section>
{%- if references %}
<section id="references" aria-labelledby="references-head">
<h2 id="references-head">References</h2>
<ul>
{%- for key, text in references %}
<li id="ref-{{ key }}">{{ text }}</li>
{%- endfor %}
</ul>
</section>
{%- endif %}
</main>
<footer>
<p class="soft">Made with Foldwise {{ versions.foldwise }}
{%- for name, version in versions.items() if name != "foldwise" %}, {{ name }} {{ version }}
{%- endfor %}.
{%- if digest %}<br>sha256 of the files: <code>{{ digest }}</code>{% endif %}</p>
{%- if repeat %}
<details><summary>The Python file that repeats this</summary><pre><code>{{ repeat }}</code></pre></details>
{%- endif %}
</footer>
</body>
</html>
"""
