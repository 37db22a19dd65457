-- The page of luth report: HTML with its data, style and script in itself. It asks nothing of any network.
local native = require 'luth.native'

local head = [==[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>luth report</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; color: #1d2430; background: #fff; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid #d5dae2; }
table { border-collapse: collapse; font-size: 0.92em; } td, th { padding: 0.2em 0.8em 0.2em 0; text-align: left; vertical-align: top; }
th { font-weight: 600; color: #566072; } tr.differs td { background: #fff6dd; }
pre { background: #f5f6f8; padding: 0.8em; overflow-x: auto; font-size: 0.85em; }
#curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 1em; }
.curve { border: 1px solid #e2e6ec; border-radius: 4px; padding: 0.5em; } .curve h3 { margin: 0 0 0.2em; font-size: 0.95em; }
.curve svg { width: 100%; height: auto; display: block; } .curve .at { font-size: 0.8em; color: #566072; min-height: 1.3em; }
svg text { font-size: 10px; fill: #566072; } svg .axis { stroke: #d5dae2; } svg polyline { fill: none; stroke-width: 1.5; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.confusion td, .confusion th { padding: 0.15em 0.5em; text-align: right; font-size: 0.85em; }
.worst { display: flex; flex-wrap: wrap; gap: 0.8em; } .worst figure { margin: 0; width: 130px; font-size: 0.8em; }
.worst img { width: 96px; image-rendering: pixelated; display: block; border: 1px solid #d5dae2; }
.swatch { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px; margin-right: 0.4em; }
@media (prefers-color-scheme: dark) {
  body { background: #14181f; color: #dfe4ec; } pre { background: #1c222b; } .curve { border-color: #2b333f; }
  tr.differs td { background: #3a3216; } h2 { border-color: #2b333f; } svg .axis { stroke: #2b333f; }
}
</style>
</head>
<body>
<h1>luth report</h1>
<div id="summary"></div>
<div id="warnings"></div>
<h2>Curves</h2>
<p><label>smoothing <input id="smoothing" type="range" min="0" max="0.99" step="0.01" value="0"></label>
<label><input id="log" type="checkbox"> logarithmic</label></p>
<div id="curves"></div>
<div id="classes"></div>
<h2>Settings</h2>
<div id="settings"></div>
<h2>Environment</h2>
<div id="environment"></div>
<h2>Modules</h2>
<div id="modules"></div>
<script id="data" type="application/json">]==]

local tail = [==[</script>
<script>
'use strict';
const runs = JSON.parse(document.getElementById('data').textContent);
const colors = ['#2463c4', '#d1582c', '#2c8a4b', '#8a4fc2', '#b3882a', '#1d8f96', '#c03a6b', '#6b7280'];
const color = i => colors[i % colors.length];
function make(name, text, parent, attributes) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  for (const k in attributes || {}) e.setAttribute(k, attributes[k]);
  if (parent) parent.appendChild(e);
  return e;
}
function shape(name, attributes, parent, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  parent.appendChild(e);
  return e;
}
const number = x => x === undefined || x === null ? '' : Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-4) ? x.toExponential(3) : String(+x.toPrecision(6));
const keys = f => [...new Set(runs.flatMap(r => Object.keys(f(r))))].sort();

function table(rows, parent, differs) {
  const t = make('table', undefined, parent);
  rows.forEach((row, i) => {
    const tr = make('tr', undefined, t, differs && i && differs(row) ? { class: 'differs' } : {});
    row.forEach((cell, k) => {
      const td = make(i ? 'td' : 'th', undefined, tr);
      if (!i && k && row[0] === '') make('span', undefined, td, { class: 'swatch', style: 'background:' + color(k - 1) });
      td.appendChild(document.createTextNode(cell));
    });
  });
}

function summary() {
  const rows = [['', ...runs.map(r => r.name)], ['recipe', ...runs.map(r => r.recipe || '')], ['epochs', ...runs.map(r => r.epochs)],
    ['steps', ...runs.map(r => r.steps)], ['seconds', ...runs.map(r => number(r.seconds))]];
  for (const name of keys(r => r.results)) {
    rows.push([name, ...runs.map(r => { const v = r.results[name]; return v ? number(v.last) + ' (' + number(v.low) + ' to ' + number(v.high) + ')' : ''; })]);
  }
  table(rows, document.getElementById('summary'));
}

// Exponential moving average, with the bias of its beginning taken out.
function smoothed(points, weight) {
  let mean = 0, sum = 0;
  return points.map(([x, y]) => { mean = mean * weight + y * (1 - weight); sum = sum * weight + 1 - weight; return [x, mean / sum]; });
}

// The least and the largest value; those of many runs are more than a call takes as arguments.
const range = values => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);

function curve(name, parent) {
  const box = make('div', undefined, parent, { class: 'curve', 'data-curve': name });
  make('h3', name, box);
  const svg = shape('svg', { viewBox: '0 0 360 200' }, box), at = make('div', '', box, { class: 'at' });
  const logarithmic = document.getElementById('log').checked, weight = +document.getElementById('smoothing').value;
  const scale = y => logarithmic ? Math.log10(y) : y;
  const lines = runs.map(r => smoothed(r.curves[name] || [], weight).filter(([, y]) => !logarithmic || y > 0));
  const all = lines.flat();
  if (!all.length) return;
  let [x0, x1] = range(all.map(p => p[0])), [y0, y1] = range(all.map(p => scale(p[1])));
  if (x1 === x0) x1 = x0 + 1;
  if (y1 === y0) { y0 -= 0.5; y1 += 0.5; }
  const X = x => 48 + (x - x0) / (x1 - x0) * 300, Y = y => 180 - (scale(y) - y0) / (y1 - y0) * 168;
  for (let i = 0; i <= 4; ++i) {
    const v = y0 + (y1 - y0) * i / 4, y = 180 - 168 * i / 4, u = x0 + (x1 - x0) * i / 4;
    shape('line', { x1: 48, x2: 348, y1: y, y2: y, class: 'axis' }, svg);
    shape('text', { x: 44, y: y + 3, 'text-anchor': 'end' }, svg, number(+(logarithmic ? 10 ** v : v).toPrecision(3)));
    shape('text', { x: 48 + 75 * i, y: 195, 'text-anchor': 'middle' }, svg, number(Math.round(u)));
  }
  lines.forEach((points, i) => {
    if (!points.length) return;
    const text = points.map(([x, y]) => X(x).toFixed(1) + ',' + Y(y).toFixed(1)).join(' ');
    shape('polyline', { points: text, stroke: color(i), 'data-run': runs[i].name, 'data-points': points.length }, svg);
    if (points.length === 1) shape('circle', { cx: X(points[0][0]), cy: Y(points[0][1]), r: 2.5, fill: color(i) }, svg);
  });
  const cursor = shape('line', { y1: 12, y2: 180, class: 'axis' }, svg);
  svg.addEventListener('mousemove', event => {
    const place = svg.getBoundingClientRect(), x = x0 + ((event.clientX - place.left) / place.width * 360 - 48) / 300 * (x1 - x0);
    cursor.setAttribute('x1', X(x)); cursor.setAttribute('x2', X(x));
    at.textContent = lines.map((points, i) => {
      if (!points.length) return '';
      const near = points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a);
      return (runs.length > 1 ? runs[i].name + ': ' : '') + number(near[1]) + ' at ' + Math.round(near[0]);
    }).filter(Boolean).join('   ');
  });
}

function curves() {
  const parent = document.getElementById('curves');
  parent.textContent = '';
  for (const name of keys(r => r.curves)) curve(name, parent);
}

// A matrix of counts, rows of true classes: the darker, the larger the share of its row.
function confusion(e, parent) {
  const t = make('table', undefined, parent, { class: 'confusion', 'data-sum': e.confusion.flat().reduce((a, b) => a + b, 0) });
  const head = make('tr', undefined, t);
  for (const name of ['true \\ taken for', ...e.classes, 'all', 'right']) make('th', name, head);
  e.confusion.forEach((row, a) => {
    const tr = make('tr', undefined, t), sum = row.reduce((x, y) => x + y, 0);
    make('th', e.classes[a], tr);
    row.forEach((n, b) => {
      const share = sum ? n / sum : 0, ink = a === b ? '44, 138, 75' : '209, 88, 44';
      make('td', String(n), tr, n ? { style: 'background:rgba(' + ink + ',' + (0.08 + 0.72 * share).toFixed(2) + ')' } : {});
    });
    make('td', String(sum), tr, { 'data-row': e.classes[a] });
    make('td', sum ? (100 * row[a] / sum).toFixed(1) + ' %' : '', tr);
  });
}

function worst(e, parent) {
  const box = make('div', undefined, parent, { class: 'worst' });
  for (const w of e.worst) {
    const figure = make('figure', undefined, box, { 'data-sample': w.sample });
    if ((w.image || '').startsWith('data:image/png;base64,')) make('img', undefined, figure, { src: w.image, alt: 'sample ' + (w.sample || ''), title: w.path || '' });
    make('figcaption', w.label + ', taken for ' + w.predicted + ' (' + (100 * w.probability).toFixed(2) + ' %), loss ' + number(w.loss) +
      (w.sample ? ', sample ' + w.sample : '') + (w.image || !w.path ? '' : ', ' + w.path), figure);
  }
}

function classes() {
  const parent = document.getElementById('classes');
  for (const run of runs) {
    const e = run.examples;
    if (!e || !e.worst) continue;
    const suffix = runs.length > 1 ? ' of ' + run.name : '';
    make('h2', 'Classes' + suffix, parent);
    if (e.confusion) confusion(e, parent);
    if (e.confused.length) {
      make('h3', 'Confused most', parent);
      table([['true', 'taken for', 'samples'], ...e.confused], parent);
    }
    make('h3', 'Worst samples of the validation data', parent);
    worst(e, parent);
  }
}

function warnings() {
  const parent = document.getElementById('warnings'), all = runs.flatMap(r => Object.values(r.warnings).map(w => [r.name, w.epoch, w.step, w.text]));
  if (!all.length) return;
  make('h2', 'Warnings', parent, { 'data-warnings': all.length });
  table([['run', 'epoch', 'step', 'warning'], ...all], parent);
}

function modules(run, parent) {
  const rows = run.examples && run.examples.modules;
  if (!rows) return make('pre', run.modules, parent);
  const t = make('table', undefined, parent, { class: 'modules' }), head = make('tr', undefined, t);
  for (const name of ['module', 'kind', 'input', 'output', 'parameters', 'multiply-adds']) make('th', name, head);
  for (const row of rows) {
    const tr = make('tr', undefined, t);
    for (const cell of [row.path || '(the model)', row.kind, row.input, row.output]) make('td', cell, tr);
    for (const n of [row.parameters, row.madds]) make('td', n ? n.toLocaleString('en') : '', tr, { class: 'n' });
  }
}

const text = v => v === undefined ? '' : typeof v === 'object' ? String(v.value) + (v.source ? '  (' + v.source + ')' : '') : String(v);
function pairs(f, id) {
  const rows = [['', ...runs.map(r => r.name)], ...keys(f).map(k => [k, ...runs.map(r => text(f(r)[k]))])];
  table(rows, document.getElementById(id), row => new Set(row.slice(1)).size > 1);
}

summary();
warnings();
curves();
classes();
pairs(r => r.settings, 'settings');
pairs(r => r.environment, 'environment');
for (const run of runs) {
  if (runs.length > 1) make('h3', run.name, document.getElementById('modules'));
  modules(run, document.getElementById('modules'));
}
for (const id of ['smoothing', 'log']) document.getElementById(id).addEventListener('input', curves);
</script>
</body>
</html>
]==]

--- The page of some runs (luth.report). Their data are JSON in which no "<" can end the script.
return function(runs)
  return head .. native.json_encode(runs):gsub('<', '\\u003c') .. tail
end
