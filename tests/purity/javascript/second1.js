// Text editor core: documents, selections, history and completion.
const os = require('node:os');

const PAIRS = { '(': ')', '[': ']', '{': '}' };
const clipboard = [];
const wordCache = new Map();
const bindings = { 'ctrl+s': 'save', 'ctrl+z': 'undo' };
const SPACES = /\s+/y;

class Selection {
  static #made = 0;
  anchor = 0;
  head = 0;

  static at(offset) {
    const sel = new Selection();
    sel.anchor = offset;
    sel.head = offset;
    return sel;
  }

  static tagged(offset) {
    const sel = Selection.at(offset);
    sel.id = Selection.#made++;
    return sel;
  }

  get range() {
    let { anchor, head } = this;
    if (anchor > head) [anchor, head] = [head, anchor];
    return [anchor, head];
  }

  get ordered() {
    const self = this;
    if (self.anchor > self.head) [self.anchor, self.head] = [self.head, self.anchor];
    return self;
  }

  valueOf() {
    return Math.abs(this.head - this.anchor);
  }
}

class TextBuffer {
  lines = [''];
  marks = new Map();
  #tick = 0;

  get text() {
    return this.lines.join('\n');
  }

  get version() {
    return ++this.#tick;
  }

  lineAt(n) {
    return (this.lines[n] ||= '');
  }

  lineOr(n, fallback = '') {
    return this.lines[n] || fallback;
  }

  mark(name, { line, column }) {
    const { marks } = this;
    return marks.set(name, [line, column]).size;
  }

  markNames() {
    const names = Array.from(this.marks.keys());
    names.sort().reverse();
    return names;
  }

  *drain() {
    const { lines } = this;
    while (lines.length > 1) yield lines.pop();
  }
}

function copyText(buffer, sel) {
  const [from, to] = sel.range;
  const slice = buffer.text.slice(from, to);
  clipboard.unshift(slice);
  return slice;
}

function balanced(text) {
  const open = [];
  for (const ch of text) {
    if (PAIRS[ch]) open.push(PAIRS[ch]);
    else if (Object.values(PAIRS).includes(ch) && open.pop() !== ch) return false;
  }
  return open.length === 0;
}

function words(text) {
  if (!wordCache.has(text)) wordCache.set(text, text.toLowerCase().split(/\W+/));
  return wordCache.get(text);
}

function completions(text, prefix) {
  return words(text).filter((w) => w.startsWith(prefix));
}

function skipSpaces(text, from) {
  SPACES.lastIndex = from;
  return SPACES.test(text) ? SPACES.lastIndex : from;
}

function squeezeSpaces(text) {
  const spaces = /\s+/g;
  let out = '';
  let last = 0;
  for (let m = spaces.exec(text); m; m = spaces.exec(text)) {
    out += text.slice(last, m.index) + ' ';
    last = spaces.lastIndex;
  }
  return out + text.slice(last);
}

function bindingFor(keys, table = bindings) {
  return table[[...keys].sort().join('+')];
}

function rebind(keys, action) {
  return Object.assign(bindings, { [keys]: action });
}

function withBinding(table, keys, action) {
  return Object.assign({}, table, { [keys]: action });
}

function indented(lines, by) {
  lines.forEach((line, i, all) => { all[i] = ' '.repeat(by) + line; });
  return lines;
}

function dedented(lines) {
  lines = lines.map((line) => line.replace(/^\s+/, ''));
  lines[0] = lines[0]?.trimEnd();
  return lines;
}

function joinLines(lines) {
  let [first, ...rest] = lines;
  while (rest.length) first += rest.shift().trim();
  return first;
}

function snapshot(buffer, at = Date.now()) {
  return { at, text: buffer.lines.join('\n') };
}

function saveName(name) {
  return `${name}.${os.userInfo().username}.bak`;
}

function readOnly(buffer) {
  return Object.freeze(buffer);
}

function shielded(buffer) {
  const view = Object.create(null);
  Object.defineProperty(view, 'lines', { get: () => [...buffer.lines] });
  return view;
}

module.exports = {
  Selection, TextBuffer, copyText, balanced, completions, skipSpaces, squeezeSpaces,
  bindingFor, rebind, withBinding, indented, dedented, joinLines, snapshot,
  saveName, readOnly, shielded,
};
