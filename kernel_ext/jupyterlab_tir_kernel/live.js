// The live view of a run: plain DOM, text nodes only, colours of the theme.
// It reads the trait `run` (live.py, LiveRun) and says once that it has been drawn.

const HEADINGS = ['answer', 'samples', 'code-verified', 'weight', 'share', ''];

function cell(row, tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  element.style.textAlign = 'left';
  element.style.padding = '2px 12px 2px 0';
  row.append(element);
  return element;
}

function bar(row, share) {
  const frame = cell(row, 'td', '');
  const track = document.createElement('div');
  track.style.cssText =
    'width: 12em; height: 0.8em; background: var(--jp-layout-color3, #ddd); border-radius: 2px;';
  const filled = document.createElement('div');
  filled.style.cssText =
    'height: 100%; background: var(--jp-brand-color1, #1976d2); border-radius: 2px;';
  filled.style.width = `${Math.round(100 * share)}%`;
  track.append(filled);
  frame.append(track);
}

function statusLine(run) {
  const parts = [run.phase];
  if (run.planned > 0) {
    parts.push(
      `${run.finished} finished`,
      `${run.running} running`,
      `${run.planned} planned`,
      `${run.tokens.toLocaleString('en')} tokens`
    );
  }
  parts.push(`${run.seconds.toFixed(1)} s`);
  return parts.join(' · ');
}

function tally(run) {
  const table = document.createElement('table');
  table.style.cssText = 'border-collapse: collapse; margin: 4px 0;';
  const head = table.createTHead().insertRow();
  for (const heading of HEADINGS) {
    cell(head, 'th', heading).scope = 'col';
  }
  const body = table.createTBody();
  run.candidates.forEach((candidate, rank) => {
    const row = body.insertRow();
    const answer = cell(row, 'td', candidate.answer);
    answer.style.fontFamily = 'var(--jp-code-font-family, monospace)';
    answer.style.fontWeight = rank === 0 ? 'bold' : 'normal';
    cell(row, 'td', String(candidate.samples));
    cell(row, 'td', String(candidate.code_verified));
    cell(row, 'td', candidate.weight.toFixed(2));
    cell(row, 'td', `${Math.round(100 * candidate.share)}%`);
    bar(row, candidate.share);
  });
  return table;
}

function draw(root, run) {
  const line = document.createElement('div');
  line.className = 'jp-TirLive-status';
  line.textContent = statusLine(run);
  const parts = [line];
  if (run.model) {
    const model = document.createElement('div');
    model.style.color = 'var(--jp-ui-font-color2, #666)';
    model.textContent = run.model;
    parts.unshift(model);
  }
  if (run.candidates.length > 0) {
    parts.push(tally(run));
  }
  if (run.more > 0) {
    const more = document.createElement('div');
    more.textContent = `${run.more} more candidates`;
    parts.push(more);
  }
  for (const words of run.notices) {
    const notice = document.createElement('div');
    notice.style.color = 'var(--jp-warn-color1, #9a6700)';
    notice.textContent = words;
    parts.push(notice);
  }
  root.replaceChildren(...parts);
}

function render({ model, el }) {
  const root = document.createElement('div');
  root.className = 'jp-TirLive';
  root.style.color = 'var(--jp-content-font-color1, inherit)';
  el.append(root);
  const redraw = () => draw(root, model.get('run'));
  redraw();
  model.on('change:run', redraw);
  model.send({ kind: 'ready' });
  return () => model.off('change:run', redraw);
}

export default { render };
