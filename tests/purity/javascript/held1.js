// Static site generator: markdown subset, front matter, templates, output.
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { mkdirSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const SLUG_JUNK = /[^a-z0-9]+/g;
const HEADING = /^(#{1,6})\s+(.*)$/;
const FOOTNOTE = /\[\^(\d+)\]/g;
const partials = new Map();
const usedSlugs = Object.create(null);
let buildNumber = 0;
let footnoteOffset = 0;

export function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (ch) => ESCAPES[ch]);
}

export function slugify(title) {
  return title.toLowerCase().replace(SLUG_JUNK, '-').replace(/^-|-$/g, '');
}

export function uniqueSlug(title) {
  const slug = slugify(title);
  const n = usedSlugs[slug] ?? 0;
  usedSlugs[slug] = n + 1;
  return n === 0 ? slug : `${slug}-${n}`;
}

export function slugAll(titles) {
  const used = {};
  return titles.map((title) => {
    const slug = slugify(title);
    used[slug] = (used[slug] ?? -1) + 1;
    return used[slug] === 0 ? slug : `${slug}-${used[slug]}`;
  });
}

export function parseFrontMatter(source) {
  const end = source.startsWith('---\n') ? source.indexOf('\n---\n', 4) : -1;
  if (end === -1) return { meta: {}, body: source };
  const meta = {};
  for (const line of source.slice(4, end).split('\n')) {
    const at = line.indexOf(':');
    meta[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { meta, body: source.slice(end + 5) };
}

export function inline(text) {
  return escapeHtml(text)
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/`(.+?)`/g, '<code>$1</code>');
}

export function heading(line) {
  const match = HEADING.exec(line);
  if (match === null) return null;
  const level = match[1].length;
  return `<h${level} id="${uniqueSlug(match[2])}">${inline(match[2])}</h${level}>`;
}

export function headingLevels(source) {
  const levels = [];
  for (const line of source.split('\n')) {
    const match = HEADING.exec(line);
    if (match) levels.push(match[1].length);
  }
  return levels;
}

export function paragraph(lines) {
  return `<p>${lines.map(inline).join(' ')}</p>`;
}

export function renderMarkdown(source) {
  const out = [];
  let pending = [];
  for (const line of [...source.split('\n'), '']) {
    const title = heading(line);
    if ((title || line === '') && pending.length) {
      out.push(paragraph(pending));
      pending = [];
    }
    if (title) out.push(title);
    else if (line !== '') pending.push(line);
  }
  return out.join('\n');
}

export function paragraphs(source) {
  const blocks = source.split(/\n{2,}/);
  const out = new Array(blocks.length);
  for (let i = 0; i < blocks.length; i++) out[i] = paragraph(blocks[i].split('\n'));
  return out;
}

export function nextFootnote(source) {
  FOOTNOTE.lastIndex = footnoteOffset;
  const match = FOOTNOTE.exec(source);
  footnoteOffset = match ? FOOTNOTE.lastIndex : 0;
  return match ? Number(match[1]) : null;
}

export function footnotes(source) {
  return Array.from(source.matchAll(/\[\^(\d+)\]/g), (match) => Number(match[1]));
}

export function registerPartial(name, html) {
  partials.set(name, html);
}

export function partial(name) {
  const html = partials.get(name);
  if (html === undefined) throw new Error(`missing partial ${name}`);
  return html;
}

export function layout(page) {
  return `${partial('header')}<main>${page.html}</main>${partial('footer')}`;
}

export function plainLayout(page, header = '', footer = '') {
  return [header, `<main>${page.html}</main>`, footer].filter((part) => part !== '').join('\n');
}

export function fillTemplate(template, scope) {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, key) => escapeHtml(String(scope[key] ?? '')));
}

export function renderWith(helpers, name, page) {
  const helper = helpers[name];
  return helper ? helper(page) : page.html;
}

export function byDate(pages) {
  return pages.sort((a, b) => (a.meta.date < b.meta.date ? 1 : -1));
}

export function latest(pages, n) {
  return byDate(pages).slice(0, n);
}

export function newest(pages, n) {
  return byDate([...pages]).slice(0, n);
}

export function linkNeighbours(pages) {
  pages.forEach((page, i) => {
    page.prev = pages[i - 1]?.slug ?? null;
    page.next = pages[i + 1]?.slug ?? null;
  });
}

export function tagIndex(pages) {
  const index = {};
  for (const page of pages) {
    for (const tag of (page.meta.tags ?? '').split(' ')) {
      if (tag) (index[tag] ||= []).push(page.slug);
    }
  }
  return index;
}

export function addToIndex(index, page) {
  for (const tag of (page.meta.tags ?? '').split(' ')) {
    if (tag) (index[tag] ||= []).push(page.slug);
  }
  return index;
}

export function readingMinutes(body) {
  return Math.max(1, Math.round(body.split(/\s+/).length / 220));
}

export function fingerprint(name, content) {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return name.replace(/(\.\w+)$/, `.${digest}$1`);
}

export function stamp(html) {
  buildNumber += 1;
  return `${html}\n<!-- build ${buildNumber} at ${Date.now()} -->`;
}

export function outputPath(root, slug) {
  return join(root, slug, 'index.html');
}

export function cleanOutput(root) {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
}

export async function loadPage(file) {
  const { meta, body } = parseFrontMatter(await readFile(file, 'utf8'));
  return { meta, body, slug: slugify(meta.title ?? basename(file, '.md')) };
}

export async function loadPages(dir) {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.md'));
  return Promise.all(names.map((name) => loadPage(join(dir, name))));
}

export async function writePage(root, page) {
  const target = outputPath(root, page.slug);
  mkdirSync(dirname(target), { recursive: true });
  await writeFile(target, page.html);
}

export async function isStale(source, target) {
  const [a, b] = await Promise.all([stat(source), stat(target)]);
  return a.mtimeMs > b.mtimeMs;
}

export async function buildAll(pages, transform) {
  const out = [];
  for (const page of pages) out.push(await transform(page));
  return out;
}

export function baseUrl() {
  return (process.env.SITE_URL ?? 'http://localhost:8080').replace(/\/$/, '');
}

export function permalink(page) {
  return `${baseUrl()}/${page.slug}/`;
}

export function sitemap(pages) {
  return pages.map(permalink).join('\n');
}

export function relativeLinks(pages) {
  return pages.map((page) => `/${page.slug}/`).join('\n');
}
